"""joint-law: few dimensions and few samples together."""

import math
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source
from asymp.theory.storage.scheme_domain import ALPHA, LIMIT, MEANINGS

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

NAMES = ("alpha", "T", "d", "M", "k")
DOMAIN = {"alpha": ALPHA, "T": real(0, infinite=True), "d": integer(1), "M": integer(2), "k": real(above=0)}
CONVENTIONS = (
    "q = 1 on the inputs x <= P = k d seen in T samples, N = inf; what is not stored is guessed among M outputs."
)


def sum_expression() -> "sympy.Expr":
    """(1 - 1/M) [p{x > P} + sum_{x <= P} p (1 - p)^T]."""
    import sympy

    from asymp.theory.recall.symbols import zipf

    alpha, T, d, M, k = sympy.symbols("alpha T d M k", positive=True)
    x = sympy.Symbol("x", integer=True, positive=True)
    P, p = sympy.floor(k * d), zipf(x, alpha)
    unseen = sympy.Sum(p * (1 - p) ** T, (x, 1, P))
    return (1 - 1 / M) * (sympy.zeta(alpha, P + 1) / sympy.zeta(alpha) + unseen)


def sum_numeric(*, alpha: Any, T: Any, d: Any, M: Any, k: Any) -> Any:
    """The same in float64, vectorised."""
    import numpy as np

    from asymp.theory.zipf.law import zipf_tail
    from asymp.theory.zipf.missing_mass import unseen_mass_up_to

    P = np.floor(k * d)
    finite = np.isfinite(T)
    unseen = np.where(finite, unseen_mass_up_to(alpha=alpha, T=np.where(finite, T, 0.0), P=P), 0.0)
    return (1 - 1 / M) * (zipf_tail(alpha=alpha, P=P) + unseen)


