"""Numbers behind the capacity laws: sizes with n log n = x, the chance that a competitor wins, tails of signs and caps.

How one item is lost. The memory answers z with argmax_y u_y.H, H a vector of R^d that depends on z. The answer scores
T = u_z.H. Another output y has u_y on the unit sphere, nearly independent of H: given H its score is about normal with
variance |H|^2/d plus what its own memory adds. So, given T = mean + sqrt(var) x with x standard normal,

    V = A exp(2 T n/(A c)),   A = (variance of a competitor) + (T^2 - E T^2)/d,   n = E[noise in T | x],

for c competitors: the first term of A is the exact unconditional variance, the second its part along u_z, which is
known once T is; the exponential is the correlation of T with the competitor's own memory (each of c exchangeable ones
holds n/c of the noise). A component of a point on the sphere has the excess -6/d, so that its tail at z is that of a
normal at z + (z^3 - 3 z)/(4 d). Then P(error) = E[1 - Phi(z)^c]. Leading order: what fluctuates in |H| is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import comb
from types import ModuleType
from xml.dom.minidom import Element

import mpmath as mp
import numpy as np
import sympy
from numpy.typing import ArrayLike
from sympy.printing.printer import Printer

from asymp.theory.evaluation import numpy_function
from asymp.theory.functions.arguments import FloatArray, IntArray, Mpf, Number, float_arrays
from asymp.theory.functions.recall.gaussian_error import power_complement
from asymp.theory.functions.recall.half_size import half_digits, half_sizes
from asymp.theory.functions.special import Special
from asymp.theory.lazy import special

REACH, STEPS = 20.0, 640
"""The trapezoidal rule for averages over x: a normal beyond 20 has probability 1e-88. At the step of 1/16 only rounding
is left, measured against the same rule to 35 digits for d from 2 to 1000 and N from 2 to 1e5."""

CHUNK = 512


@dataclass(frozen=True)
class ScoreMoments:
    """Means and variances of the scores of the answer and of a competitor, as expressions; |u_y| = 1.

    `noise` is the part of the answer's variance that other memories make; `d` the dimension of the outputs.
    """

    target_mean: sympy.Expr
    other_mean: sympy.Expr
    target_variance: sympy.Expr
    other_variance: sympy.Expr
    noise: sympy.Expr
    d: sympy.Expr
    competitors: sympy.Expr

    @property
    def parts(self) -> tuple[sympy.Expr, ...]:
        """The seven expressions in the order of `_margin`."""
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)


def _margin(
    lib: ModuleType,
    x: Number,
    mean: Number,
    other: Number,
    var: Number,
    var_other: Number,
    noise: Number,
    d: Number,
    c: Number,
) -> Number:
    """The threshold z in P(no competitor wins | x) = Phi(z)^c, in the arithmetic of `lib` (numpy, sympy or mpmath)."""
    T = mean + lib.sqrt(var) * x
    A = var_other + (T**2 - mean**2 - var) / d
    V = A * lib.exp(2 * T * noise * x / (lib.sqrt(var) * c * A))
    z = (T - other) / lib.sqrt(V)
    return z + z * (z**2 - 3) / (4 * d)


def item_error_expression(moments: ScoreMoments) -> sympy.Expr:
    """E[1 - Phi(z)^c] as an integral over x."""
    x = sympy.Symbol("x", real=True)
    z = _margin(sympy, x, *moments.parts)
    right = (sympy.erfc(-z / sympy.sqrt(2)) / 2) ** moments.competitors
    return sympy.Integral(sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi) * (1 - right), (x, -sympy.oo, sympy.oo))


@cache
def _compiled(moments: ScoreMoments, names: tuple[str, ...], module: str) -> Callable[..., Sequence[FloatArray]]:
    symbols = {s.name: s for part in moments.parts for s in part.free_symbols}
    arguments = [symbols.get(name, sympy.Symbol(name)) for name in names]
    if module == "numpy":
        return numpy_function(arguments, moments.parts)
    return sympy.lambdify(arguments, moments.parts, modules=module)  # type: ignore[no-any-return]


def item_error(
    moments: ScoreMoments, values: Mapping[str, ArrayLike], *, reach: float = REACH, steps: int = STEPS
) -> FloatArray:
    """E[1 - Phi(z)^c] in float64, vectorised: relative error about 1e-12 by the rule's default steps."""
    parts = _compiled(moments, tuple(values), "numpy")(*values.values())
    grid = np.broadcast_arrays(*parts, *values.values())
    flat = [np.asarray(a, dtype=float).reshape(-1, 1) for a in grid[: len(parts)]]
    x = np.linspace(-reach, reach, steps + 1)
    weight = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
    total = np.empty(len(flat[0]))
    for start in range(0, len(total), CHUNK):
        piece = [a[start : start + CHUNK] for a in flat]
        lost = -np.expm1(piece[-1] * special.log_ndtr(_margin(np, x, *piece)))
        total[start : start + CHUNK] = lost @ weight
    return total.reshape(grid[0].shape)


