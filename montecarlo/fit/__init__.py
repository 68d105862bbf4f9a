"""Forms fitted to recorded measurements: which of them the data allow, and predictions that a backtest has widened."""
