"""The samplers of the book."""
