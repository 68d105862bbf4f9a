"""The laws of the book."""
