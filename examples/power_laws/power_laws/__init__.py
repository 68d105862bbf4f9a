"""Regression with power laws: a book of claims for asymp that lives in a package of its own."""

from asymp.books import Book

BOOK = Book(
    "power-laws",
    "Regression with power laws",
    {"ridge": "Ridge regression", "descent": "One-pass gradient descent", "quanta": "Quanta and coverage"},
    shares=32,
)
