"""The lower bound of Theorem 1 for the weight schemes, at thousands of points at once.

For q = p^rho on x <= P under a Zipf law and targets x mod M the class of x = 1 has the largest sum of squares, so that

    E >= constant * p{x : 3 (d+1) x^-s <= sum_j (j M + 1)^-s},   s = 2 rho alpha,

the normaliser of q cancels, and the bound is the tail of the Zipf law beyond the last input that is too heavy.
"""

from typing import Any

import numpy as np

from asymp.theory.zipf.power_sums import FloatArray, power_sum

__all__ = ["forgotten_mass"]


def forgotten_mass(*, alpha: Any, N: Any, M: Any, d: Any, rho: Any, P: Any) -> FloatArray:
    """p{x : 3 (d+1) q(x)^2 <= Q}; arrays broadcast; alpha >= 0, rho >= 0, P >= 1, N and P may be inf where sums converge."""
    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (alpha, N, M, d, rho, P)))
    shape = arrays[0].shape
    a, size, outputs, dimension, power, cut = (v.ravel() for v in arrays)
    last = np.minimum(size, np.floor(cut))
    s = 2 * power * a
    largest = outputs**-s * power_sum(s, 1 / outputs, np.floor((last - 1) / outputs) + 1)

    def small(x: FloatArray) -> Any:
        return (x > last) | (3 * (dimension + 1) * x**-s <= largest)

    # The first small input by the formula, then moved until it is: rounding may have put it one off.
    with np.errstate(over="ignore", divide="ignore"):
        root = np.exp(np.minimum(np.log(3 * (dimension + 1) / largest) / np.where(s > 0, s, 1.0), 690.0))
    flat = s == 0
    least = np.where(flat, np.where(3 * (dimension + 1) <= largest, 1.0, last + 1), np.ceil(root))
    least = np.clip(least, 1.0, last + 1)
    for _ in range(4):
        least = np.where(~flat & (least > 1) & small(np.maximum(least - 1, 1.0)), least - 1, least)
        least = np.where(~flat & ~small(least), least + 1, least)
    mass = power_sum(a, least, size - least + 1) / power_sum(a, 1.0, size)
    return np.asarray(mass.reshape(shape), dtype=np.float64)
