"""Capacities: the largest size at which recall is good enough, with an interval."""
