"""dense-capacity: how many patterns a dense associative memory with an energy of degree k keeps."""

from functools import partial
from math import comb
from typing import Any

from asymp.theory.law import law
from asymp.theory.laws.capacity import BITS, PATTERNS, half_name
from asymp.theory.laws.pieces import item_errors
from asymp.theory.lazy import Digits, Expr, Floats, mpmath, np, special, sympy
from asymp.theory.param import Param, integer
from asymp.theory.sources import Erratum, Source

DEGREE_ENERGY = Param(
    integer(2, 20, advice="higher degrees overflow in float64 and have no use"),
    (2, 5),
    meaning="degree of the energy",
    name="k",
)
PARAMS = (
    BITS.but(domain=integer(3)).over(16, 128),
    DEGREE_ENERGY.over(2, 4),
    PATTERNS.but(domain=integer(2)).over(16, 4096),
)

CONVENTIONS = "N random patterns xi in {-1, 1}^d, E(x) = -sum over the patterns of (xi . x)^k."
STEP = CONVENTIONS + (
    " From a stored pattern a bit moves to the side with the lower energy, the others held; the quantity is the share of "
    "bits that change."
)

bits_law = partial(law, relation="~", conventions=STEP)
ODD = "2**(k - 1)*gamma(k - 1/2)/sqrt(pi)"  # (2k - 3)!!, the moment E g^(2k - 2) of a standard normal


def bit_error() -> Expr:
    """Phi(-signal/noise) with the exact signal and the exact variance of the noise."""
    d, k, N = sympy.symbols("d k N", positive=True)
    j = sympy.Symbol("j", integer=True, nonnegative=True)
    s = 2 * j - (d - 1)
    square = sympy.Sum(sympy.binomial(d - 1, j) * ((s + 1) ** k - (s - 1) ** k) ** 2, (j, 0, d - 1)) / 2 ** (d - 1)
    return item_errors.gaussian_tail((d**k - (d - 2) ** k) / sympy.sqrt((N - 1) * square))


def square_polynomial(k: int) -> list[int]:
    """((s + 1)^k - (s - 1)^k)^2 as the coefficients of s^0, s^2, s^4, ..."""
    # (s + 1)^k - (s - 1)^k has twice the terms with k - power odd
    half = [2 * comb(k, power) if (k - power) % 2 else 0 for power in range(k)]
    full = [0] * (2 * k - 1)
    for a, x in enumerate(half):
        for b, y in enumerate(half):
            full[a + b] += x * y
    return full[::2]


def bit_error_numeric(*, d: Floats, k: Floats, N: Floats) -> Floats:
    """The same in float64, the moments of a sum of signs by their cumulants."""
    d, k, N = np.broadcast_arrays(d, k, N)
    ratio = np.empty(d.shape)
    for degree in np.unique(k):
        here, power = k == degree, int(degree)
        at = d[here]
        # exact integers where they are small and cancel; floats beyond
        moment = item_errors.sign_sum_moments(at - 1, power - 1)
        small = at <= 64
        if small.any():
            for p, exact in enumerate(
                zip(*(item_errors.sign_sum_moments(int(n) - 1, power - 1) for n in at[small]), strict=True)
            ):
                moment[p] = np.broadcast_to(moment[p], at.shape).astype(float)
                moment[p][small] = [float(value) for value in exact]
        square = sum(c * m for c, m in zip(square_polynomial(power), moment, strict=True))
        # d^k - (d - 2)^k by the binomial theorem, all terms of one sign
        signal = -(at**power) * np.expm1(power * np.log1p(-2 / at))
        ratio[here] = signal / np.sqrt((N[here] - 1) * square)
    return np.asarray(special.ndtr(-ratio))


def bit_error_ratio(d: int, k: int) -> Any:
    """Signal over noise of a bit with one other pattern, moments in integers."""
    moment = item_errors.sign_sum_moments(d - 1, k - 1)
    square = sum(c * m for c, m in zip(square_polynomial(k), moment, strict=True))
    return (d**k - (d - 2) ** k) / mpmath.sqrt(square)


