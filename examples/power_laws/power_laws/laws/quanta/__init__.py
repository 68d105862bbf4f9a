"""The laws of one section."""