def half_of_items(
    moments: ScoreMoments, values: Mapping[str, ArrayLike], size: str, *, smallest: ArrayLike = 3.0
) -> FloatArray:
    """The value of `size` at which an item is lost half of the time, vectorised, relative error 1e-10."""
    arrays = float_arrays(*values.values(), smallest)
    flat = dict(zip(values, (a.ravel() for a in arrays), strict=False))

    def error(N: FloatArray, rows: IntArray, rough: bool) -> FloatArray:
        # An error of one half comes from |x| < 9 alone; the rough rule is good to about 1e-4.
        point = {name: entries[rows] for name, entries in flat.items()}
        return item_error(moments, {**point, size: N}, reach=9.0, steps=54 if rough else 288)

    return half_sizes(error, arrays[-1].ravel()).reshape(arrays[-1].shape)


def item_error_digits(moments: ScoreMoments, values: Mapping[str, Mpf], digits: int) -> Mpf:
    """E[1 - Phi(z)^c] as an mpmath number."""
    parts = _compiled(moments, tuple(values), "mpmath")(*values.values())

    def lost(x: Mpf) -> Mpf:
        return power_complement(_margin(mp, x, *parts), parts[-1])

    return _normal_average(lost, digits)


def _normal_average(function: Callable[[Mpf], Mpf], digits: int) -> Mpf:
    """E f(x), x standard normal and 0 <= f <= 1, by the trapezoidal rule: the step is halved until nothing changes.

    For f analytic in a strip the error falls like exp(-const/step), so that the last halving squares it.
    """
    with mp.workdps(digits + 10):
        goal = mp.mpf(10) ** (-digits)
        root = mp.sqrt(2 * mp.pi)

        def term(x: Mpf) -> Mpf:
            return mp.exp(-(x**2) / 2) / root * function(x)

        def swept(step: Mpf, offset: Mpf, floor: Mpf) -> Mpf:
            # outwards from the middle in both directions, until the normal density alone is below the floor
            total, x = mp.mpf(0), offset
            while mp.exp(-(x**2) / 2) > floor:
                total += term(x) + (term(-x) if x else 0)
                x += step
            return total * step

        rough = swept(mp.mpf(1) / 4, mp.mpf(0), mp.mpf(10) ** -(digits + 200))
        if rough == 0:
            return rough
        floor, step = goal * rough / 1000, mp.mpf(1) / 8
        value = swept(step, mp.mpf(0), floor)
        while step > mp.mpf(2) ** -12:
            finer = (value + swept(step, step / 2, floor)) / 2
            step /= 2
            if abs(finer - value) <= mp.sqrt(goal) * abs(finer) / 1000:
                # the error of `value` is at most this change; that of `finer` is its square
                return finer
            value = finer
        raise ValueError(f"the average over a normal does not settle to {digits} digits")


def half_of_items_digits(moments: ScoreMoments, values: Mapping[str, Mpf], name: str, size: float, digits: int) -> Mpf:
    """The value of `name` at which an item is lost half of the time, near `size`."""
    floats = {key: float(value) for key, value in values.items()}
    return half_digits(
        size,
        lambda N: item_error(moments, {**floats, name: N}),
        lambda N, wanted: item_error_digits(moments, {**values, name: N}, wanted),
        digits,
    )


def common_scale(moments: ScoreMoments, own: sympy.Expr) -> ScoreMoments:
    """The moments of the scores divided by their common scale.

    The answer's own part of its score is s, a mean of squares over the neurons (or a squared length at rank m) with mean
    1 and variance `own`. Given s all noise has a variance proportional to s, and so has what the answer adds to its
    competitors. Divided by sqrt s the answer has the mean E sqrt s and the second moment 1 + noise, and its part in the
    others falls from (1 + own)/d to 1/d. s is taken to be gamma with the shape 1/own, which it is at rank m.
    """
    root = sympy.exp(sympy.loggamma(1 / own + sympy.Rational(1, 2)) - sympy.loggamma(1 / own)) * sympy.sqrt(own)
    noise = moments.target_variance - own
    return replace(
        moments,
        target_mean=root + moments.target_mean - 1,
        target_variance=1 + noise - root**2,
        other_variance=moments.other_variance - own / moments.d,
        noise=noise,
    )


