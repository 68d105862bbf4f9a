"""layer-norm: normalising the output of the memory helps large batches and small steps."""

from asymp.theory.law import law
from asymp.theory.laws.training import D_PUBLISHED, LR, B, D
from asymp.theory.laws.training.training_grid import ERRORS, GRID, lookup, one_of_sizes
from asymp.theory.lazy import Expr, sympy
from asymp.theory.sources import Source


def published() -> Expr:
    """Error with layer norm over error without, both by adam with B = 1024 and lr = 1."""
    return lookup(tuple(sympy.Rational(a, b) for a, b in zip(ERRORS["adam-norm"], ERRORS["adam"], strict=True)))


LAWS = (
    law(
        "layer-norm",
        "1",
        relation="<=",
        params=(D, B, LR),
        quantity="E_norm/E_plain",
        title="Layer norm does not raise the error of large batches and small steps",
        source=Source(
            "bietti2025", "slide on optimisation algorithms and memory schemes; cabannes2024, training experiments"
        ),
        conventions=f"Ratio of errors with and without layer norm, all else equal, for large B or small lr. {GRID}",
    ),
    law(
        "layer-norm:published",
        published,
        relation="=",
        params=(D_PUBLISHED,),
        quantity="E_norm/E_plain",
        title="Error with layer norm over error without, adam, B = 1024, lr = 1, published",
        source=Source("cabannes2024", "training experiments"),
        conventions=GRID,
        conditions=one_of_sizes(),
    ),
)
