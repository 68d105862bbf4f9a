"""batch-size: at the same number of samples, small batches learn more than large ones."""

from asymp.theory.domain import integer, real
from asymp.theory.formulas.training_grid import GRID
from asymp.theory.law import law
from asymp.theory.statement import Source

__all__ = ["LAWS"]

LAWS = (
    law(
        "batch-size",
        "1",
        relation="<=",
        domain={"d": integer(1), "B": integer(1), "lr": real(above=0)},
        typical={"d": (10.0, 1000.0), "B": (16.0, 1024.0), "lr": (0.01, 1.0)},
        meanings={
            "d": "dimension of the embeddings",
            "B": "size of the larger batch; the smaller one is any below",
            "lr": "learning rate of sgd, the same for both",
        },
        quantity="E_small/E_large",
        title="Small batches have no larger error than large ones, sgd, one pass over the same samples",
        source=Source(
            "cabannes2024", "training experiments; bietti2025, slide on optimisation algorithms and memory schemes"
        ),
        conventions=f"Ratio of errors of sgd with a smaller and a larger batch after one pass, same d and lr. {GRID}",
        notes=(
            "An order, found empirically. It is the number of steps T/B that differs: `batch-size:margin` bounds what "
            "they can do. Where "
            "d is small and the step large, the many steps of small batches may over-optimise instead "
            "(`over-optimisation`).",
        ),
    ),
    law(
        "batch-size:margin",
        "eta*n/B",
        relation="<=",
        domain={"eta": real(above=0), "n": integer(0), "B": integer(1)},
        typical={"eta": (0.01, 10.0), "n": (0.0, 1000.0), "B": (1.0, 1024.0)},
        meanings={"eta": "step size", "n": "how often the input occurs in the pass", "B": "batch size"},
        quantity="m",
        title="Margin after one pass in batches of B",
        source=Source("asymp", "gradient of the cross-entropy with orthonormal embeddings"),
        conventions="Sgd on the mean cross-entropy of each batch, from W = 0, orthonormal embeddings; the margin is "
        "the target's score less "
        "that of any other output.",
        notes=(
            "Equality when all occurrences fall into the first batch that holds the input (one batch for the whole "
            "pass): weights "
            "proportional to the counts. Each step adds at most eta c/B, c being the occurrences in its batch, since "
            "the "
            "softmax of the target is at least 1/M.",
        ),
    ),
)