def gaussian_tail(z: sympy.Expr) -> sympy.Expr:
    """Phi(-z)."""
    return sympy.erfc(z / sympy.sqrt(2)) / 2


def binomial_cdf_digits(k: int, n: int, digits: int) -> Mpf:
    """P(B <= k) for B binomial(n, 1/2), the terms added from the largest down."""
    if k < 0:
        return mp.mpf(0)
    if k >= n:
        return mp.mpf(1)
    if 2 * k >= n:
        return 1 - binomial_cdf_digits(n - k - 1, n, digits)
    with mp.workdps(digits + 10):
        term = total = mp.binomial(n, k) / mp.mpf(2) ** n
        while k > 0 and term > total * mp.mpf(10) ** (-digits - 10):
            term = term * k / (n - k + 1)
            total += term
            k -= 1
        return total


def sign_sum_moments(n: Number, order: int) -> list[Number]:
    """E s^2p for p = 0..order and s a sum of n fair signs, by the cumulants of a sign (those of log cosh)."""
    cumulant = [0, *(_log_cosh_coefficient(p) for p in range(1, order + 1))]
    moment = [n * 0 + 1]
    for p in range(1, order + 1):
        choose = [int(sympy.binomial(2 * p - 1, 2 * j - 1)) for j in range(p + 1)]
        moment.append(sum(choose[j] * cumulant[j] * n * moment[p - j] for j in range(1, p + 1)))
    return moment


@cache
def _log_cosh_coefficient(p: int) -> int:
    """The cumulant of order 2p of a fair sign: 1, -2, 16, -272, ..."""
    return int(2 ** (2 * p) * (2 ** (2 * p) - 1) * sympy.bernoulli(2 * p) / (2 * p))


def _square_polynomial(k: int) -> list[int]:
    """((s + 1)^k - (s - 1)^k)^2 as the coefficients of s^0, s^2, s^4, ..."""
    # (s + 1)^k - (s - 1)^k has twice the terms with k - power odd
    half = [2 * comb(k, power) if (k - power) % 2 else 0 for power in range(k)]
    return [int(c) for c in np.convolve(np.array(half, dtype=object), np.array(half, dtype=object))][::2]


def bit_margin_digits(*, d: Mpf, k: Mpf, digits: int) -> Mpf:
    """Signal over noise of a bit of a dense memory with one other pattern, moments in integers."""
    size, power = int(d), int(k)
    moments = sign_sum_moments(size - 1, power - 1)
    square = sum(c * m for c, m in zip(_square_polynomial(power), moments, strict=True))
    return (size**power - (size - 2) ** power) / mp.sqrt(square)


def bit_margins(*, d: ArrayLike, k: ArrayLike) -> FloatArray:
    """The same in float64; in integers up to d = 64, where the moments cancel."""
    size, degree = float_arrays(d, k)
    found = np.empty(size.shape)
    for power in map(int, np.unique(degree)):
        here = degree == power
        at = size[here]
        square = sum(c * m for c, m in zip(_square_polynomial(power), sign_sum_moments(at - 1, power - 1), strict=True))
        # d^k - (d - 2)^k by the binomial theorem, all terms of one sign
        margins = -(at**power) * np.expm1(power * np.log1p(-2 / at)) / np.sqrt(square)
        for few in np.unique(at[at <= 64]):
            margins[at == few] = float(bit_margin_digits(d=few, k=power, digits=15))
        found[here] = margins
    return found


class RetrievalLimit(Special):
    """alpha_c = max over y > 0 of (erf(y)/y - 2 exp(-y^2)/sqrt pi)^2/2 = 0.1379..., patterns per neuron.

    At the maximum erf(y) = 2 y exp(-y^2)(1 + 2 y^2)/sqrt pi, and alpha_c = 8 y^4 exp(-2 y^2)/pi.
    """

    nargs = 0
    is_positive = True
    letter = r"\alpha_{{c}}"

    @staticmethod
    def floats() -> FloatArray:
        """The constant in float64."""
        return np.asarray(float(RetrievalLimit.digits()))

    @staticmethod
    def digits() -> Mpf:
        """The constant at the current precision."""

        def slope(y: Mpf) -> Mpf:
            return mp.erf(y) - 2 * y * mp.exp(-(y**2)) * (1 + 2 * y**2) / mp.sqrt(mp.pi)

        y = mp.findroot(slope, mp.mpf("1.5"))
        return 8 * y**4 * mp.exp(-2 * y**2) / mp.pi

    def _mathml_presentation(self, printer: Printer) -> Element:
        return printer._print(sympy.Symbol("alpha_c"))  # type: ignore[no-any-return]

    def _sympystr(self, printer: Printer) -> str:
        return "alpha_c"