def bit_error_exact(*, d: Digits, k: Digits, N: Digits, digits: int) -> Digits:
    """The same to any number of digits."""
    return mpmath.ncdf(-bit_error_ratio(int(d), int(k)) / mpmath.sqrt(N - 1))


def half_numeric(*, d: Floats, k: Floats) -> Floats:
    """The N with (1 - bit error)^d = 1/2: the argument of Phi falls like (N - 1)^(-1/2), so that one value tells all."""
    scale = d ** (k - 1.0)  # a size at which the error is neither 0 nor 1/2
    known = special.ndtri(bit_error_numeric(d=d, k=k, N=1 + scale))
    return np.asarray(1 + scale * (known / special.ndtri(-np.expm1(-np.log(2) / d))) ** 2)


def half_exact(*, d: Digits, k: Digits, digits: int) -> Digits:
    """The same to any number of digits."""
    at_two = bit_error_ratio(int(d), int(k))  # the argument of Phi at N = 2
    share = -mpmath.expm1(-mpmath.log(2) / d)
    return 1 + (at_two / (mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * share))) ** 2


size_law = partial(law, relation="~", quantity="N", params=(BITS, DEGREE_ENERGY))
LAWS = (
    size_law(
        "dense-capacity",
        f"d**(k - 1)/(2*k*{ODD}*log(d))",
        title="Capacity of a dense memory of degree k: all patterns are fixed points",
        source=Source("asymp", "N d Phi(-[(2k-3)!! N/d^(k-1)]^(-1/2)) = 1 to leading order"),
        conventions=CONVENTIONS + " The largest N at which every bit of every pattern stays.",
        exponents={"d": "k - 1"},
    ),
    size_law(
        "dense-capacity:source",
        "d**(k - 1)",
        title="Capacity of a dense memory of degree k, as the source states it",
        source=Source("bietti2025", "slide on modern Hopfield nets"),
        conventions=CONVENTIONS,
        errata=Erratum(
            regime="Every bit right, N = d^(k-1) literally, or N = c d^(k-1) with any constant c as d grows.",
            discrepancy="At N = d^(k-1) a share Phi(-1/sqrt((2k-3)!!)) of the bits is wrong: 16 % at k = 2, 28 % at "
            "k = 3, 40 % at k = 4. At any fixed ratio the share stays fixed while every one of d bits must be right; "
            "all patterns are up to d^(k-1)/(2 k (2k-3)!! log d), and one in two at the size of `dense-capacity:half`.",
            corrected_by="dense-capacity:half",
        ),
    ),
    size_law(
        "dense-capacity:all-items",
        f"exp(LambertW(d**k/(2*{ODD})))/d",
        title="Capacity of a dense memory at finite size: 2 (2k-3)!! N log(N d) = d^(k-1)",
        source=Source("asymp", "N d exp(-d^(k-1)/(2 (2k-3)!! N)) = 1"),
        conventions=CONVENTIONS + " The largest N at which every bit of every pattern stays.",
        exponents={"d": "k - 1"},
    ),
    bits_law(
        "dense-capacity:item-error",
        bit_error,
        params=PARAMS,
        title="Share of wrong bits of a dense memory, with its exact signal and noise",
        source=Source("asymp", "normal law with the exact mean and variance of the energy difference"),
        numeric=bit_error_numeric,
        exact=bit_error_exact,
    ),
    size_law(
        "dense-capacity:half",
        half_name("d", "k"),
        title="Number of patterns at which one of a dense memory is a fixed point half of the time, at finite size",
        source=Source("asymp", "d nearly independent bits, each with the error `dense-capacity:item-error`"),
        conventions=CONVENTIONS + " One step from a stored pattern, each bit to the side with the lower energy.",
        exponents={"d": "k - 1"},
        numeric=half_numeric,
        exact=half_exact,
    ),
)
