"""The recall error, measured by three routes."""
