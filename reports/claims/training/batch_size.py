"""batch-size: small batches have no larger error than large ones after one pass over as many samples."""

from typing import TYPE_CHECKING, Any

from asymp.montecarlo.samplers.training.batch_size import training_ratio_experiment
from asymp.reports.claim import Claim
from asymp.reports.claims.draws import AS_PUBLISHED, DIMENSIONS, PUBLISHED_GRID, PUBLISHED_RUNS, compared, of_pair
from asymp.reports.grid import Grid
from asymp.reports.kinds import Order
from asymp.reports.kinds.drawing import Cell, Draw
from asymp.theory import laws

if TYPE_CHECKING:
    from hypothesis import strategies as st

GRID = {"alpha": 2.0, "N": 100, "M": 5, "memories": 25}


def pair(d: int, T: int, small: int, large: int, lr: float) -> dict[str, Any]:
    """Two batches, everything else alike."""
    return {**GRID, "d": d, "T": T, "lr": lr, "first": {"batch": small}, "second": {"batch": large}}


def batches() -> "st.SearchStrategy[list[Cell]]":
    from hypothesis import strategies as st

    # batches that divide the samples
    small = st.sampled_from((16, 20, 32, 40, 64, 80, 128, 160))
    drawn = compared({**PUBLISHED_GRID, "second": {"batch": 1024}}, **DIMENSIONS, lr=(0.1, 1.0))
    return st.tuples(drawn, small).map(lambda both: [{**both[0], "first": {"batch": both[1]}}])


CLAIM = Claim(
    id="batch-size",
    title="Small against large batches",
    source="cabannes2024, bietti2025",
    order=12,
    parts=(
        Order(
            "source",
            "After one pass small batches have no larger error than batches of 1024, with steps of 0.1 and of 1.",
            below=laws["batch-size"],
            experiment=training_ratio_experiment,
            grid=Grid(
                [pair(100, 10_240, 16, 1024, 1.0)],
                [pair(d, 10_240, small, 1024, lr) for d in (10, 100, 1000) for small in (16, 128) for lr in (0.1, 1.0)],
                replicas=PUBLISHED_RUNS,
            ),
            to_law=of_pair,
            draw=Draw(AS_PUBLISHED, cells=batches, ranges=DIMENSIONS, trained=True, examples=6, replicas=8),
        ),
    ),
)
