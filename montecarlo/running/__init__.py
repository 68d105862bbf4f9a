"""How simulations run: what is planned, where it is computed, what is kept."""