def sum_exact(*, alpha: Any, T: Any, d: Any, M: Any, k: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    from asymp.theory.zipf.law import zipf_tail_digits
    from asymp.theory.zipf.missing_mass import unseen_mass_up_to_digits

    P = mpmath.floor(k * d)
    unseen = 0 if mpmath.isinf(T) else unseen_mass_up_to_digits(alpha=alpha, T=T, P=P, digits=digits)
    return (1 - 1 / mpmath.mpf(M)) * (zipf_tail_digits(alpha=alpha, P=P, digits=digits) + unseen)


def interference_expression() -> "sympy.Expr":
    """`joint-law` plus the loss of the stored inputs, pi_M(sqrt(d M/n)), n = sum_{x <= P} 1 - (1-p)^T."""
    import sympy

    from asymp.theory.recall.symbols import gaussian_error, zipf

    alpha, T, d, M, k = sympy.symbols("alpha T d M k", positive=True)
    x = sympy.Symbol("x", integer=True, positive=True)
    P, p = sympy.floor(k * d), zipf(x, alpha)
    n = sympy.Sum(1 - (1 - p) ** T, (x, 1, P))
    seen = sympy.Sum(p * (1 - (1 - p) ** T), (x, 1, P))
    return sum_expression() + seen * gaussian_error(sympy.sqrt(d * M / n), M)


def interference_numeric(*, alpha: Any, T: Any, d: Any, M: Any, k: Any) -> Any:
    """The same in float64, vectorised."""
    import numpy as np

    from asymp.theory.recall.limits import pi_M
    from asymp.theory.storage.seen_numbers import numbers_seen

    lost = sum_numeric(alpha=alpha, T=T, d=d, M=M, k=k)
    n = np.maximum(numbers_seen(alpha=alpha, T=T, P=np.floor(k * d)), 1e-300)
    return lost + (1 - lost / (1 - 1 / M)) * np.asarray(pi_M(a=np.sqrt(d * M / n), M=M))


def interference_exact(*, alpha: Any, T: Any, d: Any, M: Any, k: Any, digits: int) -> Any:
    """The same to any number of digits, P at most 20000."""
    import mpmath

    from asymp.theory.recall.gaussian_error import gaussian_error_digits
    from asymp.theory.storage.seen_numbers import number_seen_digits

    lost = sum_exact(alpha=alpha, T=T, d=d, M=M, k=k, digits=digits)
    n = number_seen_digits(alpha=alpha, T=T, P=mpmath.floor(k * d), digits=digits)
    missed = gaussian_error_digits(a=mpmath.sqrt(d * M / n), M=M, digits=digits)
    return lost + (1 - lost / (1 - 1 / mpmath.mpf(M))) * missed


SHARED: dict[str, Any] = {"meanings": {name: MEANINGS[name] for name in NAMES}}
STORED = Condition(lambda v: v["k"] * v["d"] >= 1, "k d must be at least 1: nothing is stored otherwise")

LAWS = (
    law(
        "joint-law",
        sum_expression,
        relation="~",
        domain=DOMAIN,
        typical={"alpha": (1.2, 4), "T": (10, 1e5), "d": (50, 10_000), "M": (2, 20)},
        defaults={"k": 0.125, "T": math.inf},
        title="Few dimensions and few samples: what is not stored and what is not seen",
        source=Source("asymp", "mass beyond P, and mass below P that T samples miss"),
        conventions=CONVENTIONS,
        exponents={"d": "1 - alpha", "T": "-1 + 1/alpha"},
        numeric=sum_numeric,
        exact=sum_exact,
        notes=(
            "Each exponent is for the other variable infinite; with d = T^b the error follows `joint-law:path`. Exact as long as "
            "stored inputs are recalled: `joint-law:interference` adds their loss.",
            "The factor 1 - 1/M for what the memory does not hold is that of balanced classes. An empty class, or one stored less "
            "often, is guessed less often: with N = M = 5, one input unseen and d -> inf the unseen input is wrong with "
            "probability 15/16, not 4/5 (its class has no score but 0, and the other four must all be negative).",
        ),
        **SHARED,
    ),
    law(
        "joint-law:source",
        "d**(1 - alpha) + T**(-1 + 1/alpha)",
        relation="~",
        domain={"alpha": ALPHA, "T": real(1, infinite=True), "d": integer(1)},
        typical={"alpha": (1.2, 4), "T": (10, 1e6), "d": (10, 100_000)},
        meanings={name: MEANINGS[name] for name in ("alpha", "T", "d")},
        title="Few dimensions and few samples, as the source states it",
        source=Source("cabannes2024", "abstract, Proposition 4 (recalled), Figure 1 with rho = 0, P = d/8"),
        conventions=CONVENTIONS + " Up to a constant.",
        exponents={"d": "1 - alpha", "T": "-1 + 1/alpha"},
        notes=("Each exponent is for the other variable infinite; `joint-law:path` has both together.",),
        errata=(
            Erratum(
                regime="P = k d (the source's d/8), T = inf and large d: d > 2000 for M = 2, alpha = 2.",
                discrepancy="The stored inputs interfere at every d: the error stops at pi_M(sqrt(M/k)), see "
                "`threshold-scheme:source`.",
                corrected_by="joint-law:interference",
            ),
        ),
    ),
    law(
        "joint-law:plain-sum",
        "(1 - 1/M)*((k*d)**(1 - alpha)/((alpha - 1)*zeta(alpha))"
        " + gamma(1 - 1/alpha)*zeta(alpha)**(-1/alpha)/alpha*T**(-1 + 1/alpha))",
        relation="~",
        domain={**DOMAIN, "T": real(1)},
        typical={"alpha": (1.2, 4), "T": (100, 1e6), "d": (100, 100_000), "M": (2, 20)},
        defaults={"k": 0.125},
        title="Few dimensions and few samples: the source's sum with the constants of its two limits",
        source=Source("cabannes2024", "abstract, Figure 1; the constants are derived here"),
        conventions=CONVENTIONS,
        exponents={"d": "1 - alpha", "T": "-1 + 1/alpha"},
        notes=("Right to leading order where T C (k d)^-alpha is far below or far above 1.",),
        errata=(
            Erratum(
                regime="Crossover: T C (k d)^-alpha of order 1 (0.7 to 1.1 where it is worst).",
                discrepancy="An input beyond P and not seen is counted twice: with both constants right the plain sum is too "
                "large by a factor 1.99 (alpha = 1.01), 1.92 (1.1), 1.66 (2), 1.52 (6), 1.48 (20). Within the constants of the "
                "source, but no constants fit the whole curve.",
                corrected_by="joint-law",
            ),
        ),
        **SHARED,
    ),
    law(
        "joint-law:asymptotic",
        "(1 - 1/M)*(zeta(alpha, k*d + 1)/zeta(alpha) + zeta(alpha)**(-1/alpha)/alpha*T**(-1 + 1/alpha)"
        "*uppergamma(1 - 1/alpha, T*(k*d + 1/2)**(-alpha)/zeta(alpha)))",
        relation="~",
        domain={**DOMAIN, "T": real(1)},
        typical={"alpha": (1.2, 4), "T": (100, 1e6), "d": (100, 100_000), "M": (2, 20)},
        defaults={"k": 0.125},
        title="Few dimensions and few samples, closed form",
        source=Source("asymp", "the sum over x <= P as an incomplete gamma function"),
        conventions=CONVENTIONS,
        exponents={"d": "1 - alpha", "T": "-1 + 1/alpha"},
        notes=(
            "kappa T^(-1+1/alpha) times the regularised incomplete gamma function of 1 - 1/alpha and T C P^-alpha, plus the tail. "
            "For k d a whole number; the relative error is of order 1/T + 1/P^2.",
        ),
        **SHARED,
    ),
    law(
        "joint-law:interference",
        interference_expression,
        relation="~",
        domain=DOMAIN,
        typical={"alpha": (1.2, 4), "T": (10, 1e5), "d": (50, 10_000), "M": (2, 8)},
        defaults={"k": 0.125, "T": math.inf},
        title="Few dimensions and few samples, interference of the stored inputs included",
        source=Source("asymp", "the n inputs stored have the margin sqrt(d M/n)"),
        conventions=CONVENTIONS + " " + LIMIT + " The number of stored inputs is replaced by its mean.",
        conditions=(STORED,),
        exponents={"d": "0", "T": "0"},
        numeric=interference_numeric,
        exact=interference_exact,
        notes=(
            "In d at T = inf the power law ends at the floor pi_M(sqrt(M/k)).",
            "To keep the P most frequent inputs of the samples, not of the law, costs more where T C P^-alpha is of order 1 (the "
            "wrong ones are kept): 10 % at alpha = 2, M = 5, d = 200, T = 2000. `threshold-scheme` with T has that scheme.",
        ),
        **SHARED,
    ),
    law(
        "joint-law:path",
        "T**(b*(1 - alpha)) + T**(-1 + 1/alpha)",
        relation="~",
        domain={"alpha": ALPHA, "T": real(1), "b": real(above=0)},
        typical={"alpha": (1.2, 4), "T": (10, 1e6), "b": (0.1, 2)},
        meanings={"alpha": MEANINGS["alpha"], "T": MEANINGS["T"], "b": "d grows like T^b"},
        title="Dimensions and samples growing together, d = T^b",
        source=Source("cabannes2024", "Proposition 4 (recalled), along d = T^b"),
        conventions=CONVENTIONS + " Up to a constant.",
        notes=("d is the bottleneck for b < 1/alpha, T for b > 1/alpha.",),
    ),
)
