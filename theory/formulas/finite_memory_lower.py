"""finite-memory-lower: no memory of dimension d recalls inputs whose weight is too small."""

import math
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]


def bound(constant: "sympy.Expr") -> "sympy.Expr":
    """constant * p{x : 3 (d+1) q(x)^2 <= Q} for q = p^rho on x <= P and targets x mod M.

    q decreases, so the class of x = 1 (1, M + 1, 2 M + 1, ...) has the largest sum of squares: that is Q.
    """
    import sympy

    alpha, N, M, d, rho, P = sympy.symbols("alpha N M d rho P", positive=True)
    x, j = sympy.symbols("x j", integer=True, nonnegative=True)

    def p(k: Any) -> Any:
        return k**-alpha / sympy.harmonic(N, alpha)

    def q_squared(k: Any) -> Any:
        return sympy.Piecewise((p(k) ** (2 * rho), k <= P), (0, True))

    largest = sympy.Sum(p(j * M + 1) ** (2 * rho), (j, 0, sympy.floor((sympy.Min(N, P) - 1) / M)))
    forgotten = sympy.Piecewise((p(x), 3 * (d + 1) * q_squared(x) <= largest), (0, True))
    return constant * sympy.Sum(forgotten, (x, 1, N))


def source_expression() -> "sympy.Expr":
    """The bound with the constant 1/20."""
    import sympy

    return bound(sympy.Rational(1, 20))


def sharp_expression() -> "sympy.Expr":
    """The bound with the constant Phi(-1/sqrt 3) = erfc(1/sqrt 6)/2."""
    import sympy

    return bound(sympy.erfc(1 / sympy.sqrt(6)) / 2)


def source_numeric(**values: Any) -> Any:
    """The bound with the constant 1/20, vectorised."""
    return _numeric(1 / 20, values)


def sharp_numeric(**values: Any) -> Any:
    """The bound with the constant Phi(-1/sqrt 3), vectorised."""
    return _numeric(math.erfc(1 / math.sqrt(6)) / 2, values)


def _numeric(constant: float, values: dict[str, Any]) -> Any:
    from asymp.theory.recall.lower import forgotten_mass

    return constant * forgotten_mass(**values)


def source_exact(*, digits: int, **values: Any) -> Any:
    """The bound with the constant 1/20 to any number of digits."""
    import mpmath

    return _exact(mpmath.mpf(1) / 20, digits, values)


def sharp_exact(*, digits: int, **values: Any) -> Any:
    """The bound with the constant Phi(-1/sqrt 3) to any number of digits."""
    import mpmath

    return _exact(mpmath.ncdf(-1 / mpmath.sqrt(3)), digits, values)


def _exact(constant: Any, digits: int, values: dict[str, Any]) -> Any:
    from asymp.theory.recall.limits import finite_memory_lower_digits

    return finite_memory_lower_digits(**values, constant=constant, digits=digits)


SHARED: dict[str, Any] = {
    "relation": ">=",
    "domain": {
        "alpha": real(0),
        "N": integer(1, infinite=True),
        "M": integer(2),
        "d": integer(2),
        "rho": real(0),
        "P": real(1, infinite=True),
    },
    "typical": {"alpha": (0.5, 3), "N": (50, 2000), "M": (2, 20), "d": (4, 200), "rho": (0, 2)},
    "meanings": {
        "alpha": "exponent of the Zipf law p(x) = C x^-alpha",
        "N": "number of inputs (may be infinite)",
        "M": "number of outputs; targets are f(x) = x mod M",
        "d": "dimension of the embeddings",
        "rho": "weights are q(x) = p(x)^rho",
        "P": "only inputs x <= P are stored (default: all)",
    },
    "conditions": (
        Condition(
            lambda v: (v["alpha"] > 1) | (v["N"] < math.inf),
            "alpha must exceed 1 when N is infinite: the infinite Zipf law has no normaliser otherwise; "
            "pass a finite N or alpha > 1",
        ),
        Condition(
            lambda v: (v["N"] < math.inf) | (v["P"] < math.inf) | (2 * v["rho"] * v["alpha"] > 1),
            "2 rho alpha must exceed 1 when N and P are infinite: Q is infinite otherwise; pass a finite N or P",
        ),
    ),
    "conventions": "E is the error averaged over embeddings: gaussian inputs, outputs uniform on the sphere. "
    "Q is the largest class sum of q(x)^2.",
}

LAWS = (
    law(
        "finite-memory-lower",
        sharp_expression,
        title="Lower bound at finite memory, with its best constant",
        source=Source("asymp", "Jensen in the norm of the input; constant Phi(-1/sqrt 3)"),
        notes=("Holds for M >= 2, d >= 2, Q > 0; the constant Phi(-1/sqrt 3) = 0.2819 cannot be improved.",),
        defaults={"rho": 0, "P": math.inf},
        numeric=sharp_numeric,
        exact=sharp_exact,
        **SHARED,
    ),
    law(
        "finite-memory-lower:source",
        source_expression,
        title="Lower bound at finite memory, as the source states it",
        source=Source("cabannes2024", "Theorem 1, second part (constants recalled, not at hand)"),
        notes=("The constants 1/20 and 3 are recalled from the paper's appendix: a hypothesis that this claim tests.",),
        defaults={"rho": 0, "P": math.inf},
        numeric=source_numeric,
        exact=source_exact,
        **SHARED,
    ),
)
