"""multi-input-capacity: how many facts about pairs (subject, relation) a layer of m neurons holds."""

from dataclasses import replace
from functools import partial

from asymp.montecarlo.samplers.capacity import multi_input_capacity as sampled
from asymp.reports.claims.capacity import PURE, SERIES, around, octaves
from asymp.reports.claims.draws import with_losses
from asymp.reports.declaring import Capacity, Claim, Constant, Grid, Order, Rate, Setting, laws, settings
from asymp.reports.kinds.drawing import Cell, few_draws, nightly

SOURCE = laws["multi-input-capacity:source"]
VARIED = (6, 9, 14, 22, 34)


def facts(*shapes: tuple[int, int]) -> Grid:
    """Six numbers of facts, which a regression takes; a fifth to each side, where a parabola fits.

    Around the share of m d facts that training reached in a pilot of its own (seed 1000).
    """
    factors = [2 ** (j / 8) for j in (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)]
    return Grid(around({(d, m): 0.42 * m * d for d, m in shapes}, factors, "dm", M=512))


def curve(params: Setting) -> Setting:
    """The number of subjects in the place of that of facts."""
    return {**params, "S": params["N"] // params["R"]}


def whole_subjects(cell: Cell) -> Cell:
    """As many facts about every subject."""
    return {**cell, "N": cell["R"] * max(2, cell["N"] // cell["R"])}


# At a fixed number M of outputs N = m d/(z^2 (1 + d/M)(1 + m/d^2)) less a constant: corrections of order 1/m, 1/d and 1/d^2.
growth = partial(
    Rate, law=SOURCE, experiment=sampled.facts_capacity_experiment, margin=0.1, families=PURE, omega=SERIES
)
# Trained, the layer has m (2 d - 1) free parameters: powers of 1/m and 1/d.
trained = partial(
    Capacity,
    law=SOURCE,
    experiment=sampled.trained_pairs_experiment,
    size="N",
    families=PURE,
    omega=SERIES,
    draw=nightly(4),
)
HALF_RIGHT = Capacity(
    "sharp",
    "Half of the facts are right at the number that the finite-size law gives.",
    law=laws["multi-input-capacity:half"],
    experiment=sampled.facts_recall_experiment,
    # multiples of the 16 relations
    grid=Grid(around({(128, 256): 2040}, octaves(16), "dm", multiple=16, R=16, M=512, p=1)),
    size="N",
    draw=few_draws(1, 4, fit=whole_subjects, ranges={"M": None, "R": None, "d": (96, 160), "m": (128, 256)}, sizes=5),
)

CLAIM = Claim(
    id="multi-input-capacity",
    title="Facts about pairs that m neurons hold",
    source="bietti2025, bietti2024",
    order=7,
    parts=(
        growth(
            "source",
            "If each answer competes with a fixed number of others, the number N of facts grows like d, for d well below the "
            "number M of answers.",
            # The factor 1 + d/M bends the other way, and is in no class: with M = 4096 it would move the exponent by -0.06. A
            # replica's spread falls from 15 % at d = 32 to 4 % at d = 256.
            grid=Grid(
                settings(d=(32, 48, 64, 96, 128, 192, 256), m=128, M=32768, p=1),
                weight=lambda setting: max(1, 128 // setting["d"]),
            ),
            variable="d",
            draw=few_draws(1, 4, ranges={"M": None, "m": (64, 128)}, sizes=5),
        ),
        growth(
            "source-m",
            "If each answer competes with a fixed number of others, N grows like the width m, for m well below d^2.",
            # The factor 1 + m/d^2 bends the other way too: by 3 % at m = 512. A small memory has few facts to ask about, and
            # costs little.
            grid=Grid(
                settings(d=128, m=(32, 48, 64, 96, 128, 192, 256, 384, 512), M=2048, p=1),
                weight=lambda setting: max(1, 256 // setting["m"]),
            ),
            variable="m",
            draw=few_draws(1, 4, ranges={"M": None, "d": (96, 192)}),
        ),
        HALF_RIGHT,
        Constant(
            "item-error",
            "The share of facts that are wrong follows a curve without any free parameter, where it is between 20 and 80 %.",
            law=laws["multi-input-capacity:item-error"],
            experiment=sampled.facts_error_experiment,
            grid=Grid(settings(d=128, m=256, N=(1280, 1920, 3200), R=16, M=512, p=1)),
            to_law=curve,
            x_axis="N",
            draw=with_losses(
                "multi-input-capacity:item-error", 0.2, 0.8, M=(128, 1280), R=(4, 40), d=(32, 320), m=(48, 480)
            ),
        ),
        Order(
            "sum-of-embeddings",
            "A layer that reads the sum of the two embeddings, as on the slide, built with Hermite polynomials of degree 3, holds "
            "about m d/(32 log N) facts: more than a quarter of them are right, in at least three of four runs.",
            above=0.25,
            experiment=sampled.summed_recall_experiment,
            # N log N = m d/32 at both widths; among 64 answers a guess is right once in 64.
            grid=Grid([{"d": 64, "m": m, "N": N, "R": R, "M": 64} for m, N, R in ((64, 30, 5), (1024, 360, 20))]),
            quantity="A",
            about=("d", "m", "N", "R", "M"),
            stated_in="bietti2025, slide on capacity and number of parameters, multi-input (also bietti2024)",
            conventions="A is the share of the facts that are right. Facts that share an input disturb each other by 2^-3.",
            draw=few_draws(0, 2, ranges={"d": None, "m": None, "N": None, "R": None, "M": None}),
        ),
        trained(
            "trained",
            "After training with a fixed number of outputs, the number of facts grows like m.",
            grid=facts(*((12, m) for m in VARIED)),
            variable="m",
        ),
        trained(
            "trained-d",
            "After training with a fixed number of outputs, the number of facts grows like d.",
            grid=facts(*((d, 12) for d in VARIED)),
            variable="d",
        ),
        replace(
            HALF_RIGHT,
            name="literal",
            text="A layer of m neurons has half of N = m d facts right.",
            law=SOURCE,
            erratum=SOURCE.errata[0],
        ),
    ),
)
