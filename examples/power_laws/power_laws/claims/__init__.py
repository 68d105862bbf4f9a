"""The claims of the book."""
