"""layer-norm: normalising the output of the memory helps large batches and small steps."""

from typing import TYPE_CHECKING

from asymp.theory.domain import choice, integer, real
from asymp.theory.formulas.training_grid import ERRORS, GRID, lookup, one_of_sizes
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]


def published() -> "sympy.Expr":
    """Error with layer norm over error without, both by adam with B = 1024 and lr = 1."""
    import sympy

    return lookup(tuple(sympy.Rational(a, b) for a, b in zip(ERRORS["adam-norm"], ERRORS["adam"], strict=True)))


def gain(*, direction: str) -> "sympy.Expr":
    """The derivative of h/sqrt(|h|^2 + eps) across h (tangent) and along h (radial)."""
    import sympy

    h, eps = sympy.symbols("h epsilon", positive=True)
    return 1 / sympy.sqrt(h**2 + eps) if direction == "tangent" else eps / (h**2 + eps) ** sympy.Rational(3, 2)


LAWS = (
    law(
        "layer-norm",
        "1",
        relation="<=",
        domain={"d": integer(1), "B": integer(1), "lr": real(above=0)},
        typical={"d": (10.0, 1000.0), "B": (256.0, 1024.0), "lr": (0.01, 1.0)},
        meanings={"d": "dimension of the embeddings", "B": "batch size", "lr": "learning rate"},
        quantity="E_norm/E_plain",
        title="Layer norm does not raise the error of large batches and small steps",
        source=Source(
            "bietti2025", "slide on optimisation algorithms and memory schemes; cabannes2024, training experiments"
        ),
        conventions=f"Ratio of errors with and without layer norm, all else equal, for large B or small lr. {GRID}",
        notes=("An order, found empirically by the source; `layer-norm:published` has the published ratios.",),
    ),
    law(
        "layer-norm:published",
        published,
        relation="=",
        domain={"d": integer(10, 1000)},
        typical={"d": (100.0, 100.0)},
        meanings={"d": "dimension of the embeddings: 10, 100 or 1000"},
        quantity="E_norm/E_plain",
        title="Error with layer norm over error without, adam, B = 1024, lr = 1, published",
        source=Source("cabannes2024", "training experiments"),
        conventions=GRID,
        conditions=(one_of_sizes(),),
        exponents={"d": "0"},
    ),
    law(
        "layer-norm:gain",
        gain,
        relation="=",
        domain={"h": real(0), "epsilon": real(above=0), "direction": choice("tangent", "radial")},
        typical={"h": (0.01, 10.0), "epsilon": (1e-6, 1.0)},
        defaults={"direction": "tangent", "epsilon": 1e-6},
        meanings={
            "h": "norm of h = W e_x",
            "epsilon": "constant under the square root",
            "direction": "'tangent': across h; 'radial': along h",
        },
        quantity="gain",
        title="Factor that layer norm puts on the gradient",
        source=Source("asymp", "derivative of h/sqrt(|h|^2 + epsilon)"),
        conventions="Eigenvalues of the derivative of h -> h/sqrt(|h|^2 + epsilon).",
        notes=(
            "Small |h| means large gradients: layer norm raises small steps by up to epsilon^(-1/2), and nothing that "
            "only lengthens h "
            "is learned. Scores stay below |u|, so margins cannot grow without bound.",
        ),
    ),
)
