"""How many associations a memory holds: one experiment a file, recall of constructed and of trained memories."""
