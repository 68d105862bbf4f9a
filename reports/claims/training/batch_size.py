"""batch-size: small batches have no larger error than large ones after one pass over as many samples."""

from typing import TYPE_CHECKING, Any

from asymp.montecarlo.samplers.training.batch_size import training_ratio_experiment
from asymp.reports.claims.draws import AS_PUBLISHED, DIMENSIONS, PUBLISHED_GRID, compared, of_pair
from asymp.reports.declaring import Cell, Claim, Draw, Grid, Order, laws, settings

if TYPE_CHECKING:
    from hypothesis import strategies as st

SHARED: dict[str, Any] = {**PUBLISHED_GRID, "second": {"batch": 1024}}


def batches() -> "st.SearchStrategy[list[Cell]]":
    from hypothesis import strategies as st

    # batches that divide the samples
    small = st.sampled_from((16, 20, 32, 40, 64, 80, 128, 160))
    drawn = compared(SHARED, **DIMENSIONS, lr=(0.1, 1.0))
    return st.tuples(drawn, small).map(lambda both: [{**both[0], "first": {"batch": both[1]}}])


CLAIM = Claim(
    id="batch-size",
    title="Small against large batches",
    source="cabannes2024, bietti2025",
    order=12,
    parts=(
        Order(
            "source",
            "After one pass small batches have, in at least three of four runs, no larger error than batches of 1024, with "
            "steps of 0.1 and of 1.",
            below=laws["batch-size"],
            experiment=training_ratio_experiment,
            grid=Grid(settings(**SHARED | {"memories": 25}, d=(10, 100, 1000), lr=(0.1, 1.0), first={"batch": 16})),
            to_law=of_pair,
            draw=Draw(AS_PUBLISHED, cells=batches, ranges=DIMENSIONS, trained=True, examples=6, replicas=8),
        ),
    ),
)
