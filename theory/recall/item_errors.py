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

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath
import numpy as np
import sympy

from asymp.theory.compiled import numpy_function

__all__ = [
    "RetrievalLimit",
    "ScoreMoments",
    "binomial_cdf_digits",
    "gaussian_output_error",
    "gaussian_tail",
    "half_of_items",
    "item_error",
    "item_error_digits",
    "item_error_expression",
    "normal_average_digits",
    "sign_sum_moments",
    "size_of",
    "size_of_log",
    "sphere_tail",
]

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


def _margin(lib: Any, x: Any, mean: Any, other: Any, var: Any, var_other: Any, noise: Any, d: Any, c: Any) -> Any:
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
def _compiled(moments: ScoreMoments, names: tuple[str, ...], module: str) -> Callable[..., Any]:
    symbols = {s.name: s for part in moments.parts for s in part.free_symbols}
    arguments = [symbols.get(name, sympy.Symbol(name)) for name in names]
    if module == "numpy":
        return numpy_function(arguments, moments.parts)
    return sympy.lambdify(arguments, moments.parts, modules=module)  # type: ignore[no-any-return]


def item_error(moments: ScoreMoments, values: Mapping[str, Any], *, reach: float = REACH, steps: int = STEPS) -> Any:
    """E[1 - Phi(z)^c] in float64, vectorised: relative error about 1e-12 by the rule's default steps."""
    from scipy.special import log_ndtr

    parts = _compiled(moments, tuple(values), "numpy")(*values.values())
    grid = np.broadcast_arrays(*parts, *values.values())
    flat = [np.asarray(a, dtype=float).reshape(-1, 1) for a in grid[: len(parts)]]
    x = np.linspace(-reach, reach, steps + 1)
    weight = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
    total = np.empty(len(flat[0]))
    for start in range(0, len(total), CHUNK):
        piece = [a[start : start + CHUNK] for a in flat]
        lost = -np.expm1(piece[-1] * log_ndtr(_margin(np, x, *piece)))
        total[start : start + CHUNK] = lost @ weight
    return total.reshape(grid[0].shape)


def half_of_items(moments: ScoreMoments, values: Mapping[str, Any], size: str, *, smallest: Any = 3.0) -> Any:
    """The value of `size` at which an item is lost half of the time, vectorised, relative error 1e-10."""
    from asymp.theory.recall.half_size import half_sizes

    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in values.values()), smallest)
    flat = dict(zip(values, (a.ravel() for a in arrays), strict=False))

    def error(N: Any, rows: Any, rough: bool) -> Any:
        # An error of one half comes from |x| < 9 alone; the rough rule is good to about 1e-4.
        point = {name: entries[rows] for name, entries in flat.items()}
        return item_error(moments, {**point, size: N}, reach=9.0, steps=54 if rough else 288)

    return half_sizes(error, arrays[-1].ravel()).reshape(arrays[-1].shape)


def item_error_digits(moments: ScoreMoments, values: Mapping[str, Any], digits: int) -> Any:
    """E[1 - Phi(z)^c] as an mpmath number."""
    parts = _compiled(moments, tuple(values), "mpmath")(*values.values())

    def lost(x: Any) -> Any:
        return _power_complement(_margin(mpmath, x, *parts), parts[-1])

    return normal_average_digits(lost, digits)


def _power_complement(z: Any, c: Any) -> Any:
    """1 - Phi(z)^c without cancellation."""
    log_phi = mpmath.log1p(-mpmath.ncdf(-z)) if z > 0 else mpmath.log(mpmath.ncdf(z))
    return -mpmath.expm1(c * log_phi)


def normal_average_digits(function: Callable[[Any], Any], digits: int) -> Any:
    """E f(x), x standard normal and 0 <= f <= 1, by the trapezoidal rule: the step is halved until nothing changes.

    For f analytic in a strip the error falls like exp(-const/step), so that the last halving squares it.
    """
    with mpmath.workdps(digits + 10):
        goal = mpmath.mpf(10) ** (-digits)
        root = mpmath.sqrt(2 * mpmath.pi)

        def term(x: Any) -> Any:
            return mpmath.exp(-(x**2) / 2) / root * function(x)

        def swept(step: Any, offset: Any, floor: Any) -> Any:
            # outwards from the middle in both directions, until the normal density alone is below the floor
            total, x = mpmath.mpf(0), offset
            while mpmath.exp(-(x**2) / 2) > floor:
                total += term(x) + (term(-x) if x else 0)
                x += step
            return total * step

        rough = swept(mpmath.mpf(1) / 4, mpmath.mpf(0), mpmath.mpf(10) ** -(digits + 200))
        if rough == 0:
            return rough
        floor, step = goal * rough / 1000, mpmath.mpf(1) / 8
        value = swept(step, mpmath.mpf(0), floor)
        while step > mpmath.mpf(2) ** -12:
            finer = (value + swept(step, step / 2, floor)) / 2
            step /= 2
            if abs(finer - value) <= mpmath.sqrt(goal) * abs(finer) / 1000:
                # the error of `value` is at most this change; that of `finer` is its square
                return finer
            value = finer
        raise ValueError(f"the average over a normal does not settle to {digits} digits")


