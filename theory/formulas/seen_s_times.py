"""seen-s-times: store with equal weights what was seen at least s times."""

import math
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source
from asymp.theory.storage.scheme_domain import ALPHA, CONVENTIONS, LIMIT, MEANINGS, NORMALISED

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

MEAN = " The number of stored inputs is replaced by its mean."


def mean_expression() -> "sympy.Expr":
    """(1 - 1/M) lost + (1 - lost) pi_M(sqrt(d M/n)), n = sum P(Bin >= s), lost = sum p P(Bin < s)."""
    import sympy

    from asymp.theory.recall.symbols import gaussian_error, zipf

    alpha, T, s, d, M, N = sympy.symbols("alpha T s d M N", positive=True)
    x, j = sympy.symbols("x j", integer=True, positive=True)
    p = zipf(x, alpha, N)
    seldom = sympy.Sum(sympy.binomial(T, j) * p**j * (1 - p) ** (T - j), (j, 0, s - 1))
    lost, n = sympy.Sum(p * seldom, (x, 1, N)), sympy.Sum(1 - seldom, (x, 1, N))
    return (1 - 1 / M) * lost + (1 - lost) * gaussian_error(sympy.sqrt(d * M / n), M)


def mean_numeric(**values: Any) -> Any:
    """The same in float64, vectorised."""
    from asymp.theory.storage.often_seen import seen_error

    return seen_error(**values)


def mean_exact(**values: Any) -> Any:
    """The same to any number of digits."""
    from asymp.theory.storage.often_seen import seen_error_digits

    return seen_error_digits(**values)


def stored(alpha: Any, T: Any, s: Any) -> Any:
    """n and lost to leading order in T: beta integrals, with rising factorials (s - a)_a and (s)_(1-a), a = 1/alpha."""
    import sympy

    C = 1 / sympy.zeta(alpha)
    n = (C * T) ** (1 / alpha) / sympy.RisingFactorial(s - 1 / alpha, 1 / alpha) - sympy.Rational(1, 2)
    lost = C ** (1 / alpha) / (alpha - 1) * sympy.RisingFactorial(s, 1 - 1 / alpha) * T ** (-1 + 1 / alpha)
    return n, lost


def limit_expression() -> "sympy.Expr":
    """The same with n and lost to leading order in T."""
    import sympy

    from asymp.theory.recall.symbols import gaussian_error

    alpha, T, s, d, M = sympy.symbols("alpha T s d M", positive=True)
    n, lost = stored(alpha, T, s)
    return (1 - 1 / M) * lost + (1 - lost) * gaussian_error(sympy.sqrt(d * M / n), M)


def leading(alpha: Any, T: Any, s: Any) -> Any:
    """n and lost to leading order in float64, vectorised."""
    from scipy.special import zeta

    from asymp.theory.storage.schemes import rising

    C = 1 / zeta(alpha)
    n = (C * T) ** (1 / alpha) / rising(s - 1 / alpha, 1 / alpha) - 0.5
    return n, C ** (1 / alpha) / (alpha - 1) * rising(s, 1 - 1 / alpha) * T ** (-1 + 1 / alpha)


def limit_numeric(*, alpha: Any, T: Any, s: Any, d: Any, M: Any) -> Any:
    """The leading order in float64, vectorised."""
    import numpy as np

    from asymp.theory.recall.limits import pi_M

    n, lost = leading(alpha, T, s)
    return (1 - 1 / M) * lost + (1 - lost) * np.asarray(pi_M(a=np.sqrt(d * M / n), M=M))


def limit_exact(*, alpha: Any, T: Any, s: Any, d: Any, M: Any, digits: int) -> Any:
    """The leading order to any number of digits."""
    import mpmath

    from asymp.theory.recall.gaussian_error import gaussian_error_digits

    C, a = 1 / mpmath.zeta(alpha), 1 / mpmath.mpf(alpha)
    n = (C * T) ** a * mpmath.gammaprod([s - a], [s]) - mpmath.mpf(1) / 2
    lost = C**a / (alpha - 1) * mpmath.gammaprod([s + 1 - a], [s]) * mpmath.mpf(T) ** (a - 1)
    missed = gaussian_error_digits(a=mpmath.sqrt(d * M / n), M=M, digits=digits)
    return (1 - 1 / mpmath.mpf(M)) * lost + (1 - lost) * missed


