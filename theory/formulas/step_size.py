"""step-size: large steps with batch one fill the memory evenly; a small memory wants smaller steps late in training."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

TALK = Source("bietti2025", "slide on optimisation algorithms and memory schemes")
SIZES = {"d": integer(1), "N": integer(2)}
SHARED: dict[str, Any] = {
    "meanings": {
        "d": "dimension of the embeddings",
        "N": "number of inputs",
        "gamma": "step size of sgd",
        "M": "number of outputs",
        "n": "how often the input has been seen",
    },
    "conventions": "Sgd with batch one on the cross-entropy from W = 0, one pass over T samples of a Zipf law, f(x) = "
    "x mod M; errors are those "
    "of argmax_y u_y.W e_x over p, at the same d, N, T. q is the weight of an input that was seen n times.",
}


def evenness() -> "sympy.Expr":
    """f^n(0)/f(0): the weight of an input seen n times over that of one seen once."""
    import sympy

    from asymp.theory.sgd.symbolic import SGDIterate

    gamma, M, n = sympy.symbols("gamma M n", positive=True)
    return SGDIterate(n, gamma, M) * M / (gamma * (M - 1))


def evenness_numeric(*, gamma: Any, M: Any, n: Any) -> Any:
    """The ratio in float64, vectorised."""
    from asymp.theory.sgd.iterates import sgd_iterate

    return sgd_iterate(gamma=gamma, M=M, n=n) * M / (gamma * (M - 1))


def evenness_exact(*, gamma: Any, M: Any, n: Any, digits: int) -> Any:
    """The ratio to any number of digits."""
    from asymp.theory.sgd.iterates import sgd_iterate_digits

    return sgd_iterate_digits(gamma=gamma, M=M, n=n, digits=digits + 5) * M / (gamma * (M - 1))


MAP = {"gamma": real(above=0), "M": integer(2), "n": integer(1)}
TYPICAL = {"gamma": (1.0, 30.0), "M": (2.0, 100.0), "n": (1.0, 1e4)}

LAWS = (
    law(
        "step-size",
        evenness,
        relation="=",
        domain=MAP,
        typical=TYPICAL,
        quantity="q_n/q_1",
        title="How uneven the weights are: an input seen n times against one seen once, by the SGD map",
        source=Source("asymp", "iterates of the SGD map"),
        exponents={"n": "0"},
        numeric=evenness_numeric,
        exact=evenness_exact,
        notes=("1 means q ~ 1 (equal weights); n means q proportional to the counts.",),
        **SHARED,
    ),
    law(
        "step-size:source",
        "1",
        relation="~",
        domain=MAP,
        typical={**TYPICAL, "n": (1.0, 10.0)},
        quantity="q_n/q_1",
        title="Batch one and large steps give equal weights, as the source states it",
        source=TALK,
        notes=("For d >> N.",),
        errata=(
            Erratum(
                regime="Inputs seen more often than the plateau is long, n > e^(gamma (M-1)/M)/(gamma (M-1)).",
                discrepancy="The weights go on growing like log n: at gamma = 10, M = 5 an input seen 1000 times has "
                "1.33 times the weight of "
                "one seen once, and 1.61 times after 10^4. Exactly equal weights are the limit gamma -> oo only.",
                corrected_by="step-size",
            ),
        ),
        **SHARED,
    ),
    law(
        "step-size:plateau",
        "1 + (n - 1)*M*exp(-gamma*(M - 1)/M)",
        relation="<=",
        domain=MAP,
        typical={**TYPICAL, "gamma": (10.0, 100.0)},
        quantity="q_n/q_1",
        title="How uneven the weights can be after large steps",
        source=Source("asymp", "increments after the first are at most gamma (M-1) e^(-q_1)"),
        exponents={"n": "1"},
        **SHARED,
    ),
    law(
        "step-size:large",
        "1",
        relation="<=",
        domain=SIZES,
        typical={"d": (1000.0, 10000.0), "N": (10.0, 100.0)},
        quantity="E_large/E_small",
        title="Large steps have no larger error than small ones where d >> N",
        source=TALK,
        conditions=(Condition(lambda v: v["d"] > v["N"], "d must exceed N: the statement is for d >> N"),),
        notes=("An order: step sizes of order 10 against 1 or below, batch one.",),
        **SHARED,
    ),
    law(
        "step-size:late",
        "1",
        relation="<=",
        domain=SIZES,
        typical={"d": (10.0, 100.0), "N": (100.0, 1000.0)},
        quantity="E_decayed/E_constant",
        title="Smaller steps late in training do not raise the error where d <= N",
        source=TALK,
        conditions=(Condition(lambda v: v["d"] <= v["N"], "d must be at most N: the statement is for d <= N"),),
        notes=("An order: the same first half of the pass, then a smaller step against the same one.",),
        **SHARED,
    ),
)
