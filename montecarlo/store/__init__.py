"""The result store: one immutable file for each finished cell, found by a hash of everything that determines it."""
