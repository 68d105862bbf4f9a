"""seen-s-times: store with equal weights what was seen at least s times."""

from functools import partial
from typing import Any

from asymp.theory.functions.numerics import rising
from asymp.theory.functions.recall.gaussian_error import pi_M
from asymp.theory.functions.schemes.often_seen import seen_error, seen_error_digits
from asymp.theory.law import law
from asymp.theory.laws.pieces import symbols
from asymp.theory.laws.scaling import ALPHA, ANY_ALPHA, CONVENTIONS, LIMIT, NORMALISED, D, K, M, N, T
from asymp.theory.lazy import Expr, Floats, np, special, sympy
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Condition, Erratum, Source

TIMES = Param(real(1), (1, 9), meaning="how often an input must be seen to be stored", name="s")
PARAMS = (ALPHA, T.but(domain=real(1), default=None).over(10000, 1e8), TIMES, D.over(100, 10_000), M)

MEAN = " The number of stored inputs is replaced by its mean."


def mean_expression() -> Expr:
    """(1 - 1/M) lost + (1 - lost) pi_M(sqrt(d M/n)), n = sum P(Bin >= s), lost = sum p P(Bin < s)."""
    alpha, T, s, d, M, N = sympy.symbols("alpha T s d M N", positive=True)
    x, j = sympy.symbols("x j", integer=True, positive=True)
    p = symbols.zipf(x, alpha, N)
    seldom = sympy.Sum(sympy.binomial(T, j) * p**j * (1 - p) ** (T - j), (j, 0, s - 1))
    lost, n = sympy.Sum(p * seldom, (x, 1, N)), sympy.Sum(1 - seldom, (x, 1, N))
    return (1 - 1 / M) * lost + (1 - lost) * symbols.GaussianError(sympy.sqrt(d * M / n), M)


def stored(alpha: Any, T: Any, s: Any) -> Any:
    """n and lost to leading order in T: beta integrals, with rising factorials (s - a)_a and (s)_(1-a), a = 1/alpha."""
    C = 1 / sympy.zeta(alpha)
    n = (C * T) ** (1 / alpha) / sympy.RisingFactorial(s - 1 / alpha, 1 / alpha) - sympy.Rational(1, 2)
    lost = C ** (1 / alpha) / (alpha - 1) * sympy.RisingFactorial(s, 1 - 1 / alpha) * T ** (-1 + 1 / alpha)
    return n, lost


def limit_expression() -> Expr:
    """The same with n and lost to leading order in T."""
    alpha, T, s, d, M = sympy.symbols("alpha T s d M", positive=True)
    n, lost = stored(alpha, T, s)
    return (1 - 1 / M) * lost + (1 - lost) * symbols.GaussianError(sympy.sqrt(d * M / n), M)


def leading(alpha: Any, T: Any, s: Any) -> Any:
    """n and lost to leading order in float64, vectorised."""
    C = 1 / special.zeta(alpha)
    n = (C * T) ** (1 / alpha) / rising(s - 1 / alpha, 1 / alpha) - 0.5
    return n, C ** (1 / alpha) / (alpha - 1) * rising(s, 1 - 1 / alpha) * T ** (-1 + 1 / alpha)


def overflow_expression() -> Expr:
    """T^(-1+1/alpha) + d^(1-alpha) + pi_M(sqrt(d M/n)), n to leading order."""
    alpha, T, s, d, M = sympy.symbols("alpha T s d M", positive=True)
    n = stored(alpha, T, s)[0] + sympy.Rational(1, 2)
    return T ** (-1 + 1 / alpha) + d ** (1 - alpha) + symbols.GaussianError(sympy.sqrt(d * M / n), M)


def overflow_numeric(*, alpha: Floats, T: Floats, s: Floats, d: Floats, M: Floats) -> Floats:
    """The same in float64, vectorised."""
    n = leading(alpha, T, s)[0] + 0.5
    return np.asarray(T ** (-1 + 1 / alpha) + d ** (1 - alpha) + np.asarray(pi_M(a=np.sqrt(d * M / n), M=M)))


