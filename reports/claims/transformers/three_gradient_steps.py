"""three-gradient-steps: one gradient step each on W_OV^2, W_KQ^2 and W_KQ^1 recovers the memories of an induction head."""

from functools import partial

from asymp.montecarlo.samplers.transformers import three_gradient_steps as sampled
from asymp.reports.declaring import Claim, Constant, Grid, Identity, Order, few_draws, laws, nightly, rows, settings

order = partial(
    Order,
    above=0,
    about=("N", "T"),
    stated_in="bietti2025, theorem on three gradient steps (informal)",
    draw=nightly(5),
)

CLAIM = Claim(
    id="three-gradient-steps",
    title="An induction head in three gradient steps",
    source="bietti2025, bietti2024",
    order=4,
    parts=(
        Order(
            "source",
            "After one step on each of the three matrices every row of all three has its largest entry where it should "
            "be, in at least three of four runs.",
            above=1,
            experiment=sampled.recovered_experiment,
            grid=Grid(rows("N T", (16, 6), (16, 10))),
            quantity="R",
            about=("N", "T"),
            stated_in="bietti2025, theorem on three gradient steps (informal); bietti2024, the same",
            conventions="Infinite width; gradients on 16384 sequences in the place of the population's. R is the share of rows "
            "recalled, as on the slide on probes, and the smallest of the three matrices' counts.",
            draw=few_draws(2, 4, ranges={"N": (8, 24), "T": (6, 12)}, reason="the theorem supposes N >> T >> 1"),
        ),
        Identity(
            "sharp",
            "With ideal memories the model predicts the output with probability 1 - 1/(2(T-2)) - (T-5)/(2N(T-2)).",
            law=laws["three-gradient-steps"],
            experiment=sampled.three_step_accuracy_experiment,
            grid=Grid(rows("N T", (8, 6), (32, 12))),
            # In [0, 1] to 2 %, with no more assumed.
            draw=few_draws(30, 16, ranges={"N": (4, 64), "T": (5, 50)}),
        ),
        Identity(
            "step-one",
            "The first step writes (1/(N T))(1 - 1/N) on the diagonal of W_OV^2 and -1/(N^2 T) elsewhere.",
            law=laws["three-gradient-steps:step-one"],
            experiment=sampled.step_entry_experiment,
            grid=Grid(
                rows("N T entry", (8, 6, "diagonal"), (8, 6, "off"), (16, 8, "diagonal"), (16, 8, "off"), matrix="OV2")
            ),
            draw=few_draws(4, 4),
        ),
        Identity(
            "step-two",
            "The second step writes the predicted diagonal of W_KQ^2, at every N.",
            law=laws["three-gradient-steps:step-two"],
            experiment=sampled.step_entry_experiment,
            grid=Grid(settings(N=8, T=6, matrix="KQ2", entry="diagonal")),
            resolution=1e-3,
            draw=few_draws(1, 4),
        ),
        Constant(
            "step-three",
            "The third step writes the predicted entries of W_KQ^1 from a position to the one before, N large.",
            law=laws["three-gradient-steps:step-three"],
            experiment=sampled.step_entry_experiment,
            grid=Grid(settings(N=64, T=8, matrix="KQ1", t=3)),
            draw=few_draws(0, 4, reason="five seconds a setting: the nightly profile draws them"),
        ),
        order(
            "simplifications",
            "Without the theorem's simplifications the three steps recover less, in at least three of four runs.",
            experiment=sampled.simplified_gain_experiment,
            grid=Grid(settings(N=8, T=6, free="everything", sequences=2**12)),
            quantity="A_simplified - A_free",
            conventions="The steps are taken, on samples, and amplified at the end until attention is hard. The theorem's "
            "simplifications matter. Without them queries, keys and values of layer 2 are the whole residual "
            "stream, and layer 1 scores and carries tokens and positions.",
        ),
        order(
            "finite-width",
            "With random embeddings the three steps recover more in many dimensions than in few, in at least three of four "
            "runs.",
            experiment=sampled.width_gain_experiment,
            grid=Grid(settings(N=16, T=6, d=256, less=8, sequences=2**12)),
            quantity="A_wide - A_narrow",
            conventions="Random embeddings N(0, I/d) in the place of one-hot blocks; the steps are taken, on samples. "
            "Finite width is enough, and too little of it is not.",
        ),
    ),
)
