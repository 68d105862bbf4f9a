"""Special functions of recall: Gaussian errors, bounds of Theorem 1, errors of single items, finite-size capacities."""
