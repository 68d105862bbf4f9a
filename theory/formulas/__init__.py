"""The laws, one file for each claim of the ledger: the source's own statement and beside it the sharp form."""

__all__ = ["MODULES"]

# In the order of the ledger. A file's name is the claim's id with underscores.
MODULES = ("score_variance", "missing_mass", "finite_memory_lower")
