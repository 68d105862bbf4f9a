"""training-grid: published errors of trained memories over dimension, batch, step, optimiser and layer norm."""

from functools import partial
from typing import Any

from asymp.theory.law import law
from asymp.theory.laws.training import D_PUBLISHED
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice
from asymp.theory.sources import Condition, Source

SIZES = (10, 100, 1000)
# In units of 1e-4, at d = 10, 100, 1000.
ERRORS = {"sgd": (638, 307, 183), "adam": (984, 458, 284), "adam-norm": (815, 255, 143), "all-learned": (20, 15, 12)}
DEVIATIONS = (167, 37, 24)

GRID = (
    "The published grid: Zipf inputs with alpha = 2, N = 100, M = 5, f(x) = x mod M; W, E and U start as N(0, 1/d); "
    "consecutive minibatches of B in one pass over T = 10240 samples, so T/B steps; error over p after the pass, mean "
    "of 10 seeds. 'adam' has betas (0, 0), which is sign descent, with the step lr/d for W and lr/sqrt(d) for E and U. "
    "'layer norm' puts h/sqrt(|h|^2 + 1e-6) in the place of h = W e_x before the scores U h."
)


def lookup(values: tuple[Any, ...]) -> Expr:
    """A table over d = 10, 100, 1000."""
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


def table(*, setting: str) -> Expr:
    """The published mean errors of a setting."""
    return lookup(tuple(sympy.Rational(v, 10_000) for v in ERRORS[setting]))


def deviations() -> Expr:
    """The published standard deviations over seeds of the setting 'sgd'."""
    return lookup(tuple(sympy.Rational(v, 10_000) for v in DEVIATIONS))


declare = partial(law, relation="=", conventions=GRID, conditions=one_of_sizes())

LAWS = (
    declare(
        "training-grid",
        table,
        params=(
            D_PUBLISHED,
            Param(
                choice("sgd", "adam", "adam-norm", "all-learned"),
                default="sgd",
                meaning="'sgd' (B=64, lr=1), 'adam' (B=1024, lr=1), "
                "'adam-norm' (adam with layer norm, B=1024, lr=1), 'all-learned' (W, E and U by sgd, B=16, lr=1)",
                name="setting",
            ),
        ),
        title="Error of a trained memory, published",
        source=Source("cabannes2024", "training experiments: grids over d, batch, step, optimiser and layer norm"),
    ),
    declare(
        "training-grid:deviation",
        deviations,
        params=(D_PUBLISHED,),
        quantity="sd",
        title="Standard deviation over seeds of the error of a memory trained by sgd (B=64, lr=1), published",
        source=Source("cabannes2024", "training experiments: grids over d, batch, step, optimiser and layer norm"),
    ),
)
