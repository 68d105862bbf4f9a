"""oscillation: correlated embeddings and unequal frequencies make large steps oscillate, and still arrive first."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.training import oscillation as sampled
from asymp.reports.declaring import Cell, Claim, Draw, Grid, Identity, Order, Setting, few_draws, laws, rows, settings


def any_overlap(params: Setting) -> dict[str, Any]:
    """The limit of an order is the same at every overlap."""
    return {"a": params.get("high", 0.0), "p": params.get("p", 0.75)}


def largest_step(cell: Cell) -> Cell:
    """A step of 2/L, the largest that cannot raise the loss, at an overlap and frequencies."""
    return {**cell, "eta": 0.999 * float(laws["oscillation"](a=cell["a"], p=cell["p"]))}


order = partial(Order, below=laws["oscillation:source"], experiment=sampled.time_ratio_experiment, to_law=any_overlap)

CLAIM = Claim(
    id="oscillation",
    title="Large steps oscillate and arrive first",
    source="bietti2025",
    order=17,
    parts=(
        order(
            "source",
            "In at least three of four runs steps of 10 reach perfect accuracy no later than steps of 1, when the "
            "frequent token has a share of 3/4.",
            grid=Grid(settings(p=0.75, low=(-0.95, 0.4), high=0.95)),
            draw=few_draws(8, 8),
        ),
        Order(
            "source-random",
            "With random inputs, steps of 100 reach perfect accuracy no later than steps of 1, in at least three of "
            "four runs.",
            below=laws["oscillation:source"],
            experiment=sampled.random_time_ratio_experiment,
            grid=Grid(settings(d=20, N=20, M=5, steps=300)),
            to_law=any_overlap,
            draw=few_draws(2, 8),
        ),
        Identity(
            "first-step",
            "The first step moves the margins by eta (p_x - a p_y), where a is the overlap of the inputs: the rare "
            "token moves to the wrong side if a p > 1 - p.",
            law=laws["oscillation:first-step"],
            experiment=sampled.first_step_experiment,
            grid=Grid(
                [
                    setting
                    for token in ("frequent", "rare")
                    for setting in rows("eta a p", (10.0, 0.9, 0.75), (1.0, 0.2, 0.75), (5.0, -0.5, 0.6), token=token)
                ]
            ),
            margin=1e-9,
        ),
        Order(
            "stable",
            "With a step of 2/L the loss never rises, wherever training starts: in at least 19 of 20 random starts.",
            below=0,
            at_least=0.95,  # an exact inequality
            experiment=sampled.loss_rise_experiment,
            grid=Grid([largest_step(cell) for cell in rows("a p", (0.9, 0.75), (0.5, 0.75), (0.0, 0.5))]),
            quantity="max_rise",
            about=("a", "p"),
            stated_in="asymp, a step below 2/L cannot raise a loss of smoothness L",
            draw=Draw(
                "the statement is about the step 2/L, which follows from the overlap and the frequencies drawn",
                fit=largest_step,
            ),
        ),
        Order(
            "source-rises",
            "With steps of 10, far above 2/L, and an overlap of .9 the loss rises at least once, in at least three of four runs.",
            above=0,
            experiment=sampled.loss_rise_experiment,
            grid=Grid(settings(eta=10.0, a=0.9, p=0.75)),
            quantity="max_rise",
            about=("a", "p"),
            stated_in="bietti2025, slide on large steps and oscillations (Cabannes, Simsek, Bietti 2024)",
            conventions="The largest rise of the loss in one of 64 steps from a random start.",
            draw=few_draws(2, 8, ranges={"eta": (10, 30), "a": (0.9, 0.95), "p": (0.7, 0.8)}, reason="a large overlap"),
        ),
        order(
            "source-balanced",
            "Steps of 10 also arrive no later than steps of 1 when the tokens are nearly equally frequent (p = .55) and overlap "
            "by more than .8, in at least three of four runs.",
            grid=Grid(settings(p=0.55, low=0.8, high=0.99)),
            erratum=laws["oscillation:source"].errata[0],
        ),
    ),
)
