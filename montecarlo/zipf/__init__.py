"""Exact sampling of the Zipf law, and the missing mass."""
