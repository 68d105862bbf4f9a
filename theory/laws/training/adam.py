"""adam: sign descent helps large batches and small steps."""

from asymp.theory.law import law
from asymp.theory.laws.training import LR, B, D
from asymp.theory.laws.training.training_grid import GRID
from asymp.theory.param import Param, real
from asymp.theory.sources import Source

LEARNING_RATE = Param(real(above=0), (0.01, 10), meaning="learning rate; each entry of W moves by lr/d", name="lr")

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
    law(
        "adam:step",
        "lr",
        relation="=",
        params=(D, LEARNING_RATE),
        quantity="|dW|",
        typeset=r"\left\|\Delta W\right\|_F",
        title="Length of a step of sign descent",
        source=Source("asymp", "d^2 entries of size lr/d"),
        conventions=f"Frobenius norm of one update of W, no entry of the gradient being 0. {GRID}",
    ),
)
