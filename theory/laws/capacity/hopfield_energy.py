"""hopfield-energy: the dynamics x' = sign(W x) goes downhill on -x^T W x."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.capacity import BITS, PATTERNS
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

A = Param(real(0), (1, 1024), meaning="sum of |(W x)_i| over the bits that flip", name="A")
F = Param(integer(0), (1, 64), meaning="number of bits that flip", name="F")
PARAMS = (PATTERNS.but(domain=integer(0)).over(2, 64), F, A)

CONVENTIONS = (
    "W = sum over N patterns of xi xi^T, xi in {-1, 1}^d, its diagonal kept; E(x) = -x^T W x; all bits move at once, "
    "x' = sign(W x), and a bit with (W x)_i = 0 stays. The quantity is E(x') - E(x)."
)
ZERO = (
    "W = sum over N patterns of xi xi^T with its diagonal set to zero, as in Hopfield (1982); E(x) = -x^T W x; all bits "
    "move at once. The quantity is E(x') - E(x)."
)
flips_law = partial(law, relation="<=", quantity="Delta_E", conventions=ZERO)

LAWS = (
    law(
        "hopfield-energy",
        "-4*A - B",
        relation="=",
        params=(A, Param(real(0), (4, 4096), meaning="sum over the patterns of (xi . (x' - x))^2", name="B")),
        quantity="Delta_E",
        title="Change of the energy in one synchronous step, exact",
        source=Source("asymp", "-(x' - x)^T W (x' - x) - 2 (x' - x)^T W x, W positive semi-definite"),
        conventions=CONVENTIONS,
    ),
    law(
        "hopfield-energy:source",
        "0",
        relation="<=",
        params=(BITS.but(domain=integer(1)).over(8, 512), PATTERNS.over(1, 128)),
        quantity="Delta_E",
        title="The energy never rises, as the source states it",
        source=Source("bietti2025", "slide on Hopfield nets: 'iterates descend on a quadratic energy landscape'"),
        conventions=CONVENTIONS,
    ),
    law(
        "hopfield-energy:asynchronous",
        "-4*h",
        relation="=",
        params=(Param(real(0), (1, 1024), meaning="|(W x)_i| of the one bit that flips", name="h"),),
        quantity="Delta_E",
        title="Change of the energy when one bit flips, diagonal zero, exact",
        source=Source("hopfield1982", "one bit at a time"),
        conventions="W symmetric with zero diagonal, E(x) = -x^T W x; one bit moves to sign((W x)_i).",
    ),
    flips_law(
        "hopfield-energy:zero-diagonal",
        "0",
        params=PARAMS,
        title="The energy never rises, read for a zero diagonal",
        source=Source("bietti2025", "slide on Hopfield nets, read with the zero diagonal of Hopfield (1982)"),
    ),
    flips_law(
        "hopfield-energy:zero-diagonal-corrected",
        "4*N*F - 4*A",
        params=PARAMS,
        title="Change of the energy in one synchronous step with a zero diagonal",
        source=Source("asymp", "-(x' - x)^T W (x' - x) - 2 (x' - x)^T W x, W at least -N"),
    ),
)
