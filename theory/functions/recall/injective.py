"""One output for each input: the recall error at large d when f is injective, and how many memories are then held.

With P stored inputs of weight 1 and M outputs, every wrong output's score is about normal with variance P/d^2 (products of two
overlaps of variance 1/d; the input's own overlap adds 1/d, which is less than P/d^2 once P >> d). An input is lost with
probability pi_M(d/sqrt P), and stored inputs number P ~ d^2/(2 log M), not d: the bound of order d^(1-alpha) for M = O(1) gives
way to d^(-2 (alpha-1)), up to logarithms.

    E(P) = p{x > P} + p{x <= P} pi_N(d/sqrt P)         (M = N outputs; what is not stored is wrong)
"""

import math

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, Mpf, float_arrays, guarded
from asymp.theory.functions.recall.gaussian_error import gaussian_error_digits, gaussian_slope_digits, log_pi_M


def memories_held(*, M: ArrayLike, d: ArrayLike, e: ArrayLike) -> FloatArray:
    """n = d M/a^2 with pi_M(a) = e: equally stored memories, M outputs shared out evenly, each lost with probability e.

    0 < e < 1 - 1/M; arrays broadcast; relative error about 1e-10. M = O(1): it needs d -> inf at fixed M.
    """
    M, d, e = float_arrays(M, d, e)
    if not np.all((e > 0) & (e < 1 - 1 / M)):
        raise ValueError("e must satisfy: 0 < e < 1 - 1/M, the error of a guess")
    # Regula falsi (Illinois) on all points at once: log pi_M falls in a, and is concave.
    target = np.log(e)
    low, high = np.zeros(e.shape), 2 * np.sqrt(np.log(M)) + 2 * np.sqrt(-target) + 4
    f_low, f_high = np.log1p(-1 / M) - target, np.asarray(log_pi_M(a=high, M=M)) - target
    for _ in range(100):
        a = high - f_high * (high - low) / (f_high - f_low)
        f = np.asarray(log_pi_M(a=a, M=M)) - target
        same = np.sign(f) == np.sign(f_high)
        low, f_low = np.where(same, low, high), np.where(same, f_low / 2, f_high)
        high, f_high = a, f
        if np.all((np.abs(f) < 1e-14) | (np.abs(high - low) < 1e-13 * high)):
            break
    return np.asarray(d * M / high**2)


@guarded(15)
def memories_held_digits(*, M: Mpf, d: Mpf, e: Mpf, digits: int = 50) -> Mpf:
    """The same to `digits` significant digits, an mpmath number."""
    start = math.sqrt(float(d * M) / float(memories_held(M=float(M), d=float(d), e=float(e))))
    a = mp.mpf(start)
    # Newton's method on log pi_M doubles the digits: three steps from ten take it to eighty.
    while True:
        lost = gaussian_error_digits(a=a, M=M, digits=digits + 12)
        step = mp.log(lost / e) * lost / gaussian_slope_digits(a=a, M=M, digits=digits + 12)
        a += step
        if abs(step) < a * mp.mpf(10) ** (-digits // 2 - 8):
            break
    return d * M / a**2
