"""Exponents with honest intervals: a union of profile likelihoods over a declared class of truths."""
