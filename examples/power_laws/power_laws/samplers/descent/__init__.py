"""The samplers of one section."""
