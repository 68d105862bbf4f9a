"""Exponents: the local slopes that test them at very large sizes."""
