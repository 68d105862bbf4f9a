"""The SGD map, its flows and what follows from them."""
