"""margin-growth: with orthogonal embeddings margins grow like the logarithm of time, for any step size."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

MEANINGS = {
    "p": "probability of the input",
    "M": "number of outputs",
    "t": "time of the gradient flow (step size times number of steps)",
    "eta": "step size",
    "n": "number of steps",
}
CONVENTIONS = (
    "Population cross-entropy, orthonormal input and output embeddings, from W = 0. The margin is the score of the "
    "right output less that of any other: these are all equal."
)
MASS, OUTPUTS = real(above=0, high=1), integer(2)


def steps() -> "sympy.Expr":
    """The margin follows the SGD map with step eta p M/(M-1)."""
    import sympy

    from asymp.theory.sgd.symbolic import SGDIterate

    p, M, eta, n = sympy.symbols("p M eta n", positive=True)
    return SGDIterate(n, eta * p * M / (M - 1), M)


def flow_numeric(**values: Any) -> Any:
    """The flow in float64, vectorised, in the log domain."""
    from asymp.theory.sgd.flow import margin_flow

    return margin_flow(**values)


def flow_exact(**values: Any) -> Any:
    """The flow to any number of digits."""
    from asymp.theory.sgd.flow import margin_flow_digits

    return margin_flow_digits(**values)


def steps_numeric(*, p: Any, M: Any, eta: Any, n: Any) -> Any:
    """The margin after n steps in float64, vectorised."""
    from asymp.theory.sgd.iterates import sgd_iterate

    return sgd_iterate(gamma=eta * p * M / (M - 1), M=M, n=n)


def steps_exact(*, p: Any, M: Any, eta: Any, n: Any, digits: int) -> Any:
    """The margin after n steps to any number of digits."""
    from asymp.theory.sgd.iterates import sgd_iterate_digits

    return sgd_iterate_digits(gamma=eta * p * M / (M - 1), M=M, n=n, digits=digits)


SHARED: dict[str, Any] = {"meanings": MEANINGS, "quantity": "m", "conventions": CONVENTIONS}

LAWS = (
    law(
        "margin-growth",
        "(p*M*t + 1)/(M - 1) - LambertW(exp((p*M*t + 1)/(M - 1))/(M - 1))",
        relation="=",
        domain={"p": MASS, "M": OUTPUTS, "t": real(0)},
        typical={"p": (0.01, 1.0), "M": (2.0, 100.0), "t": (0.0, 1e6)},
        title="Margin under gradient flow, exact",
        source=Source("asymp", "(M-1) m + e^m - 1 = p M t"),
        exponents={"t": "0"},
        numeric=flow_numeric,
        exact=flow_exact,
        notes=("Computed in the log domain: the exponential in the formula overflows, this does not.",),
        **SHARED,
    ),
    law(
        "margin-growth:source",
        "log(t)",
        relation="~",
        domain={"t": real(above=1)},
        typical={"t": (10.0, 1e6)},
        title="Margin growth, as the source states it",
        source=Source("bietti2025", "slide on gradient dynamics, orthogonal embeddings"),
        exponents={"t": "0"},
        notes=("Up to a constant that depends on p and M; `margin-growth:asymptotic` has it.",),
        **SHARED,
    ),
    law(
        "margin-growth:slope",
        "1 + 0*t",
        relation="~",
        domain={"t": real(above=1)},
        typical={"t": (1e3, 1e6)},
        title="Growth of the margin per unit of log t, as the source's logarithm has it",
        source=Source("bietti2025", "slide on gradient dynamics, orthogonal embeddings"),
        exponents={"t": "0"},
        notes=("The derivative of log t + constant in log t: free of the constant that the source leaves open.",),
        **{**SHARED, "quantity": "dm/dlog_t"},
    ),
    law(
        "margin-growth:asymptotic",
        "log(p*M*t)",
        relation="~",
        domain={"p": MASS, "M": OUTPUTS, "t": real(above=0)},
        typical={"p": (0.01, 1.0), "M": (2.0, 20.0), "t": (1e4, 1e9)},
        title="Margin under gradient flow at large times",
        source=Source("asymp", "leading order of the flow"),
        exponents={"t": "0"},
        notes=(
            "An upper bound wherever the margin is at least 1/(M-1), since p M t = (M-1) m + e^m - 1 is then at least "
            "e^m; too large by about (M-1) m/(p M t).",
        ),
        **SHARED,
    ),
    law(
        "margin-growth:steps",
        steps,
        relation="=",
        domain={"p": MASS, "M": OUTPUTS, "eta": real(above=0), "n": integer(0)},
        typical={"p": (0.01, 1.0), "M": (2.0, 100.0), "eta": (0.01, 100.0), "n": (0.0, 1e6)},
        title="Margin after n full-batch steps of any size, exact",
        source=Source("asymp", "the SGD map with step eta p M/(M-1)"),
        exponents={"n": "0"},
        numeric=steps_numeric,
        exact=steps_exact,
        notes=("Logarithmic for every step size: e^m = (M-1) [g n + (g/2 - 1) log n + c + o(1)], g = eta p M/(M-1).",),
        **SHARED,
    ),
)
