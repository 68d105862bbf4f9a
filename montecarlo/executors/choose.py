"""From the words of the command line to a pool."""

from pathlib import Path

from asymp.montecarlo.executors.pools import Automatic, Pool, Processes, Serial, cores

__all__ = ["choose_pool"]


def choose_pool(
    *,
    workers: int | None = None,
    cluster: str | None = None,
    device: str = "auto",
    folder: Path | None = None,
    since: float | None = None,
) -> Pool:
    """All cores as soon as that is worth it (`since`: workers have been loading since), so many processes, or a cluster."""
    if workers is not None and (isinstance(workers, bool) or workers < 1):
        raise ValueError(f"workers must be an integer >= 1; got {workers}")
    if cluster is not None:
        if workers is not None:
            raise ValueError("give --workers or --cluster, not both: a cluster has its own workers")
        return _cluster(cluster, folder)
    if workers is None:
        # One GPU is shared by nobody: its results come from this process.
        return Serial() if device.startswith("cuda") else Automatic(cores(), since=since)
    return Serial() if workers == 1 else Processes(workers)


def _cluster(cluster: str, folder: Path | None) -> Pool:
    kind, colon, rest = cluster.partition(":")
    if colon and kind in ("tcp", "tls", "ucx", "ws", "wss") and rest.startswith("//") and ":" in rest:
        from asymp.montecarlo.executors.dask_cluster import DaskCluster

        return DaskCluster(cluster)
    if kind == "slurm":
        from asymp.montecarlo.executors.slurm import Slurm

        return Slurm(rest, folder=folder)
    raise ValueError(f"cluster must be tcp://HOST:PORT (a Dask scheduler) or slurm:PARTITION; got {cluster!r}")
