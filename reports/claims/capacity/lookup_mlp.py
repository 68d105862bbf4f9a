"""lookup-mlp: one neuron for each stored input, which fires only near it; and what that costs."""

from functools import partial

from asymp.montecarlo.samplers.capacity import lookup_mlp as sampled
from asymp.reports.claims.draws import EXPONENTIAL
from asymp.reports.declaring import Capacity, Claim, Grid, Identity, Order, few_draws, laws, rows, settings

against_linear = partial(
    Order,
    above=laws["lookup-mlp:noise-source"],
    experiment=sampled.lookup_noise_experiment,
    draw=few_draws(2, 8, ranges={"N": None}),
)

# Few items, and around 200 and 400, where all of them are right half of the time.
ITEMS = (2, 3, 4, 5, 6, 64, 96, 144, 216, 324, 486, 729)

CLAIM = Claim(
    id="lookup-mlp",
    title="One neuron for each input, and what that costs",
    source="bietti2024",
    order=15,
    parts=(
        Capacity(
            "source",
            "A lookup layer recalls all of its items up to at least exp(d b^2/4) of them, a number that is exponential in d.",
            law=laws["lookup-mlp"],
            experiment=sampled.lookup_recall_experiment,
            # From below exp(d b^2/4), which is 4.3 and 4.2, to beyond the sizes at which all items are right half of the time.
            grid=Grid([*settings(d=12, N=ITEMS, b=0.7, items="all"), *settings(d=16, N=ITEMS, b=0.6, items="all")]),
            size="N",
            draw=few_draws(2, 16, sizes=5, ranges={"d": (6, 24)}, reason=EXPONENTIAL),
        ),
        Identity(
            "silent",
            "The probability that no other neuron fires is that of N - 1 independent inner products, all below the threshold.",
            law=laws["lookup-mlp:silent"],
            experiment=sampled.lookup_silence_experiment,
            grid=Grid(rows("d N b", (16, 64, 0.5), (24, 32, 0.3))),
        ),
        Identity(
            "cost",
            "An answer of a lookup layer takes 2 N/d times as many operations as one of a linear memory.",
            law=laws["lookup-mlp:cost"],
            experiment=sampled.lookup_cost_experiment,
            grid=Grid(settings(d=16, N=(8, 64, 512))),
        ),
        Identity(
            "noise",
            "Noise of size s silences the right neuron with the probability of a normal tail.",
            law=laws["lookup-mlp:noise"],
            experiment=sampled.lookup_silenced_experiment,
            grid=Grid(rows("d b s", (16, 0.5, 1.5), (64, 0.7, 2.0))),
        ),
        against_linear(
            "noise-few",
            "With few items, N << d, and b = 0.7, noise makes a lookup layer lose more items than a linear memory, in "
            "at least three of four runs.",
            # few items beside the dimensions, and a threshold near one: the regime of a large capacity
            grid=Grid(settings(d=64, N=8, b=0.7, s=(1.5, 2.0))),
        ),
        against_linear(
            "noise-many",
            "With as many items as dimensions noise makes a lookup layer lose more items than a linear memory, in at "
            "least three of four runs.",
            grid=Grid(settings(d=64, N=(64, 128), b=0.5, s=1.0)),
            erratum=laws["lookup-mlp:noise-source"].errata[0],
        ),
        Order(
            "learning",
            "Trained from random neurons, a lookup layer takes more steps than a linear memory, in at least three of "
            "four runs.",
            above=1,
            experiment=sampled.learning_steps_experiment,
            grid=Grid(settings(d=16, N=32, b=0.5)),
            quantity="ratio",
            about=("d", "N", "b"),
            stated_in="bietti2024, slide on capacity: 'harder to learn'",
            conventions="Steps of full-batch Adam to 99 % recall, from random unit directions and biases -b, over those of a "
            "matrix from zero. A neuron that fires for no input has no gradient: a share of about N exp(-d b^2/2) fires at the "
            "start.",
            draw=few_draws(1, 8, ranges={"N": None, "d": None}),
        ),
    ),
)
