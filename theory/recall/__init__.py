"""The recall error of random memories: numerically exact, its limits and its bounds."""
