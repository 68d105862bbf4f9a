"""training-grid: published errors of trained memories over dimension, batch, step, optimiser and layer norm."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer
from asymp.theory.law import law
from asymp.theory.statement import Condition, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["GRID", "LAWS", "SIZES", "lookup", "one_of_sizes"]

SIZES = (10, 100, 1000)
# In units of 1e-4, at d = 10, 100, 1000.
ERRORS = {
    "sgd": (638, 307, 183),
    "adam": (984, 458, 284),
    "adam-norm": (815, 255, 143),
    "all-learned": (20, 15, 12),
}
DEVIATIONS = (167, 37, 24)

GRID = (
    "The published grid: Zipf inputs with alpha = 2, N = 100, M = 5, f(x) = x mod M; W, E and U start as N(0, 1/d); "
    "consecutive "
    "minibatches of B in one pass over T = 10240 samples, so T/B steps; error over p after the pass, mean of 10 "
    "seeds. 'adam' has "
    "betas (0, 0), which is sign descent, with the step lr/d for W and lr/sqrt(d) for E and U. 'layer norm' puts "
    "h/sqrt(|h|^2 + 1e-6) "
    "in the place of h = W e_x before the scores U h."
)


def lookup(values: tuple[Any, ...]) -> "sympy.Expr":
    """A table over d = 10, 100, 1000."""
    import sympy

    d = sympy.Symbol("d", integer=True, positive=True)
    return sympy.Piecewise(
        *((v, sympy.Le(d, size)) for v, size in zip(values[:-1], SIZES, strict=False)), (values[-1], True)
    )


def one_of_sizes() -> Condition:
    """d is one of the published sizes."""
    return Condition(
        lambda v: (v["d"] == 10) | (v["d"] == 100) | (v["d"] == 1000),
        "d must be one of the published sizes 10, 100, 1000",
    )


def table(*, setting: str) -> "sympy.Expr":
    """The published mean errors of a setting."""
    import sympy

    return lookup(tuple(sympy.Rational(v, 10_000) for v in ERRORS[setting]))


def deviations() -> "sympy.Expr":
    """The published standard deviations over seeds of the setting 'sgd'."""
    import sympy

    return lookup(tuple(sympy.Rational(v, 10_000) for v in DEVIATIONS))


SHARED: dict[str, Any] = {
    "relation": "=",
    "typical": {"d": (100.0, 100.0)},
    "meanings": {
        "d": "dimension of the embeddings: 10, 100 or 1000",
        "setting": "'sgd' (B=64, lr=1), 'adam' (B=1024, lr=1), 'adam-norm' (adam with layer norm, B=1024, lr=1), "
        "'all-learned' "
        "(W, E and U by sgd, B=16, lr=1)",
    },
    "conventions": GRID,
    "conditions": (one_of_sizes(),),
    "exponents": {"d": "0"},
}

LAWS = (
    law(
        "training-grid",
        table,
        domain={"d": integer(10, 1000), "setting": choice(*ERRORS)},
        defaults={"setting": "sgd"},
        title="Error of a trained memory, published",
        source=Source("cabannes2024", "training experiments: grids over d, batch, step, optimiser and layer norm"),
        notes=(
            "Numbers of the published experiments, not a formula. Standard deviation over seeds, setting 'sgd': "
            ".0167, .0037, .0024 at d = 10, 100, 1000; none is published for the others.",
            "Only W is trained in the first three settings.",
        ),
        **SHARED,
    ),
    law(
        "training-grid:deviation",
        deviations,
        domain={"d": integer(10, 1000)},
        quantity="sd",
        title="Standard deviation over seeds of the error of a memory trained by sgd (B=64, lr=1), published",
        source=Source("cabannes2024", "training experiments: grids over d, batch, step, optimiser and layer norm"),
        notes=("Over 10 seeds: the mean's own uncertainty is smaller by sqrt(10).",),
        **SHARED,
    ),
)
