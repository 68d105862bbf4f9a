"""induction-weights: an induction head written down as sums of outer products solves the task."""

from asymp.montecarlo.samplers.transformers.induction_weights import (
    attention_by_hand_experiment,
    by_hand_gain_experiment,
    induction_by_hand_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, rows, settings
from asymp.reports.kinds import Bound, Identity, Order
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

CLAIM = Claim(
    id="induction-weights",
    title="An induction head by hand",
    source="bietti2025, bietti2024",
    order=3,
    parts=(
        Bound(
            "source",
            "In enough dimensions the head by hand predicts at least 90 % of the determined tokens.",
            law=laws["induction-weights:solves"],
            experiment=induction_by_hand_experiment,
            grid=Grid(settings(d=256)),
            draw=few_draws(2, 4, ranges={"d": (256, 1024)}),
        ),
        Identity(
            "sharp",
            "At infinite width the first layer's attention to the previous position is 1/(1 + (t - 1) e^-c).",
            law=laws["induction-weights"],
            experiment=attention_by_hand_experiment,
            grid=Grid(settings(c=(1.0, 5.0, 10.0), t=(2, 16, 64))),
            margin=1e-9,
            draw=few_draws(28, ranges={"c": (1, 20), "t": (2, 20)}, reason="whole numbers, both drawn"),
        ),
        Order(
            "dimension",
            "The head by hand starts to work as the dimension grows: four times as many are better in at least three of four "
            "runs.",
            above=0,
            experiment=by_hand_gain_experiment,
            grid=Grid(rows("d less", (32, 8), (64, 16), (128, 32))),
            quantity="A_many - A_few",
            about=("d",),
            stated_in="asymp, softmax of one score c among zeros",
            conventions="Random embeddings; a quarter of the dimensions against all of them. Below some d the head does "
            "not work. Keys of T positions and N tokens are nearly orthogonal above it.",
            draw=few_draws(0, 4, reason="a sweep over d takes half a minute: the nightly profile draws them"),
        ),
    ),
)
