"""at-most-d: how many memories a matrix of dimension d holds."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source
from asymp.theory.storage.scheme_domain import LIMIT, MEANINGS

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

CONVENTIONS = "n inputs are stored with the same weight, gaussian embeddings; each is lost with probability e. "


def held_expression() -> "sympy.Expr":
    """n = d M/a^2 with pi_M(a) = e."""
    import sympy

    from asymp.theory.recall.symbols import InverseError

    M, d, e = sympy.symbols("M d e", positive=True)
    return d * M / InverseError(e, M) ** 2


def held_numeric(**values: Any) -> Any:
    """n in float64, vectorised."""
    from asymp.theory.recall.injective import memories_held

    return memories_held(**values)


def held_exact(**values: Any) -> Any:
    """n to any number of digits."""
    from asymp.theory.recall.injective import memories_held_digits

    return memories_held_digits(**values)


def injective_numeric(*, d: Any) -> Any:
    """d^2/(2 W(d^2/2)) in float64, vectorised: SciPy's W is complex."""
    from scipy.special import lambertw

    return d**2 / (2 * lambertw(d**2 / 2).real)


LAWS = (
    law(
        "at-most-d",
        held_expression,
        relation="~",
        domain={"M": integer(2), "d": real(1), "e": real(above=0, high=1)},
        typical={"M": (2, 8), "d": (10, 10_000)},
        defaults={"e": 0.01},
        meanings={"M": MEANINGS["M"], "d": MEANINGS["d"], "e": "probability that a stored input is lost"},
        quantity="n",
        title="Number of memories held with few outputs",
        source=Source("asymp", "pi_M(sqrt(d M/n)) = e"),
        conventions=CONVENTIONS + LIMIT,
        conditions=(Condition(lambda v: v["e"] < 1 - 1 / v["M"], "e must be below 1 - 1/M, the error of a guess"),),
        exponents={"d": "1", "M": "1"},
        numeric=held_numeric,
        exact=held_exact,
        notes=(
            "n/d is 0.18 for M = 2, 0.33 for M = 5 and 3.9 for M = 100 at e = 0.01: proportional to d, and to M/(4 log M) for "
            "large M (its exponent is up to that logarithm). It needs d large at fixed M, n >> M.",
        ),
    ),
    law(
        "at-most-d:source",
        "d",
        relation="<=",
        domain={"d": integer(1)},
        typical={"d": (10, 10_000)},
        meanings={"d": MEANINGS["d"]},
        quantity="n",
        title="At most d memories, as the source states it",
        source=Source(
            "bietti2025", "scaling laws with finite capacity: can store at most d memories, error d^(1-alpha)"
        ),
        conventions=CONVENTIONS,
        errata=(
            Erratum(
                regime="One output for each input: f injective.",
                discrepancy="n is of order d^2/(2 log n), the same talk's d^2 (`at-most-d:injective`): 9.7 d at d = 128, where "
                "an input is right half of the time. `injective-capacity:half` has the terms of finite d.",
                corrected_by="injective-capacity:half",
            ),
            Erratum(
                regime="Many outputs, d >> M: from M = 25 on at e = 0.01.",
                discrepancy="n is of order d M/(4 log M): 2.1 d at M = 50 and 3.9 d at M = 100, e = 0.01.",
                corrected_by="at-most-d",
            ),
        ),
    ),
    law(
        "at-most-d:injective",
        "d**2/(2*LambertW(d**2/2))",
        relation="~",
        domain={"d": real(2)},
        typical={"d": (10, 1_000_000)},
        meanings={"d": MEANINGS["d"]},
        quantity="n",
        title="Number of memories held with one output for each input",
        source=Source("asymp", "2 n log n = d^2: an item is right half the time"),
        conventions="f is injective on n inputs of equal weight, gaussian embeddings; one item is right with probability 1/2.",
        exponents={"d": "2"},
        numeric=injective_numeric,
        notes=("The exponent is up to a logarithm: n ~ d^2/(4 log d). For all items 8 stands in place of 2.",),
    ),
)