def overflow_expression() -> "sympy.Expr":
    """T^(-1+1/alpha) + d^(1-alpha) + pi_M(sqrt(d M/n)), n to leading order."""
    import sympy

    from asymp.theory.recall.symbols import gaussian_error

    alpha, T, s, d, M = sympy.symbols("alpha T s d M", positive=True)
    n = stored(alpha, T, s)[0] + sympy.Rational(1, 2)
    return T ** (-1 + 1 / alpha) + d ** (1 - alpha) + gaussian_error(sympy.sqrt(d * M / n), M)


def overflow_numeric(*, alpha: Any, T: Any, s: Any, d: Any, M: Any) -> Any:
    """The same in float64, vectorised."""
    import numpy as np

    from asymp.theory.recall.limits import pi_M

    n = leading(alpha, T, s)[0] + 0.5
    return T ** (-1 + 1 / alpha) + d ** (1 - alpha) + np.asarray(pi_M(a=np.sqrt(d * M / n), M=M))


def overflow_exact(*, alpha: Any, T: Any, s: Any, d: Any, M: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    from asymp.theory.recall.gaussian_error import gaussian_error_digits

    a = 1 / mpmath.mpf(alpha)
    n = (T / mpmath.zeta(alpha)) ** a * mpmath.gammaprod([s - a], [s])
    missed = gaussian_error_digits(a=mpmath.sqrt(d * M / n), M=M, digits=digits)
    return mpmath.mpf(T) ** (a - 1) + mpmath.mpf(d) ** (1 - alpha) + missed


def matched_expression() -> "sympy.Expr":
    """The leading order at s = max(1, T C (k d)^-alpha)."""
    import sympy

    alpha, T, d, k, s = sympy.symbols("alpha T d k s", positive=True)
    matched = sympy.Max(1, T * (k * d) ** -alpha / sympy.zeta(alpha))
    return limit_expression().subs(s, matched)


def matched_numeric(*, alpha: Any, T: Any, d: Any, M: Any, k: Any) -> Any:
    """The same in float64, vectorised."""
    import numpy as np
    from scipy.special import zeta

    s = np.maximum(1.0, T * (k * d) ** -alpha / zeta(alpha))
    return limit_numeric(alpha=alpha, T=T, s=s, d=d, M=M)


def matched_exact(*, alpha: Any, T: Any, d: Any, M: Any, k: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    s = max(mpmath.mpf(1), T * (k * d) ** -alpha / mpmath.zeta(alpha))
    return limit_exact(alpha=alpha, T=T, s=s, d=d, M=M, digits=digits)


def _some_stored(v: Any) -> Any:
    return leading(v["alpha"], v["T"], v["s"])[0] > 0


DOMAIN = {"alpha": ALPHA, "T": real(1), "s": real(1), "d": integer(1), "M": integer(2)}
MEANING = {name: MEANINGS[name] for name in DOMAIN}

LAWS = (
    law(
        "seen-s-times",
        mean_expression,
        relation="~",
        domain={
            "alpha": real(0),
            "T": integer(0),
            "s": integer(1),
            "d": integer(1),
            "M": integer(2),
            "N": integer(1, infinite=True),
        },
        typical={"alpha": (1.2, 3), "T": (100, 2000), "s": (1, 9), "d": (50, 1000), "M": (2, 8)},
        defaults={"N": math.inf},
        meanings={**MEANING, "N": MEANINGS["N"]},
        title="Equal weights on the inputs seen at least s times",
        source=Source("asymp", "n inputs stored on average, with the margin sqrt(d M/n); the rest is guessed"),
        conventions=CONVENTIONS + " " + LIMIT + MEAN,
        conditions=(NORMALISED,),
        exponents={"T": "0", "d": "0"},
        numeric=mean_numeric,
        exact=mean_exact,
        notes=(
            "At fixed s and d the error first falls like T^(-1+1/alpha), then rises to 1 - 1/M as ever more inputs are stored "
            "(N = inf); at fixed s and T it falls with d to the mass that was not seen s times. Hence both exponents 0.",
            "The factor 1 - 1/M for what the memory does not hold is that of balanced classes. An empty class, or one stored less "
            "often, is guessed less often: with N = M = 5, one input unseen and d -> inf the unseen input is wrong with "
            "probability 15/16, not 4/5 (its class has no score but 0, and the other four must all be negative).",
        ),
    ),
    law(
        "seen-s-times:source",
        "T**(-1 + 1/alpha) + d**(1 - alpha)",
        relation="<~",
        domain={"alpha": ALPHA, "T": real(1), "d": integer(1)},
        typical={"alpha": (1.2, 3), "T": (10, 1e6), "d": (10, 10_000)},
        meanings={name: MEANINGS[name] for name in ("alpha", "T", "d")},
        title="Equal weights on the inputs seen at least s times, as the source states it",
        source=Source("bietti2025", "scaling laws with finite capacity, item 3"),
        conventions=CONVENTIONS + " Up to a constant; s is not said.",
        exponents={"d": "1 - alpha", "T": "-1 + 1/alpha"},
        notes=("Each exponent is for the other variable infinite, and for s chosen well.",),
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
    law(
        "seen-s-times:overflow",
        overflow_expression,
        relation="<~",
        domain=DOMAIN,
        typical={"alpha": (1.2, 3), "T": (1e4, 1e8), "s": (1, 9), "d": (100, 10_000), "M": (2, 8)},
        meanings=MEANING,
        title="Equal weights on the inputs seen at least s times: the source's bound and what overflows",
        source=Source("asymp", "the source's two terms and the loss of the n stored inputs, pi_M(sqrt(d M/n))"),
        conventions=CONVENTIONS + " N = inf. " + LIMIT + MEAN + " Up to a constant that depends on s.",
        exponents={"T": "0", "d": "0"},
        numeric=overflow_numeric,
        exact=overflow_exact,
        notes=("n = (C T)^(1/alpha) Gamma(s - 1/alpha)/Gamma(s); the last term is what the source leaves out.",),
    ),
    law(
        "seen-s-times:asymptotic",
        limit_expression,
        relation="~",
        domain=DOMAIN,
        typical={"alpha": (1.2, 3), "T": (1e4, 1e8), "s": (1, 9), "d": (100, 10_000), "M": (2, 8)},
        meanings=MEANING,
        title="Equal weights on the inputs seen at least s times, many samples",
        source=Source("asymp", "beta integrals for n and the mass lost"),
        conventions=CONVENTIONS + " N = inf. " + LIMIT + MEAN,
        conditions=(
            Condition(
                _some_stored, "T must be large enough for an input to be seen s times: the expansion is for large T"
            ),
        ),
        exponents={"T": "0", "d": "0"},
        numeric=limit_numeric,
        exact=limit_exact,
        notes=(
            "n ~ (C T)^(1/alpha) Gamma(s - 1/alpha)/Gamma(s) - 1/2 inputs are stored, and the mass lost is about "
            "C^(1/alpha)/(alpha-1) Gamma(s + 1 - 1/alpha)/Gamma(s) T^(-1+1/alpha), which is the missing mass at s = 1. "
            "Relative errors of n and lost are of order 1/T and below.",
        ),
    ),
    law(
        "seen-s-times:matched",
        matched_expression,
        relation="~",
        domain={"alpha": ALPHA, "T": real(1), "d": integer(1), "M": integer(2), "k": real(above=0)},
        typical={"alpha": (1.2, 3), "T": (1e4, 1e8), "d": (100, 10_000), "M": (2, 8)},
        defaults={"k": 0.125},
        meanings={name: MEANINGS[name] for name in ("alpha", "T", "d", "M", "k")},
        title="Equal weights on the inputs seen about as often as the (k d)-th is expected to be",
        source=Source("asymp", "s = max(1, T C (k d)^-alpha)"),
        conventions=CONVENTIONS + " N = inf. " + LIMIT + MEAN + " s need not be whole.",
        conditions=(
            Condition(
                lambda v: leading(v["alpha"], v["T"], _matched(v))[0] > 0,
                "T must be large enough for an input to be seen s times: the expansion is for large T",
            ),
        ),
        exponents={"T": "0", "d": "0"},
        numeric=matched_numeric,
        exact=matched_exact,
        notes=(
            "As T grows at fixed d it tends to (1 - 1/M) C (k d)^(1-alpha)/(alpha-1) + pi_M(sqrt(M/k)): the source's second term, "
            "and the floor. While s = 1 it falls like the missing mass.",
        ),
    ),
)


def _matched(v: Any) -> Any:
    import numpy as np
    from scipy.special import zeta

    return np.maximum(1.0, v["T"] * (v["k"] * v["d"]) ** -v["alpha"] / zeta(v["alpha"]))
