"""How often verdicts are wrong, claim by claim."""
