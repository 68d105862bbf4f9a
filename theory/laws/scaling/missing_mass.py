"""missing-mass: the error of a memory without limit that has seen T samples of a Zipf law."""

from asymp.theory.law import law
from asymp.theory.laws.scaling import ALPHA, ANY_ALPHA, NORMALISED, N
from asymp.theory.param import Param, real
from asymp.theory.sources import Source

SAMPLES_SEEN = Param(real(0), (1, 1e5), meaning="number of samples seen", name="T")

CONVENTIONS = (
    "Inputs x = 1..N have p(x) = C x^-alpha. An input never seen in T independent samples counts as an error; "
    "guessing at random among M outputs would multiply the error by 1 - 1/M."
)


LAWS = (
    law(
        "missing-mass",
        "UnseenMass(alpha, T, N, N)",
        relation="=",
        params=(ANY_ALPHA.over(1.2, 4), SAMPLES_SEEN, N.over(10, 1e5)),
        title="Missing mass, exact",
        source=Source("asymp", "exact expectation"),
        conventions=CONVENTIONS,
        conditions=NORMALISED,
    ),
    law(
        "missing-mass:source",
        "T**(-1 + 1/alpha)",
        relation="~",
        params=(ALPHA.over(1.2, 4), SAMPLES_SEEN.but(domain=real(1)).over(10, 1e6)),
        title="Missing mass, as the source states it",
        source=Source("cabannes2024", "Proposition 1"),
        conventions=CONVENTIONS,
    ),
    law(
        "missing-mass:asymptotic",
        "gamma(1 - 1/alpha) * zeta(alpha)**(-1/alpha) / alpha * T**(-1 + 1/alpha)"
        " * (1 - (1 - 1/alpha)*(2 - 1/alpha)/(2*T))",
        relation="~",
        params=(ALPHA.over(1.2, 4), SAMPLES_SEEN.but(domain=real(1)).over(30, 1e6)),
        title="Missing mass, expansion with its first correction",
        source=Source("asymp", "expansion of the exact sum"),
        conventions=CONVENTIONS,
    ),
)
