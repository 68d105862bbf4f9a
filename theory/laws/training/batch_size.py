"""batch-size: at the same number of samples, small batches learn more than large ones."""

from asymp.theory.law import law
from asymp.theory.laws.training import ETA, B, D
from asymp.theory.laws.training.training_grid import GRID
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

LAWS = (
    law(
        "batch-size",
        "1",
        relation="<=",
        params=(
            D,
            Param(integer(1), (16, 1024), meaning="size of the larger batch; the smaller one is any below", name="B"),
            Param(real(above=0), (0.01, 1), meaning="learning rate of sgd, the same for both", name="lr"),
        ),
        quantity="E_small/E_large",
        title="Small batches have no larger error than large ones, sgd, one pass over the same samples",
        source=Source(
            "cabannes2024", "training experiments; bietti2025, slide on optimisation algorithms and memory schemes"
        ),
        conventions=f"Ratio of errors of sgd with a smaller and a larger batch after one pass, same d and lr. {GRID}",
    ),
    law(
        "batch-size:margin",
        "eta*n/B",
        relation="<=",
        params=(
            ETA.over(0.01, 10),
            Param(integer(0), (0, 1000), meaning="how often the input occurs in the pass", name="n"),
            B.over(1, 1024),
        ),
        quantity="m",
        title="Margin after one pass in batches of B",
        source=Source("asymp", "gradient of the cross-entropy with orthonormal embeddings"),
        conventions="Sgd on the mean cross-entropy of each batch, from W = 0, orthonormal embeddings; the margin is "
        "the target's score less that of any other output.",
    ),
)
