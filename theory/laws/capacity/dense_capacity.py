"""dense-capacity: how many patterns a dense associative memory with an energy of degree k keeps."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.capacity import BITS, PATTERNS
from asymp.theory.param import Param, integer
from asymp.theory.sources import Source

DEGREE_ENERGY = Param(
    integer(2, 20, advice="higher degrees overflow in float64 and have no use"),
    (2, 5),
    meaning="degree of the energy",
    name="k",
)
PARAMS = (
    BITS.but(domain=integer(3)).over(16, 128),
    DEGREE_ENERGY.over(2, 4),
    PATTERNS.but(domain=integer(2)).over(16, 4096),
)

CONVENTIONS = "N random patterns xi in {-1, 1}^d, E(x) = -sum over the patterns of (xi . x)^k."
STEP = CONVENTIONS + (
    " From a stored pattern a bit moves to the side with the lower energy, the others held; the quantity is the share of "
    "bits that change."
)

bits_law = partial(law, relation="~", conventions=STEP)
ODD = "2**(k - 1)*gamma(k - 1/2)/sqrt(pi)"  # (2k - 3)!!, the moment E g^(2k - 2) of a standard normal


size_law = partial(law, relation="~", quantity="N", params=(BITS, DEGREE_ENERGY))
LAWS = (
    size_law(
        "dense-capacity",
        f"d**(k - 1)/(2*k*{ODD}*log(d))",
        title="Capacity of a dense memory of degree k: all patterns are fixed points",
        source=Source("asymp", "N d Phi(-[(2k-3)!! N/d^(k-1)]^(-1/2)) = 1 to leading order"),
        conventions=CONVENTIONS + " The largest N at which every bit of every pattern stays.",
    ),
    size_law(
        "dense-capacity:source",
        "d**(k - 1)",
        title="Capacity of a dense memory of degree k, as the source states it",
        source=Source("bietti2025", "slide on modern Hopfield nets"),
        conventions=CONVENTIONS,
    ),
    bits_law(
        "dense-capacity:item-error",
        "erfc(BitMargin(d, k)/sqrt(2*(N - 1)))/2",
        params=PARAMS,
        title="Share of wrong bits of a dense memory, with its exact signal and noise",
        source=Source("asymp", "normal law with the exact mean and variance of the energy difference"),
    ),
    size_law(
        "dense-capacity:half",
        "1 + (BitMargin(d, k)/HalfQuantile(d))**2",
        title="Number of patterns at which one of a dense memory is a fixed point half of the time, at finite size",
        source=Source("asymp", "d nearly independent bits, each with the error `dense-capacity:item-error`"),
        conventions=CONVENTIONS + " One step from a stored pattern, each bit to the side with the lower energy.",
        exponents={"d": "k - 1"},
    ),
)
