"""missing-mass: the error of a memory without limit that has seen T samples of a Zipf law."""

import math
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

ALPHA = real(above=1, advice="at alpha <= 1 the infinite Zipf law has no normaliser; pass a finite N")
MEANINGS = {
    "alpha": "exponent of the Zipf law p(x) = C x^-alpha",
    "T": "number of samples seen",
    "N": "number of inputs (may be infinite)",
}
CONVENTIONS = (
    "Inputs x = 1..N have p(x) = C x^-alpha. An input never seen in T independent samples counts as an error; "
    "guessing at random among M outputs would multiply the error by 1 - 1/M."
)


def exact_sum() -> "sympy.Expr":
    """The sum over x of p(x) (1 - p(x))^T; harmonic(N, alpha) is the normaliser, zeta(alpha) at N = infinity."""
    import sympy

    alpha, T, N = sympy.symbols("alpha T N", positive=True)
    x = sympy.Symbol("x", integer=True, positive=True)
    p = x**-alpha / sympy.harmonic(N, alpha)
    return sympy.Sum(p * (1 - p) ** T, (x, 1, N))


def numeric(**values: Any) -> Any:
    """The exact sum in float64, vectorised."""
    from asymp.theory.zipf.missing_mass import missing_mass_mean

    return missing_mass_mean(**values)


def exact(**values: Any) -> Any:
    """The exact sum to any number of digits."""
    from asymp.theory.zipf.missing_mass import missing_mass_digits

    return missing_mass_digits(**values)


LAWS = (
    law(
        "missing-mass",
        exact_sum,
        relation="=",
        domain={"alpha": real(0), "T": real(0), "N": integer(1, infinite=True)},
        typical={"alpha": (1.2, 4), "T": (1, 1e5), "N": (10, 1e5)},
        defaults={"N": math.inf},
        meanings=MEANINGS,
        title="Missing mass, exact",
        source=Source("asymp", "exact expectation"),
        conventions=CONVENTIONS,
        conditions=(
            Condition(
                lambda v: (v["alpha"] > 1) | (v["N"] < math.inf),
                "alpha must exceed 1 when N is infinite: the infinite Zipf law has no normaliser otherwise; "
                "pass a finite N or alpha > 1",
            ),
        ),
        exponents={"T": "-1 + 1/alpha"},
        numeric=numeric,
        exact=exact,
        notes=("With N finite the power law ends at about T = N^alpha / C, after which the decay is exponential.",),
    ),
    law(
        "missing-mass:source",
        "T**(-1 + 1/alpha)",
        relation="~",
        domain={"alpha": ALPHA, "T": real(1)},
        typical={"alpha": (1.2, 4), "T": (10, 1e6)},
        meanings=MEANINGS,
        title="Missing mass, as the source states it",
        source=Source("cabannes2024", "Proposition 1"),
        conventions=CONVENTIONS,
        notes=(
            "The constant is hidden in the source; `missing-mass:asymptotic` has it.",
            "Hutter (2021) names his exponent differently: his alpha is this alpha minus 1.",
        ),
    ),
    law(
        "missing-mass:asymptotic",
        "gamma(1 - 1/alpha) * zeta(alpha)**(-1/alpha) / alpha * T**(-1 + 1/alpha)"
        " * (1 - (1 - 1/alpha)*(2 - 1/alpha)/(2*T))",
        relation="~",
        domain={"alpha": ALPHA, "T": real(1)},
        typical={"alpha": (1.2, 4), "T": (30, 1e6)},
        meanings=MEANINGS,
        title="Missing mass, expansion with its first correction",
        source=Source("asymp", "expansion of the exact sum"),
        conventions=CONVENTIONS,
        notes=(
            "Infinite N only.",
            "Beside the powers of 1/T there are oscillating terms, relative to the whole about exp(-2 pi (1 + 1/alpha) "
            "sin(pi/(2 alpha + 2)) (alpha C T/(2 pi))^(1/(alpha + 1))), which fall slowly for large alpha: at alpha = 6, T = 1000 "
            "the expansion is 6.6 % off, at T = 1e6 7e-5.",
        ),
    ),
)
