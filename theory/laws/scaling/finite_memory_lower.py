"""finite-memory-lower: no memory of dimension d recalls inputs whose weight is too small."""

from functools import cache, partial

from asymp.theory.functions.recall.theorem_1 import finite_memory_lower_digits, forgotten_mass
from asymp.theory.law import Law, law
from asymp.theory.laws.scaling import ANY_ALPHA, NORMALISED, RHO, SUMMABLE, D, M, N, P
from asymp.theory.lazy import Digits, Floats, mpmath, sympy
from asymp.theory.param import integer
from asymp.theory.sources import Condition, Source

MISSED = "erfc(1/sqrt(6))/2"
"""Phi(-1/sqrt 3), the constant of the sharp bound."""

# p{x : 3 (d+1) q(x)^2 <= Q} for q = p^rho on x <= P and targets x mod M. q decreases, so the class of x = 1 (1, M + 1,
# 2 M + 1, ...) has the largest sum of squares: that is Q.
FORGOTTEN = (
    "Sum(Piecewise((zipf(x, alpha, N), 3*(d + 1)*Piecewise((zipf(x, alpha, N)**(2*rho), x <= P), (0, True))"
    " <= Sum(zipf(j*M + 1, alpha, N)**(2*rho), (j, 0, floor((Min(N, P) - 1)/M)))), (0, True)), (x, 1, N))"
)


@cache
def value(constant: str, digits: int) -> Digits:
    """A constant to so many digits."""
    with mpmath.workdps(digits):
        return mpmath.mpf(sympy.sympify(constant).evalf(digits))


def numeric(constant: str, **values: Floats) -> Floats:
    """The bound in float64, vectorised."""
    return float(value(constant, 17)) * forgotten_mass(**values)


def exact(constant: str, *, digits: int, **values: Digits) -> Digits:
    """The bound to any number of digits."""
    return finite_memory_lower_digits(**values, constant=value(constant, digits + 10), digits=digits)


def declare(id: str, constant: str, title: str, source: Source) -> Law:
    """The bound with a constant."""
    return law(
        id,
        f"{constant}*{FORGOTTEN}",
        relation=">=",
        params=(
            ANY_ALPHA.over(0.5, 3),
            N.but(default=None).over(50, 2000),
            M.over(2, 20),
            D.but(domain=integer(2)).over(4, 200),
            RHO.over(0, 2),
            P.but(meaning="only inputs x <= P are stored (default: all)"),
        ),
        title=title,
        source=source,
        conditions=(
            NORMALISED,
            Condition(
                SUMMABLE.holds,
                "2 rho alpha must exceed 1 when N and P are infinite: Q is infinite otherwise; pass a finite N or P",
            ),
        ),
        conventions="E is the error averaged over embeddings: gaussian inputs, outputs uniform on the sphere. "
        "Q is the largest class sum of q(x)^2.",
        numeric=partial(numeric, constant),
        exact=partial(exact, constant),
    )


LAWS = (
    declare(
        "finite-memory-lower",
        MISSED,
        "Lower bound at finite memory, with its best constant",
        Source("asymp", "Jensen in the norm of the input; constant Phi(-1/sqrt 3)"),
    ),
    declare(
        "finite-memory-lower:source",
        "1/20",
        "Lower bound at finite memory, as the source states it",
        Source("cabannes2024", "Theorem 1, second part (constants recalled, not at hand)"),
    ),
)
