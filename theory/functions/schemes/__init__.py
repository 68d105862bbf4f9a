"""Storage schemes: the best weights, thresholds and constants."""
