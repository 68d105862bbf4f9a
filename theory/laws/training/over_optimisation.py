"""over-optimisation: in a memory that is too small the error falls, then rises again."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.training import ALPHA, D, N
from asymp.theory.param import Param, real
from asymp.theory.sources import Condition, Source

declare = partial(
    law,
    conventions="Weights by the SGD map, gamma T the step times the number of samples; limit of many dimensions with "
    "balanced classes, N = oo unless given: an input of weight q is missed with probability pi_M(q sqrt(d M/sum q^2)).",
    relation="~",
)
LAWS = (
    declare(
        "over-optimisation",
        "tau*zeta(alpha)*d**alpha",
        params=(
            Param(real(above=0), (0.3, 4), meaning="tau*(alpha, M), the best scaled time (see notes)", name="tau"),
            ALPHA,
            D.but(domain=real(1)).over(10, 10000),
        ),
        quantity="gamma_T",
        typeset=r"\gamma T",
        title="Best stopping time of the SGD map: tau* d^alpha/C",
        source=Source("asymp", "least error of the scaled map, N = oo"),
    ),
    declare(
        "over-optimisation:error",
        "c*d**(1 - alpha)",
        params=(
            Param(real(above=0), (0.5, 5), meaning="least value of E d^(alpha-1) (see notes)", name="c"),
            ALPHA,
            D.but(domain=real(1)).over(10, 10000),
        ),
        title="Error of the SGD map at its best stopping time",
        source=Source("asymp", "least error of the scaled map, N = oo"),
    ),
    declare(
        "over-optimisation:sgd",
        "1",
        relation=">=",
        params=(D.over(10, 50), N),
        quantity="E_stopped/E_long",
        title="SGD itself with batch one goes on improving where its map over-optimises",
        source=Source("asymp", "simulation"),
    ),
    declare(
        "over-optimisation:source",
        "1",
        relation="<=",
        params=(D.over(10, 50), N),
        quantity="E_stopped/E_long",
        title="In an under-parameterised memory stopping in time has no larger error than training on",
        source=Source("bietti2025", "slide on large steps and oscillations (Cabannes, Simsek, Bietti 2024), empirical"),
        conditions=Condition(lambda v: v["d"] < v["N"], "d must be below N: the statement is for too small a memory"),
    ),
)
