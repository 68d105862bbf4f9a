"""adam: sign descent helps large batches and small steps."""

from asymp.theory.domain import integer, real
from asymp.theory.formulas.training_grid import GRID
from asymp.theory.law import law
from asymp.theory.statement import Source

__all__ = ["LAWS"]

LAWS = (
    law(
        "adam",
        "1",
        relation="<=",
        domain={"d": integer(1), "B": integer(1), "lr": real(above=0)},
        typical={"d": (10.0, 1000.0), "B": (256.0, 1024.0), "lr": (0.01, 1.0)},
        meanings={"d": "dimension of the embeddings", "B": "batch size", "lr": "learning rate"},
        quantity="E_adam/E_sgd",
        title="Adam does not raise the error of large batches and small steps",
        source=Source(
            "bietti2025", "slide on optimisation algorithms and memory schemes; cabannes2024, training experiments"
        ),
        conventions=f"Ratio of errors of adam and sgd at the same d, B, lr, for large B or small lr. {GRID}",
        notes=(
            "An order, found empirically by the source. The steps are not of the same length: `adam:step` is that of "
            "adam, the step of "
            "sgd is lr times the gradient, which falls with training. The published numbers have no pair at the same "
            "B.",
        ),
    ),
    law(
        "adam:step",
        "lr",
        relation="=",
        domain={"d": integer(1), "lr": real(above=0)},
        typical={"d": (10.0, 1000.0), "lr": (0.01, 10.0)},
        meanings={"d": "dimension of the embeddings", "lr": "learning rate; each entry of W moves by lr/d"},
        quantity="|dW|",
        typeset=r"\left\|\Delta W\right\|_F",
        title="Length of a step of sign descent",
        source=Source("asymp", "d^2 entries of size lr/d"),
        conventions=f"Frobenius norm of one update of W, no entry of the gradient being 0. {GRID}",
        notes=(
            "The same for every batch and however small the gradient is: why adam helps where sgd's steps are short.",
        ),
    ),
    law(
        "adam:entry",
        "lr*n/d",
        relation="<=",
        domain={"d": integer(1), "lr": real(above=0), "n": integer(0)},
        typical={"d": (10.0, 1000.0), "lr": (0.01, 10.0), "n": (0.0, 1000.0)},
        meanings={
            "d": "dimension of the embeddings",
            "lr": "learning rate; each entry of W moves by lr/d",
            "n": "number of steps, T/B in one pass",
        },
        quantity="|W_ij|",
        typeset=r"\left|W_{ij} - W_{ij}^{(0)}\right|",
        title="How far an entry of W can be after n steps of sign descent",
        source=Source("asymp", "n steps of size lr/d"),
        conventions=GRID,
    ),
)