def size_of_log(log_x: Any) -> Any:
    """n with n log n = x, for log x: exp(W0(x)) = x/W0(x) in the log domain, where x itself may overflow."""
    from scipy.special import wrightomega

    return np.exp(log_x - np.log(wrightomega(np.asarray(log_x, dtype=float))))


def size_of(argument: sympy.Expr, values: Mapping[str, Any]) -> Any:
    """n with n log n = argument, an expression in the names of `values`, vectorised."""
    return size_of_log(np.log(_compiled_one(argument, tuple(values))(*values.values())))


@cache
def _compiled_one(expression: sympy.Expr, names: tuple[str, ...]) -> Callable[..., Any]:
    symbols = {s.name: s for s in expression.free_symbols}
    arguments = [symbols.get(name, sympy.Symbol(name)) for name in names]
    return numpy_function(arguments, expression)


def gaussian_tail(z: Any) -> sympy.Expr:
    """Phi(-z)."""
    return sympy.erfc(z / sympy.sqrt(2)) / 2


def sphere_tail(t: Any, d: Any) -> sympy.Expr:
    """P(u.u' > t), 0 <= t <= 1, for two points of the unit sphere of R^d: (u.u')^2 is Beta(1/2, (d - 1)/2)."""
    return sympy.betainc_regularized((d - 1) / 2, sympy.Rational(1, 2), 0, 1 - t**2) / 2


def binomial_cdf_digits(k: int, n: int, digits: int) -> Any:
    """P(B <= k) for B binomial(n, 1/2), the terms added from the largest down."""
    if k < 0:
        return mpmath.mpf(0)
    if k >= n:
        return mpmath.mpf(1)
    if 2 * k >= n:
        return 1 - binomial_cdf_digits(n - k - 1, n, digits)
    with mpmath.workdps(digits + 10):
        term = total = mpmath.binomial(n, k) / mpmath.mpf(2) ** n
        while k > 0 and term > total * mpmath.mpf(10) ** (-digits - 10):
            term = term * k / (n - k + 1)
            total += term
            k -= 1
        return total


def sign_sum_moments(n: Any, order: int) -> list[Any]:
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


