"""gradient-as-memory: the gradient of the cross-entropy in W is a sum of outer products of embeddings."""

from asymp.montecarlo.gradients.identities import gradient_memory_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

# More inputs and outputs than dimensions, and fewer.
QUICK = [{"d": d, "N": N, "M": M} for d, N, M in ((2, 5, 3), (16, 10, 6), (16, 60, 40), (64, 20, 100))]
STANDARD = [{"d": d, "N": N, "M": M} for d in (1, 4, 32, 128) for N in (1, 10, 100) for M in (2, 10, 100)]

CLAIM = Claim(
    id="gradient-as-memory",
    simulation="Embeddings, weights, the inputs' probabilities and each input's law of outputs are drawn; the gradient of the "
    "population loss is taken by automatic differentiation and compared with the sum, written out. A replica is the "
    "largest difference of an entry, as a share of the largest entry.",
    parts=(
        part(
            "source",
            kind="identity",
            law=laws["gradient-as-memory:deviation"],
            experiment=gradient_memory_experiment,
            statement="The gradient in W is the sum over outputs k and inputs z of p(z) (p^(k|z) - p(k|z)) u_k e_z^T.",
            grid={"quick": QUICK, "standard": STANDARD, "paper": STANDARD},
            replicas={"quick": 32, "standard": 64, "paper": 64},
            margin=1e-12,
            scale=lambda _: 1.0,
        ),
    ),
)