def matched_expression() -> Expr:
    """The leading order at s = max(1, T C (k d)^-alpha)."""
    alpha, T, d, k, s = sympy.symbols("alpha T d k s", positive=True)
    return limit_expression().subs(s, sympy.Max(1, T * (k * d) ** -alpha / sympy.zeta(alpha)))


def matched(alpha: Floats, T: Floats, d: Floats, k: Floats) -> Floats:
    """s = max(1, T C (k d)^-alpha)."""
    return np.asarray(np.maximum(1.0, T * (k * d) ** -alpha / special.zeta(alpha)))


def matched_numeric(*, alpha: Floats, T: Floats, d: Floats, M: Floats, k: Floats) -> Floats:
    """The same in float64, vectorised."""
    n, lost = leading(alpha, T, matched(alpha, T, d, k))
    return np.asarray((1 - 1 / M) * lost + (1 - lost) * np.asarray(pi_M(a=np.sqrt(d * M / n), M=M)))


declare = partial(law, relation="~", exponents={"T": "0", "d": "0"})
LAWS = (
    declare(
        "seen-s-times",
        mean_expression,
        params=(
            ANY_ALPHA,
            T.but(domain=integer(0), default=None).over(100, 2000),
            TIMES.but(domain=integer(1)),
            D.over(50, 1000),
            M,
            N,
        ),
        title="Equal weights on the inputs seen at least s times",
        source=Source("asymp", "n inputs stored on average, with the margin sqrt(d M/n); the rest is guessed"),
        conventions=CONVENTIONS + " " + LIMIT + MEAN,
        conditions=NORMALISED,
        numeric=seen_error,
        exact=seen_error_digits,
    ),
    declare(
        "seen-s-times:source",
        "T**(-1 + 1/alpha) + d**(1 - alpha)",
        relation="<~",
        params=(ALPHA, T.but(domain=real(1), default=None).over(10, 1e6), D),
        title="Equal weights on the inputs seen at least s times, as the source states it",
        source=Source("bietti2025", "scaling laws with finite capacity, item 3"),
        conventions=CONVENTIONS + " Up to a constant; s is not said.",
        exponents={"d": "1 - alpha", "T": "-1 + 1/alpha"},
        errata=(
            Erratum(
                regime="s fixed, T growing, N >> d.",
                discrepancy="The number of stored inputs grows like T^(1/alpha) and overflows the memory: the error tends to "
                "1 - 1/M. At alpha = 2, M = 5, d = 1000, s = 1 it is 0.0056 at T = 1e4, 0.24 at T = 1e6 and 0.71 at T = 1e9.",
                corrected_by="seen-s-times:overflow",
            ),
            Erratum(
                regime="s ~ T C (k d)^-alpha, T >> d^alpha, large d.",
                discrepancy="Holds down to the floor pi_M(sqrt(M/k)) only, as for `threshold-scheme`.",
                corrected_by="seen-s-times:matched",
            ),
        ),
    ),
    declare(
        "seen-s-times:overflow",
        overflow_expression,
        relation="<~",
        params=PARAMS,
        title="Equal weights on the inputs seen at least s times: the source's bound and what overflows",
        source=Source("asymp", "the source's two terms and the loss of the n stored inputs, pi_M(sqrt(d M/n))"),
        conventions=CONVENTIONS + " N = inf. " + LIMIT + MEAN + " Up to a constant that depends on s.",
        numeric=overflow_numeric,
    ),
    declare(
        "seen-s-times:matched",
        matched_expression,
        params=(ALPHA, T.but(domain=real(1), default=None).over(10000, 1e8), D.over(100, 10_000), M, K),
        title="Equal weights on the inputs seen about as often as the (k d)-th is expected to be",
        source=Source("asymp", "s = max(1, T C (k d)^-alpha)"),
        conventions=CONVENTIONS + " N = inf. " + LIMIT + MEAN + " s need not be whole.",
        conditions=Condition(
            lambda v: leading(v["alpha"], v["T"], matched(v["alpha"], v["T"], v["d"], v["k"]))[0] > 0,
            "T must be large enough for an input to be seen s times: the expansion is for large T",
        ),
        numeric=matched_numeric,
    ),
)