def _chi_square_rule(d: Any, nodes: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Gauss nodes and weights for chi-square_d/d at each d: eigenvalues of the Jacobi matrix of the Laguerre polynomials."""
    different, place = np.unique(np.asarray(d, dtype=float), return_inverse=True)
    k, a = np.arange(nodes), different[:, None] / 2 - 1
    matrix = np.zeros((different.size, nodes, nodes))
    matrix[:, k, k] = 2 * k + 1 + a
    matrix[:, k[:-1], k[1:]] = matrix[:, k[1:], k[:-1]] = np.sqrt(k[1:] * (k[1:] + a))
    values, vectors = np.linalg.eigh(matrix)
    return (2 * values / different[:, None])[place], (vectors[:, 0, :] ** 2)[place]


def gaussian_output_error(*, d: Any, N: Any, length: Any, spread: Any, rough: bool = False) -> Any:
    """The item error of N injective memories with gaussian outputs, in float64, relative error about 1e-5.

    h = r u_z + sum_x xi_x u_x/sqrt d has the component a = r t + sqrt(N - 1)/d eta along u_z, t = |u_z|, and the rest
    w^2 = (N - 1)(d - 1) h/d^2 with h = chi-square_(d-1)/(d - 1). Given these the N - 1 competitors are exchangeable
    normals of variance (a^2 + w^2)(N - 2)/(d (N - 1)) + (h (1 - 1/d) + a eta/sqrt(N - 1))^2/d, exactly so but for the
    lengths of two vectors of R^(N-1), put at their means. r has mean `length` and standard deviation `spread`, and is
    drawn together with eta as one normal.
    """
    shape = np.broadcast_shapes(*(np.shape(v) for v in (d, N, length, spread)))
    flat = [np.broadcast_to(np.asarray(v, dtype=float), shape).ravel() for v in (d, N, length, spread)]
    found = np.empty(flat[0].size)
    # At small d the lengths vary so much that every place in x may matter; else only the places about the peak do. The
    # steepest part, 1 - Phi^N, is analytic within 0.6 of the axis: a step of 0.3 leaves e^(-2 pi 0.6/0.3) = 4e-6.
    few = flat[0] < 16
    for rows, step, window in ((few, 0.15, None), (~few, 0.6 if rough else 0.3, 6.0 if rough else 7.0)):
        chosen = np.flatnonzero(rows)
        for start in range(0, chosen.size, 64):
            part = chosen[start : start + 64]
            nodes = (4, 3) if rough else (8, 6)
            found[part] = _gaussian_output_block([v[part] for v in flat], step, window, nodes)
    return found.reshape(shape)


def _gaussian_output_block(given: list[Any], step: float, window: float | None, nodes: tuple[int, int]) -> Any:
    """The errors at arrays d, N, length and spread of one dimension."""
    from scipy.special import log_ndtr

    d, N, length, spread = (v[:, None, None, None] for v in given)
    noise = np.sqrt(N - 1) / d

    def lost(t: Any, h: Any, x: Any) -> Any:
        total = np.sqrt((t * spread) ** 2 + noise**2)
        a = length * t + total * x
        own = h * (1 - 1 / d) + a * (noise / total / np.sqrt(N - 1) * x)
        V = ((a**2 + (N - 1) * (d - 1) / d**2 * h) * ((N - 2) / (N - 1)) + own**2) / d
        return -np.expm1((N - 1) * log_ndtr(t * a / np.sqrt(V)))

    x = np.arange(-20.0, 8.1, step)
    if window is not None:
        one, coarse = np.ones(1), np.arange(-20.0, 8.1, 0.6)
        peak = coarse[np.argmax(lost(one, one, coarse) * np.exp(-(coarse**2) / 2), axis=-1)]
        x = peak[..., None] + np.arange(-window, window + 0.01, step)
    t_square, t_weight = _chi_square_rule(d.ravel(), nodes[0])
    h, h_weight = _chi_square_rule(d.ravel() - 1, nodes[1])
    weight = np.exp(-(x**2) / 2) * (step / np.sqrt(2 * np.pi))
    values = (lost(np.sqrt(t_square)[:, :, None, None], h[:, None, :, None], x) * weight).sum(axis=-1)
    return np.einsum("it,ith,ih->i", t_weight, values, h_weight)


class RetrievalLimit(sympy.NumberSymbol):  # type: ignore[misc]
    """alpha_c = max over y > 0 of (erf(y)/y - 2 exp(-y^2)/sqrt pi)^2/2 = 0.1379..., patterns per neuron.

    At the maximum erf(y) = 2 y exp(-y^2)(1 + 2 y^2)/sqrt pi, and alpha_c = 8 y^4 exp(-2 y^2)/pi.
    """

    is_real = True
    is_positive = True
    is_irrational = None

    def _as_mpf_val(self, prec: int) -> Any:
        with mpmath.workprec(prec + 20):
            return self.digits()._mpf_

    @staticmethod
    def digits() -> Any:
        """The constant at the current precision."""

        def slope(y: Any) -> Any:
            return mpmath.erf(y) - 2 * y * mpmath.exp(-(y**2)) * (1 + 2 * y**2) / mpmath.sqrt(mpmath.pi)

        y = mpmath.findroot(slope, mpmath.mpf("1.5"))
        return 8 * y**4 * mpmath.exp(-2 * y**2) / mpmath.pi

    def approximation_interval(self, number_cls: Any) -> Any:
        """Rational bounds, for SymPy."""
        if issubclass(number_cls, sympy.Rational):
            return sympy.Rational(137, 1000), sympy.Rational(138, 1000)
        return None

    def _latex(self, printer: Any) -> str:
        return r"\alpha_{c}"

    def _mathml_presentation(self, printer: Any) -> Any:
        return printer._print(sympy.Symbol("alpha_c"))

    def _sympystr(self, printer: Any) -> str:
        return "alpha_c"
