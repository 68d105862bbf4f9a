"""How settings of the claims on gradients and training (section 4) are drawn, where not as usual."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from asymp.reports.properties.exception import Cell, Draw, Draws, few

if TYPE_CHECKING:
    from hypothesis import strategies as st

__all__ = ["DRAWS"]


def _compared(shared: Mapping[str, Any], **drawn: tuple[float, float]) -> "st.SearchStrategy[Cell]":
    """A setting of which some numbers are drawn log-uniformly; those of a range of whole numbers are whole."""
    from hypothesis import strategies as st

    from asymp.reports.properties.strategies import between

    ranges = {name: between(*ends, whole=all(isinstance(end, int) for end in ends)) for name, ends in drawn.items()}
    return st.fixed_dictionaries(ranges).map(lambda numbers: {**shared, **numbers})


# The published grid: N = 100 inputs, M = 5 outputs, alpha = 2, one pass. Ten memories a run instead of 25.
GRID: dict[str, Any] = {"alpha": 2.0, "N": 100, "M": 5, "T": 10_240, "memories": 10}
PUBLISHED = "the claim is about the published grid, of which N, M, alpha and the samples are fixed; d goes over its range, and the "
PUBLISHED += "learning rate from 0.1 to 1. Ten memories a run are averaged over instead of 25, for what they cost"

DIMENSIONS = {"d": (10, 300)}
NORM_DIMENSIONS = {"d": (30, 300)}


def _batches() -> "st.SearchStrategy[list[Cell]]":
    from hypothesis import strategies as st

    # batches that divide the samples
    small = st.sampled_from((16, 20, 32, 40, 64, 80, 128, 160))
    drawn = _compared({**GRID, "second": {"batch": 1024}}, **DIMENSIONS, lr=(0.1, 1.0))
    return st.tuples(drawn, small).map(lambda both: [{**both[0], "first": {"batch": both[1]}}])


def _optimisers() -> "st.SearchStrategy[list[Cell]]":
    pair = {"batch": 1024, "first": {"optimiser": "sign"}, "second": {"optimiser": "sgd"}}
    return _compared({**GRID, **pair}, **DIMENSIONS, lr=(0.1, 1.0)).map(lambda c: [c])


def _norms(optimiser: str, **lr: tuple[float, float]) -> "st.SearchStrategy[list[Cell]]":
    pair = {"batch": 1024, "optimiser": optimiser, "first": {"layer_norm": True}, "second": {"layer_norm": False}}
    return _compared({**GRID, **pair, **({} if lr else {"lr": 1.0})}, **NORM_DIMENSIONS, **lr).map(lambda c: [c])


def _largest_step(cell: Cell) -> Cell:
    """The step 2/L of the drawn overlap and frequencies, as the grid has it: a larger one may raise the loss."""
    from asymp.theory import laws

    return {**cell, "eta": 0.999 * float(laws["oscillation"](a=cell["a"], p=cell["p"]))}


def _stopped() -> "st.SearchStrategy[list[Cell]]":
    """The map stopped at the best time of its d, against ten times and more as long, or a tenth and less."""
    from hypothesis import strategies as st

    from asymp.reports.ledger.over_optimisation import stopped
    from asymp.reports.properties.strategies import between

    factor = st.sampled_from((10.0, 30.0, 100.0, 0.1, 1 / 30, 0.01))
    return st.tuples(between(5, 50, whole=True), factor).map(
        lambda both: [{**stopped(both[0], 20 * both[0]), "factor": both[1], "memories": 32}]
    )


def _stopped_error() -> "st.SearchStrategy[list[Cell]]":
    from asymp.reports.ledger.over_optimisation import stopped
    from asymp.reports.properties.strategies import between

    return between(300, 600, whole=True).map(lambda d: [stopped(d, 30 * d)])


def _as_many_outputs(cell: Cell) -> Cell:
    return {**cell, "M": cell["N"]}


def _many_dimensions(cell: Cell) -> Cell:
    """Ten dimensions an input, and no more samples than inputs: short runs."""
    return {**cell, "N": max(10, cell["d"] // 10), "T": max(2, min(cell["T"], cell["d"] // 10))}


FIGURE = "the figure has N = 100, M = 5 and two sizes of steps; a run trains a hundred memories"

COUNTS = "the first of N inputs is shown (N + 3)^2/16 times: seconds from N = 200 on; the figure's N, not given, is some hundred"

DRAWS: Draws = {
    ("backward-vector", "source"): few(15, 2),
    ("backward-vector", "sharp"): few(10, 2),
    ("one-step-memory", "source"): Draw("the source has as many outputs as inputs", fit=_as_many_outputs),
    ("one-step-filter", "source"): few(12),
    ("one-step-filter", "sharp"): few(
        12, ranges={"T": (1, 10)}, reason="the law holds for any number of noise vectors"
    ),
    ("one-step-filter", "variance"): few(12),
    ("sgd-approximation", "source"): few(
        2, 12, trained=True, reason=FIGURE, ranges={"N": None, "M": None, "d": None, "T": (10, 100)}
    ),
    ("sgd-approximation", "wide"): few(
        2,
        12,
        trained=True,
        reason=FIGURE + "; d = 10 N",
        ranges={"M": None, "T": (10, 100), "d": (100, 1000)},
        fit=_many_dimensions,
    ),
    ("sgd-approximation", "batches"): few(
        1,
        12,
        trained=True,
        reason=FIGURE + ", of whole batches",
        ranges={"N": None, "M": None, "d": None, "batch": None, "T": None},
    ),
    ("sgd-approximation", "batches-long"): few(
        1,
        12,
        trained=True,
        reason=FIGURE + ", of whole batches",
        ranges={"N": None, "M": None, "d": None, "batch": None, "T": None},
    ),
    ("sgd-approximation", "source-long"): few(
        1, 12, trained=True, reason=FIGURE, ranges={"N": None, "M": None, "d": None, "T": (1000, 5000)}
    ),
    ("sgd-approximation", "narrow"): few(
        1, 12, trained=True, reason=FIGURE, ranges={"N": None, "M": None, "d": None, "T": (100, 1000)}
    ),
    ("step-size", "source-often"): few(3, 2),
    ("step-size", "large"): few(
        3,
        8,
        reason="'d >> N': ten times N and more",
        ranges={"N": None, "M": None, "d": (1000, 10_000), "T": (200, 2000)},
    ),
    ("step-size", "late"): few(
        3, 8, reason="'d <= N': a third of N and less", ranges={"N": None, "M": None, "d": (3, 30), "T": (1000, 10_000)}
    ),
    ("over-optimisation", "source"): few(
        22,
        8,
        cells=_stopped,
        ranges={"d": (5, 50), "N": (100, 1000)},
        reason="the best time belongs to d; 32 memories a run instead of 256, for what they cost",
    ),
    ("over-optimisation", "sharp"): few(
        2,
        16,
        cells=_stopped_error,
        ranges={"d": (300, 600), "N": (9000, 18_000)},
        reason="the best time and N = 30 d belong to d; the law is one of many dimensions",
    ),
    ("over-optimisation", "source-sgd"): few(
        3,
        8,
        reason="the best time is that of N = 100 and d = 10, as in the grid",
        ranges={"N": None, "M": None, "d": None},
    ),
    ("batch-size", "source"): Draw(PUBLISHED, cells=_batches, ranges=DIMENSIONS, trained=True, examples=6, replicas=8),
    ("adam", "source"): Draw(PUBLISHED, cells=_optimisers, ranges=DIMENSIONS, trained=True, examples=6, replicas=8),
    ("layer-norm", "source"): Draw(
        PUBLISHED, cells=lambda: _norms("sign"), ranges=NORM_DIMENSIONS, trained=True, examples=2, replicas=8
    ),
    ("layer-norm", "small-steps"): Draw(
        PUBLISHED,
        cells=lambda: _norms("sign", lr=(0.1, 0.3)),
        ranges=NORM_DIMENSIONS,
        trained=True,
        examples=2,
        replicas=8,
    ),
    ("layer-norm", "sgd"): Draw(
        PUBLISHED,
        cells=lambda: _norms("sgd", lr=(0.1, 1.0)),
        ranges=NORM_DIMENSIONS,
        trained=True,
        examples=2,
        replicas=8,
    ),
    ("training-grid", "source"): few(
        8,
        10,
        trained=True,
        reason="published numbers exist at these settings only, so one of them is taken",
        ranges=dict.fromkeys(("N", "M", "T", "d", "batch")),
    ),
    ("margin-growth", "source"): few(2, 2),
    ("margin-growth", "sharp"): few(4, 2),
    ("margin-growth", "asymptotic"): few(2, 2),
    ("oscillation", "source"): few(8, 8),
    ("oscillation", "source-random"): few(2, 8),
    ("oscillation", "stable"): Draw(
        "the statement is about the step 2/L, which follows from the overlap and the frequencies drawn",
        fit=_largest_step,
    ),
    ("sgd-map-as-power", "source"): few(3, 2, reason=COUNTS, ranges={"N": (30, 100)}),
    ("sgd-map-as-power", "sharp"): few(24, 2, reason=COUNTS, ranges={"N": (10, 100)}),
    ("sgd-map-as-power", "source-middle"): few(3, 2, reason=COUNTS, ranges={"N": None, "M": None}),
    ("sgd-map", "asymptotic"): few(6, 2),
}
