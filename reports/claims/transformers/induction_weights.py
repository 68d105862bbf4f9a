"""induction-weights: an induction head written down as sums of outer products solves the task."""

from asymp.montecarlo.samplers.transformers import induction_weights as sampled
from asymp.reports.declaring import Bound, Claim, Grid, Identity, Order, few_draws, laws, rows, settings

CLAIM = Claim(
    id="induction-weights",
    title="An induction head by hand",
    source="bietti2025, bietti2024",
    order=3,
    parts=(
        Bound(
            "source",
            "In enough dimensions the induction head that is written by hand predicts at least 90 % of the tokens that the "
            "context determines.",
            law=laws["induction-weights:solves"],
            experiment=sampled.induction_by_hand_experiment,
            grid=Grid(settings(d=256)),
            draw=few_draws(2, 4, ranges={"d": (256, 1024)}),
        ),
        Identity(
            "sharp",
            "At infinite width the first layer's attention to the previous position is 1/(1 + (t - 1) e^-c).",
            law=laws["induction-weights"],
            experiment=sampled.attention_by_hand_experiment,
            grid=Grid(settings(c=(1.0, 5.0, 10.0), t=(2, 16, 64))),
            margin=1e-9,
            draw=few_draws(28, ranges={"c": (1, 20), "t": (2, 20)}, reason="whole numbers, both drawn"),
        ),
        Order(
            "dimension",
            "The head that is written by hand is more accurate in four times as many dimensions, in at least three of "
            "four runs.",
            above=0,
            experiment=sampled.by_hand_gain_experiment,
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
