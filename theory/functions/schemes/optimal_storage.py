"""The best weights for a memory of dimension d: minimise sum_x p(x) pi_M(a_x) subject to sum_x a_x^2 = d M.

With gaussian embeddings, d large and balanced classes an input of weight q is recalled with the error pi_M(a), where a
= q sqrt(d/S_y) and S_y = (sum q^2)/M: the margins are the weights in units that make sum a^2 = d M. The weights q* are
the best margins, up to a common factor. At the price lambda each input takes the margin that minimises p pi_M(a) +
lambda a^2 (see margin_cost); lambda is set by the budget d M. Rare inputs get a = p |pi_M'(0)|/(2 lambda), frequent
ones about 2 sqrt(log(p/lambda)); no input gets 0.

For a Zipf law with N = inf and alpha > 1, d -> inf turns the sums into integrals over a = a*(x), and one integration by
parts makes both the same, with psi(a) = -pi_M'(a)/(2 a):

    d M = (C/lambda)^(1/alpha) I,   E = lambda d M/(alpha - 1),   I = integral over a > 0 of 2 a psi(a)^(1/alpha),
    E ~ c* d^(1-alpha),   c* = C M^(1-alpha) I^alpha/(alpha - 1).

From M = 46 on the cost is not convex in a^2 and the best margin jumps; psi is then the slope of the convex hull. One
input at most sits between the two ends of the jump, so that error and dual bound (`lower`) differ by a share of one
input.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, check_whole, check_zipf, float_arrays, real_array, require
from asymp.theory.functions.recall.gaussian_error import pi_M
from asymp.theory.functions.schemes.margin_cost import MarginCost, log_error, log_slope, make_cost
from asymp.theory.functions.zipf.law import normaliser, zipf_tail
from asymp.theory.functions.zipf.smooth_sums import sum_nodes
from asymp.theory.lazy import integrate, optimize

FAINT = -30.0
"""Infinite laws are cut where log(p/lambda) falls below this: a^2 is below e^-60 there, and pi_M = 1 - 1/M."""


@dataclass(frozen=True)
class Inputs:
    """The inputs: a Zipf law (alpha, N and log C) or an array of log p, sorted from frequent to rare."""

    alpha: float
    N: float
    log_C: float
    log_p: FloatArray | None = None

    def log_mass(self, x: ArrayLike) -> FloatArray:
        """log p of the x-th most frequent input."""
        if self.log_p is not None:
            return self.log_p[np.asarray(x, dtype=np.int64) - 1]
        return np.asarray(self.log_C - self.alpha * np.log(x))

    def count_above(self, level: float) -> int:
        """The number of inputs with log p > level."""
        if self.log_p is not None:
            return int(np.searchsorted(-self.log_p, -level))
        x = math.exp(min((self.log_C - level) / self.alpha, 700.0))
        return int(min(math.ceil(x) - 1, self.N))

    def nodes(self, first: int, last: float, steep: float) -> tuple[FloatArray, FloatArray]:
        """log p and multiplicities to sum functions of p over inputs first..last, smooth except about log p = steep."""
        if self.log_p is not None:
            part = self.log_p[first - 1 : int(min(last, self.N))]
            return part, np.ones(part.shape)
        x, w = sum_nodes(first=first, last=int(last), steep=math.exp(min((self.log_C - steep) / self.alpha, 700.0)))
        return self.log_mass(x), w


@dataclass(frozen=True)
class OptimalStorage:
    """The best margins for d and M: their error, the dual lower bound on it, and the price (log lambda) of a^2."""

    M: int
    d: float
    error: float
    log_error: float
    lower: float
    log_price: float
    inputs: Inputs
    split: int = 0
    split_margin: float = 0.0

    def margins(self, x: ArrayLike) -> FloatArray:
        """a of the x-th most frequent inputs; the weights q* are proportional to them."""
        ranks = real_array("x", x)
        require(
            "x", ranks, (ranks >= 1) & (ranks <= self.inputs.N) & (ranks == np.floor(ranks)), "an integer 1 <= x <= N"
        )
        level = self.inputs.log_mass(ranks) - self.log_price
        found = make_cost(self.M).margin(level, upper=ranks < self.split if self.split else None)
        return np.where(ranks == self.split, self.split_margin, found)


def optimal_weights(
    *, M: int, d: float, alpha: float | None = None, N: float = math.inf, p: ArrayLike | None = None
) -> OptimalStorage:
    """The best margins of a memory, under a Zipf law or any law p of the inputs.

    Relative error of the error about 1e-11 (M <= 45); beyond, error and lower enclose the best one.

    Args:
        M: number of outputs, >= 2.
        d: dimension of the memory, any real number > 0.
        alpha: exponent of the Zipf law, >= 0; above 1 where N is infinite.
        N: number of inputs of the Zipf law, a whole number or math.inf.
        p: probabilities of the inputs, in place of alpha and N; they are sorted, and inputs of probability 0 dropped.
    """
    M, d = check_whole("M", M, 2), float(real_array("d", d))
    if not d > 0:
        raise ValueError(f"d must satisfy: d > 0; got {d}")
    inputs = _inputs(alpha, N, p)
    cost = make_cost(M)
    log_budget = math.log(d * M)

    def excess(log_price: float) -> float:
        return _log_spent(inputs, cost, log_price) - log_budget

    low = high = float(inputs.log_mass(1))
    width = 1.0
    while excess(low) <= 0:
        high, low, width = low, low - width, 2 * width
    while excess(high) > 0:
        low, high, width = high, high + width, 2 * width
    log_price = float(optimize.brentq(excess, low, high, xtol=1e-13, rtol=1e-14))
    return _finish(inputs, cost, d, log_price)


def optimal_constants(*, alpha: ArrayLike, M: ArrayLike) -> FloatArray:
    """c*(alpha, M) in E ~ c* d^(1-alpha) for the best weights, N = inf, alpha > 1; relative error about 1e-10.

    Arrays broadcast; points of one M share their integrals' nodes.
    """
    a, outputs = float_arrays(alpha, M)
    integral = np.empty(a.shape)
    for size in np.unique(outputs):
        here = outputs == size
        different, where = np.unique(a[here], return_inverse=True)
        if make_cost(int(size)).jump is None:
            found = smooth_integrals(different, int(size))
        else:
            found = np.array([_hull_integral(float(one), int(size)) for one in different])
        integral[here] = found[where]
    return np.asarray(normaliser(alpha=a) * outputs ** (1 - a) * integral**a / (a - 1))


def _inputs(alpha: float | None, N: float, p: ArrayLike | None) -> Inputs:
    if (alpha is None) == (p is None):
        raise ValueError("give either alpha (a Zipf law) or p (any law), not both")
    if p is not None:
        masses = real_array("p", p).ravel()
        require("p", masses, masses >= 0, "p >= 0")
        masses = np.sort(masses[masses > 0])[::-1]
        if not masses.size or not math.isclose(masses.sum(), 1, rel_tol=1e-9):
            raise ValueError(f"p must sum to 1, got {masses.sum()}")
        return Inputs(alpha=0.0, N=masses.size, log_C=0.0, log_p=np.log(masses))
    assert alpha is not None
    a, n = check_zipf(alpha, N)
    if a.ndim or n.ndim:
        raise ValueError("alpha and N must be single numbers here, got arrays")
    C = float(normaliser(alpha=a, N=n))
    if a == 0:
        # Equal inputs: the count of those above a level is a step, which only an array can split.
        if n > 1e7:
            raise ValueError(f"N must satisfy: N <= 1e7 at alpha = 0; got {float(n):g}")
        return Inputs(alpha=0.0, N=float(n), log_C=math.log(C), log_p=np.full(int(n), math.log(C)))
    return Inputs(alpha=float(a), N=float(n), log_C=math.log(C))


def _pieces(
    inputs: Inputs, cost: MarginCost, log_price: float, upper: int
) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """Levels log(p/lambda), multiplicities and margins, the first `upper` inputs on the upper branch; the last one."""
    last = inputs.N if math.isfinite(inputs.N) else max(inputs.count_above(log_price + FAINT), upper + 1)
    parts = [(1, upper, True), (upper + 1, last, False)] if cost.jump is not None else [(1, last, True)]
    levels, counts, margins = [], [], []
    for first, end, branch in parts:
        log_p, w = inputs.nodes(first, end, log_price + cost.steep)
        levels.append(log_p - log_price)
        counts.append(w)
        margins.append(cost.margin(levels[-1], upper=branch))
    return np.concatenate(levels), np.concatenate(counts), np.concatenate(margins), int(last)


def _log_spent(inputs: Inputs, cost: MarginCost, log_price: float) -> float:
    """log sum a^2 at a price."""
    upper = 0 if cost.jump is None else inputs.count_above(log_price + cost.jump.level)
    _, w, a, _ = _pieces(inputs, cost, log_price, upper)
    return float(np.log(w @ a**2))


def _finish(inputs: Inputs, cost: MarginCost, d: float, log_price: float) -> OptimalStorage:
    """The solution at the right price; where the best margin jumps, one input may take what is left of the budget."""
    budget, split, split_margin, upper = d * cost.M, 0, 0.0, 0
    if cost.jump is not None:
        # At the price where spending jumps over the budget, the inputs on the edge are distinguished by their rank.
        edge = log_price + cost.jump.level
        upper = inputs.count_above(edge + 1e-9)
        tied = inputs.count_above(edge - 1e-9) - upper
        _, w, a, _ = _pieces(inputs, cost, log_price, upper)
        left = budget - float(w @ a**2)
        gain = cost.jump.high**2 - cost.jump.low**2
        if tied and left > 1e-9 * budget:
            raised = min(int(left / gain), tied - 1)
            upper += raised
            split = upper + 1
            split_margin = math.sqrt(cost.jump.low**2 + left - raised * gain)
    levels, w, a, last = _pieces(inputs, cost, log_price, upper)
    logs = np.log(w) + levels + log_error(a, cost.M)
    top = float(logs.max())
    total = float(np.exp(logs - top).sum())
    spent = float(w @ a**2)
    # The dual value at this price, in units of the price: no storage has a smaller error.
    gap = spent - budget
    if split and cost.jump is not None:
        here = float(inputs.log_mass(split)) - log_price
        change = float(pi_M(a=split_margin, M=cost.M)) - float(pi_M(a=cost.jump.low, M=cost.M))
        dual, total = total + gap * math.exp(-top), total + change * math.exp(here - top)
    else:
        dual = total
    rest = 0.0
    if math.isinf(inputs.N):
        rest = (1 - 1 / cost.M) * float(zipf_tail(alpha=inputs.alpha, P=last)) * math.exp(-log_price - top)
    log_value = math.log(total + rest) + log_price + top
    lower = math.exp(math.log(dual + rest) + log_price + top)
    return OptimalStorage(
        M=cost.M,
        d=d,
        error=math.exp(log_value),
        log_error=log_value,
        lower=min(lower, math.exp(log_value)),
        log_price=log_price,
        inputs=inputs,
        split=split,
        split_margin=split_margin,
    )


def _hull_integral(alpha: float, M: int) -> float:
    """I = integral of 2 a psi(a)^(1/alpha) = (2 a)^(1 - 1/alpha) (-pi_M')^(1/alpha) where there is a jump.

    psi is the slope of the convex hull, constant between the two ends of the jump.
    """
    jump = make_cost(M).jump
    assert jump is not None

    def integrand(a: float) -> float:
        if a == 0:
            return 0.0
        return float(np.exp((1 - 1 / alpha) * math.log(2 * a) + log_slope(a, M) / alpha))

    def integral(low: float, high: float) -> float:
        return float(integrate.quad(integrand, low, high, epsabs=0, epsrel=1e-12, limit=200)[0])

    end = _end(alpha, M)
    flat = (jump.high**2 - jump.low**2) * math.exp(-jump.level / alpha)
    middle = jump.high + end / 2
    return integral(0, jump.low) + flat + integral(jump.high, middle) + integral(middle, middle + end / 2)


def smooth_integrals(alpha: FloatArray, M: int) -> FloatArray:
    """I for an array of alpha at one M without a jump.

    In y = log a the integrand falls like exp((2 - 1/alpha) y) to the left and double exponentially to the right: the
    trapezoidal rule, exponentially accurate. The nodes, and so the slopes of pi_M, are the same for every alpha.
    """
    low, high = -40 / (2 - 1 / float(alpha.min())), math.log(_end(float(alpha.max()), M))
    y = np.arange(low, high, 1 / 32)
    slope, found = log_slope(np.exp(y), M), np.empty(alpha.shape)
    for start in range(0, alpha.size, 256):  # to bound the memory
        share = 1 / alpha[start : start + 256, None]
        found[start : start + 256] = np.exp((2 - share) * y + slope * share).sum(axis=1)
    return found * 2 ** (1 - 1 / alpha) / 32


def _end(alpha: float, M: int) -> float:
    """A margin beyond which nothing is left: -pi_M' falls like exp(-a^2/4) beyond 2 sqrt(log M)."""
    return 4 * math.sqrt(math.log(M)) + 13 * math.sqrt(alpha)
