"""Where cells are computed: in this process, in others on this machine, on a Dask or a SLURM cluster."""
