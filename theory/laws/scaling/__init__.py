"""What the laws of this section share: symbols, conventions, conditions."""

import math

from asymp.theory.lazy import Bools
from asymp.theory.param import Param, choice, integer, real
from asymp.theory.sources import Condition, Values

M = Param(integer(2), (2, 8), meaning="number of outputs; targets are f(x) = x mod M", name="M")
N = Param(integer(1, infinite=True), default=math.inf, meaning="number of inputs (may be infinite)", name="N")
P = Param(real(1, infinite=True), default=math.inf, meaning="only inputs x <= P are stored (inf: all)", name="P")
T = Param(integer(0, infinite=True), default=math.inf, meaning="number of samples seen (inf: p is known)", name="T")
ALPHA = Param(
    real(above=1, advice="at alpha <= 1 the infinite Zipf law has no normaliser; pass a finite N where there is one"),
    (1.2, 3),
    meaning="exponent of the Zipf law p(x) = C x^-alpha",
    name="alpha",
)
ANY_ALPHA = ALPHA.but(domain=real(0))
D = Param(integer(1), (10, 10_000), meaning="dimension of the embeddings", name="d")
K = Param(real(above=0), default=0.125, meaning="inputs stored for each dimension, P = k d", name="k")
OUTPUTS = Param(
    choice("gaussian", "sphere"),
    default="gaussian",
    meaning="law of the output embeddings: gaussian N(0, I/d), or uniform on the unit sphere",
    name="outputs",
)
RHO = Param(real(0), default=0, meaning="weights are q(x) = p(x)^rho", name="rho")

CONVENTIONS = (
    "W = sum of q(x) u_f(x) e_x^T, f(x) = x mod M, gaussian inputs; E is the probability of the inputs that argmax_y u_y.W e_x "
    "gets wrong, averaged over embeddings (and samples); ties are broken at random."
)
LIMIT = "Limit of many dimensions, with balanced classes: an input of weight q is missed with probability pi_M(q sqrt(d/S_y))."

HELD = "d*M/InverseError(e, M)**2"
"""How many inputs of equal weight are held in the limit, each lost with probability e: n = d M/a^2 with pi_M(a) = e."""

RECALLED = "Piecewise((-(alpha - 1)/(2*alpha*rho), 2*alpha*rho > 1), (0, True))"
"""The exponent in d of weights p^rho on infinitely many inputs."""

BELOW_GUESSING = Condition(lambda v: v["e"] < 1 - 1 / v["M"], "e must be below 1 - 1/M, the error of a guess")
NORMALISED = Condition(
    lambda v: (v["alpha"] > 1) | (v["N"] < math.inf),
    "alpha must exceed 1 when N is infinite: the infinite Zipf law has no normaliser otherwise; "
    "pass a finite N or alpha > 1",
)


def _summable(v: Values) -> Bools:
    summable: Bools = (v["N"] < math.inf) | (v.get("P", math.inf) < math.inf) | (2 * v["rho"] * v["alpha"] > 1)
    return summable


SUMMABLE = Condition(
    _summable,
    "2 rho alpha must exceed 1 when N and P are infinite: the sum of q^2 is infinite otherwise; pass a finite N or P",
)
SUMMABLE_SAMPLES = Condition(lambda v: _summable(v) | (v["T"] < math.inf), f"{SUMMABLE.message}, or a finite T")
RECALLABLE = (NORMALISED, SUMMABLE_SAMPLES)
"""The conditions of an error with weights p^rho, from samples or from p itself."""
