"""induction-probes: the three memories of an induction head are learned one after the other."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.transformers.induction_probes import joint_gain_experiment, probe_order_experiment
from asymp.reports.claims.draws import TRAINED_COSTS
from asymp.reports.declaring import Claim, Grid, Order, few_draws, laws, nightly

UNIFORM: dict[str, Any] = {"text": "uniform", "N": 16, "T": 16, "K": 4, "d": 64, "batch": 64}
SHAKESPEARE: dict[str, Any] = {"text": "shakespeare", "N": 65, "T": 32, "K": 5, "d": 128, "batch": 64}
PUBLISHED: dict[str, Any] = {**SHAKESPEARE, "T": 256, "d": 256, "batch": 512, "steps": 1000}
PUBLISHED |= {"optimiser": {"name": "sgd", "lr": 0.03, "weight_decay": 1e-4}}


def ordered(setting: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    """Both neighbouring pairs of the order."""
    pairs = (("OV2", "KQ2"), ("KQ2", "KQ1"))
    return [{**setting, **more, "first": first, "second": second} for first, second in pairs]


# A probe every step, so that memories that set in soon after each other are told apart.
BY_SGD = ordered(SHAKESPEARE, steps=60, every=1, optimiser={"name": "sgd", "lr": 0.1})
BY_ADAM = ordered(UNIFORM, steps=60, every=1)
PUBLISHED_ORDER = ordered(PUBLISHED, every=5)


order = partial(Order, below=laws["induction-probes"], experiment=probe_order_experiment)

CLAIM = Claim(
    id="induction-probes",
    title="The order in which an induction head is learned",
    source="bietti2025, bietti2024",
    order=2,
    parts=(
        order(
            "source",
            "The output matrix of layer 2 is learned first and the attention matrix of layer 1 last: W_OV^2 no later than "
            "W_KQ^2, and that no later than W_KQ^1, each in at least three of four runs.",
            grid=Grid(BY_SGD, paper=PUBLISHED_ORDER),
            draw=nightly(5),
        ),
        order(
            "adam",
            "With Adam in place of SGD, on uniform bigrams, the same order holds in at least half of the runs.",
            at_least=0.5,
            grid=Grid(BY_ADAM),
            draw=few_draws(
                5, 8, trained=True, reason=TRAINED_COSTS, ranges={"N": (8, 16), "T": None, "K": (2, 5), "d": (48, 96)}
            ),
        ),
        order(
            "last",
            "W_KQ^1 is learned last: in at least three of four runs no earlier than W_KQ^2, with SGD and with Adam.",
            grid=Grid([BY_SGD[1], BY_ADAM[1]], paper=[PUBLISHED_ORDER[1], BY_ADAM[1]]),
            draw=nightly(5),
        ),
        order(
            "recall",
            "By the share that is recalled, R(W, W*), W_KQ^1 is learned last too: with Adam on uniform bigrams it reaches one half "
            "no earlier than W_KQ^2, in at least half of the runs.",
            at_least=0.5,
            grid=Grid([{**BY_ADAM[1], "steps": 150, "every": 2, "probe": "recall", "onset": 0.5}]),
            draw=nightly(5),
        ),
        Order(
            "joint",
            "Learning all three at once is faster than one after the other, in at least three of four runs.",
            above=0,
            experiment=joint_gain_experiment,
            grid=Grid([{**UNIFORM, "T": 12, "d": 32, "batch": 32, "steps": 90}], paper=[PUBLISHED]),
            quantity="A_joint - A_staged",
            about=("N", "T", "d"),
            stated_in="bietti2025, slide on the training dynamics of induction heads; bietti2024, the same",
            conventions="Basic model of two layers, equal numbers of steps. In stages W_OV^2, W_KQ^2 and W_KQ^1 have a "
            "third of the steps each, the others frozen meanwhile. Joint learning is faster.",
            draw=nightly(5),
        ),
    ),
)
