"""The command line: its verbs, what they print, and how long work shows its progress."""
