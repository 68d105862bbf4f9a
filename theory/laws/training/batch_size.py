"""batch-size: at the same number of samples, small batches learn more than large ones."""

from asymp.theory.law import law
from asymp.theory.laws.training import D
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
)
