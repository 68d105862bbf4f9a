"""Drawn settings, wrong laws and one-line assertions: what tests of claims are made from."""
