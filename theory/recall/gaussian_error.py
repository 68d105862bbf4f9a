"""The M-way Gaussian error pi_M(a) and its slope to many digits, fast: the trapezoidal rule with a step set by theory.

    pi_M(a) = integral of phi(t) [1 - Phi(a+t)^(M-1)] dt,   -pi_M'(a) = (M-1) integral of phi(t) phi(a+t) Phi(a+t)^(M-2) dt.

Both integrands are entire and grow like exp(M y^2/2) in the imaginary direction at worst, so that the step h leaves a
relative error exp(-2 pi^2/(h^2 M)): some hundred values give fifty digits where halving the step until nothing changes
takes thousands (the second route in the tests). For large M they do not grow at all in a strip |y| < pi/(2 x),
x = sqrt(2 log M) being where Phi^M turns: the error is exp(-pi^2/(h x)) there, and the larger of the two steps is taken.
"""

from collections.abc import Callable
from typing import Any

import mpmath as mp

from asymp.theory.recall.storage import check_whole
from asymp.theory.zipf.law import check_digits, real_mpf

__all__ = ["gaussian_error_digits", "gaussian_slope_digits"]


def gaussian_error_digits(*, a: Any, M: Any, digits: int = 50) -> Any:
    """pi_M(a) for any real a to `digits` significant digits, an mpmath number."""
    M = check_whole("M", M)
    with mp.workdps(check_digits(digits) + 12):
        a = real_mpf("a", a)
        if M == 1:
            return mp.mpf(0)
        if M == 2:
            value = mp.erfc(a / 2) / 2
        else:

            def integrand(t: Any) -> Any:
                miss = mp.ncdf(-a - t)
                # Where miss is small 1 - (1 - miss)^(M-1) cancels; where it is close to 1 log1p would.
                hit = (M - 1) * mp.log1p(-miss) if miss < 0.5 else (M - 1) * mp.log(mp.ncdf(a + t))
                return -mp.npdf(t) * mp.expm1(hit)

            value = _trapezoid(integrand, a, M)
    with mp.workdps(digits):
        return +value


def gaussian_slope_digits(*, a: Any, M: Any, digits: int = 50) -> Any:
    """-pi_M'(a) for any real a to `digits` significant digits, an mpmath number."""
    M = check_whole("M", M, 2)
    with mp.workdps(check_digits(digits) + 12):
        a = real_mpf("a", a)
        value = (M - 1) * _trapezoid(lambda t: mp.npdf(t) * mp.npdf(a + t) * mp.ncdf(a + t) ** (M - 2), a, M)
    with mp.workdps(digits):
        return +value


def _trapezoid(integrand: Callable[[Any], Any], a: Any, M: int) -> Any:
    drop = (mp.mp.dps + 5) * mp.log(10)
    # The whole is of order exp(-a^2/4), the integrand's peak on the real axis; growth off the axis is not that small.
    whole = drop + a**2 / 4
    step = max(mp.pi * mp.sqrt(2 / (M * whole)), mp.mpf(9) / 10 * mp.pi**2 / (whole * mp.sqrt(2 * mp.log(M))))
    centre = -a / 2 if a > 0 else mp.mpf(0)
    reach = mp.sqrt(2 * drop) + mp.sqrt(2 * mp.log(M)) + 1
    count = int(reach / step) + 1
    return step * mp.fsum(integrand(centre + step * i) for i in range(-count, count + 1))
