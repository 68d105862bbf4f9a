"""Experiments on gradients: by automatic differentiation, beside what the sources say they are made of."""
