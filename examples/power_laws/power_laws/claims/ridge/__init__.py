"""The claims of one section."""
