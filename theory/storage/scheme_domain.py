"""What the laws of the weight schemes share: domains, meanings of the letters, conditions. No formula, no heavy import."""

import math
from typing import Any

from asymp.theory.domain import Domain, choice, integer, real
from asymp.theory.statement import Condition

__all__ = [
    "ALPHA",
    "CONVENTIONS",
    "LIMIT",
    "MEANINGS",
    "NORMALISED",
    "OUTPUTS",
    "SCHEME",
    "SCHEME_DEFAULTS",
    "SUMMABLE",
    "SUMMABLE_SAMPLES",
]

ALPHA: Domain = real(above=1, advice="at alpha <= 1 the infinite Zipf law has no normaliser")
OUTPUTS: Domain = choice("gaussian", "sphere")

MEANINGS: dict[str, str] = {
    "alpha": "exponent of the Zipf law p(x) = C x^-alpha",
    "N": "number of inputs (may be infinite)",
    "M": "number of outputs; targets are f(x) = x mod M",
    "d": "dimension of the embeddings",
    "rho": "weights are q(x) = p(x)^rho",
    "P": "only inputs x <= P are stored (inf: all)",
    "T": "number of samples seen (inf: p is known)",
    "k": "inputs stored for each dimension, P = k d",
    "outputs": "law of the output embeddings: gaussian N(0, I/d), or uniform on the unit sphere",
    "s": "how often an input must be seen to be stored",
    "n": "number of stored inputs",
}

SCHEME: dict[str, Domain] = {
    "alpha": real(0),
    "N": integer(1, infinite=True),
    "M": integer(2),
    "d": integer(1),
    "rho": real(0),
    "P": real(1, infinite=True),
    "T": integer(0, infinite=True),
    "outputs": OUTPUTS,
}
SCHEME_DEFAULTS: dict[str, Any] = {"rho": 0, "P": math.inf, "T": math.inf, "outputs": "gaussian"}

CONVENTIONS = (
    "W = sum of q(x) u_f(x) e_x^T, f(x) = x mod M, gaussian inputs; E is the probability of the inputs that argmax_y u_y.W e_x "
    "gets wrong, averaged over embeddings (and samples); ties are broken at random."
)
LIMIT = "Limit of many dimensions, with balanced classes: an input of weight q is missed with probability pi_M(q sqrt(d/S_y))."

NORMALISED = Condition(
    lambda v: (v["alpha"] > 1) | (v["N"] < math.inf),
    "alpha must exceed 1 when N is infinite: the infinite Zipf law has no normaliser otherwise; "
    "pass a finite N or alpha > 1",
)


def _summable(v: Any) -> Any:
    return (v["N"] < math.inf) | (v["P"] < math.inf) | (2 * v["rho"] * v["alpha"] > 1)


SUMMABLE = Condition(
    _summable,
    "2 rho alpha must exceed 1 when N and P are infinite: the sum of q^2 is infinite otherwise; pass a finite N or P",
)
SUMMABLE_SAMPLES = Condition(lambda v: _summable(v) | (v["T"] < math.inf), f"{SUMMABLE.message}, or a finite T")
