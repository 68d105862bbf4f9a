"""The Zipf law: normaliser, tails, class sums, missing mass; float64 and any number of digits."""
