"""finite-memory-lower: no memory of dimension d recalls inputs whose weight is too small."""

from asymp.theory.law import Law, law
from asymp.theory.laws.scaling import ANY_ALPHA, NORMALISED, RHO, SUMMABLE, D, M, N, P
from asymp.theory.param import integer
from asymp.theory.sources import Condition, Source

MISSED = "erfc(1/sqrt(6))/2"
"""Phi(-1/sqrt 3), the constant of the sharp bound."""


def declare(id: str, constant: str, title: str, source: Source) -> Law:
    """The bound with a constant."""
    return law(
        id,
        f"{constant}*ForgottenMass(alpha, N, M, d, rho, P)",
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
