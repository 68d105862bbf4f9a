"""adam: sign descent helps large batches and small steps."""

from asymp.theory.law import law
from asymp.theory.laws.training import LR, B, D
from asymp.theory.laws.training.training_grid import GRID
from asymp.theory.sources import Source

LAWS = (
    law(
        "adam",
        "1",
        relation="<=",
        params=(D, B, LR),
        quantity="E_adam/E_sgd",
        title="Adam does not raise the error of large batches and small steps",
        source=Source(
            "bietti2025", "slide on optimisation algorithms and memory schemes; cabannes2024, training experiments"
        ),
        conventions=f"Ratio of errors of adam and sgd at the same d, B, lr, for large B or small lr. {GRID}",
    ),
)
