"""sgd-map-as-power: which power q = A p^rho the weights of the SGD map look like."""

from typing import Any

from asymp.theory.functions.sgd.fit import fitted_rho, fitted_rhos
from asymp.theory.functions.sgd.iterates import sgd_iterate_digits
from asymp.theory.law import law
from asymp.theory.laws.pieces import sgd
from asymp.theory.laws.training import GAMMA, M, N
from asymp.theory.lazy import Digits, Expr, mpmath, sympy
from asymp.theory.param import Param, choice, integer, real
from asymp.theory.sources import Condition, Source

CONVENTIONS = (
    "q(x) = f^(n_x)(0) by the SGD map, n_x = ((N + 3)/(x + 3))^2 for x = 1..N, so that p is proportional to (x + "
    "3)^-2 and n_N = 1; between "
    "whole numbers the iterates are interpolated linearly. Least squares over x = 1..N, all x alike."
)


def weight(x: Any) -> Expr:
    """q(x), interpolated between the whole numbers about n_x."""
    gamma, N, M = sympy.symbols("gamma N M", positive=True)
    n = ((N + 3) / (x + 3)) ** 2
    below = sympy.floor(n)
    return (1 - n + below) * sgd.SGDIterate(below, gamma, M) + (n - below) * sgd.SGDIterate(below + 1, gamma, M)


def fitted(*, fit: str) -> Expr:
    """The slope of the regression of log q on log p, or the rho of the least squares on linear axes."""
    N = sympy.Symbol("N", positive=True)
    x, y = sympy.symbols("x y", integer=True, positive=True)
    rho = sympy.Symbol("rho", real=True)
    if fit == "log-log":
        # The normaliser of p is in the mean of log p.
        centred = -2 * (sympy.log(x + 3) - sympy.Sum(sympy.log(y + 3), (y, 1, N)) / N)
        return sympy.Sum(centred * sympy.log(weight(x)), (x, 1, N)) / sympy.Sum(centred**2, (x, 1, N))
    power = (4 / (x + 3)) ** (2 * rho)
    if fit == "linear":
        # The best A leaves sum q^2 - (sum q p^rho)^2/sum p^(2 rho).
        best = sympy.Sum(weight(x) * power, (x, 1, N)) ** 2 / sympy.Sum(power**2, (x, 1, N))
        return sympy.Function("argmax")(sympy.Lambda(rho, best))
    residual = sympy.Sum((weight(x) - weight(sympy.Integer(1)) * power) ** 2, (x, 1, N))
    return sympy.Function("argmin")(sympy.Lambda(rho, residual))


def exact(*, gamma: Digits, N: Digits, M: Digits, fit: str, digits: int) -> Digits:
    """The fit to any number of digits: integer arithmetic for the counts, then the root of the derivative."""
    size = int(N)
    with mpmath.workdps(digits + 15):
        known: dict[int, Any] = {}

        def iterate(n: int) -> Any:
            if n not in known:
                known[n] = sgd_iterate_digits(gamma=gamma, M=M, n=n, digits=digits + 15)
            return known[n]

        q, log_p = [], []
        for x in range(1, size + 1):
            below, rest = divmod((size + 3) ** 2, (x + 3) ** 2)
            share = mpmath.mpf(rest) / (x + 3) ** 2
            q.append((1 - share) * iterate(below) + (share * iterate(below + 1) if rest else 0))
            log_p.append(2 * mpmath.log(mpmath.mpf(4) / (x + 3)))
        if fit == "log-log":
            mean = mpmath.fsum(log_p) / size
            centred = [v - mean for v in log_p]
            return mpmath.fdot(centred, [mpmath.log(v) for v in q]) / mpmath.fdot(centred, centred)

        def slope(rho: Any) -> Any:
            power = [mpmath.exp(rho * v) for v in log_p]
            scale = q[0] if fit == "anchored" else mpmath.fdot(power, q) / mpmath.fdot(power, power)
            return mpmath.fsum((a - scale * b) * b * v for a, b, v in zip(q, power, log_p, strict=True))

        start = mpmath.mpf(fitted_rho(gamma=float(gamma), N=size, M=int(M), fit=fit).rho)
        if start == 0:
            return mpmath.mpf(0)
        return mpmath.findroot(slope, (start, start * (1 + mpmath.mpf("1e-9"))), tol=mpmath.mpf(10) ** (-2 * digits))


LAWS = (
    law(
        "sgd-map-as-power",
        fitted,
        relation="=",
        params=(
            GAMMA.but(domain=real(above=0, high=100)).over(0.001, 10),
            N.but(domain=integer(3, 100_000)).over(10, 300),
            M,
            Param(
                choice("log-log", "linear", "anchored"),
                default="log-log",
                meaning="'log-log': log q on log p; 'linear': q on A p^rho with A free; "
                "'anchored': the same with A p(1)^rho = q(1)",
                name="fit",
            ),
        ),
        quantity="rho",
        title="Power that the weights of the SGD map look like, by the way of fitting",
        source=Source("asymp", "least squares on the iterates of the map"),
        conventions=CONVENTIONS,
        numeric=fitted_rhos,
        exact=exact,
    ),
    law(
        "sgd-map-as-power:source",
        "Piecewise((1, gamma < 1/100), (35/100, gamma < 1), (5/100, True))",  # the three pairs of the caption
        relation="~",
        params=(GAMMA.over(10, 10),),
        quantity="rho",
        title="Power that the weights of the SGD map look like, as the source states it",
        source=Source("cabannes2024", "Figure 5, right"),
        conventions=CONVENTIONS,
        conditions=Condition(
            lambda v: (v["gamma"] == 10) | (v["gamma"] == 0.1) | (v["gamma"] == 0.001),
            "gamma must be one of the three of the figure: 10, 0.1, 0.001",
        ),
    ),
)
