"""multi-input-capacity: how many facts about pairs (subject, relation) a layer of m neurons holds."""

from dataclasses import replace
from functools import partial

from asymp.montecarlo.samplers.capacity.multi_input_capacity import (
    facts_capacity_experiment,
    facts_error_experiment,
    facts_recall_experiment,
    trained_pairs_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.claims.capacity import PURE, SERIES, around, octaves
from asymp.reports.claims.draws import STATED, lost
from asymp.reports.grid import Grid, Setting, settings
from asymp.reports.kinds import Capacity, Constant, Rate
from asymp.reports.kinds.drawing import Cell, few_draws, nightly
from asymp.theory import laws

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
    Rate,
    law=SOURCE,
    experiment=facts_capacity_experiment,
    margin=0.1,
    families=PURE,
    omega=SERIES,
)
# Trained, the layer has m (2 d - 1) free parameters: powers of 1/m and 1/d.
trained = partial(
    Capacity,
    law=SOURCE,
    experiment=trained_pairs_experiment,
    size="N",
    families=PURE,
    omega=SERIES,
    draw=nightly(4),
)
HALF_RIGHT = Capacity(
    "sharp",
    "Half of the facts are right at the size at which the finite-size curve says so.",
    law=laws["multi-input-capacity:half"],
    experiment=facts_recall_experiment,
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
            "At a fixed number of candidates N grows like d, for d << M.",
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
            "At a fixed number of candidates N grows like m, for m << d^2.",
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
            "The share of wrong facts follows the curve with no free parameter, where 20 to 80 % are wrong.",
            law=laws["multi-input-capacity:item-error"],
            experiment=facts_error_experiment,
            grid=Grid(settings(d=128, m=256, N=(1280, 1920, 3200), R=16, M=512, p=1)),
            to_law=curve,
            x_axis="N",
            draw=few_draws(
                21,
                4,
                fit=lost("multi-input-capacity:item-error", 0.2, 0.8),
                ranges={"M": (128, 1280), "R": (4, 40), "d": (32, 320), "m": (48, 480)},
                reason=STATED,
            ),
        ),
        trained(
            "trained",
            "Trained, with a fixed number of outputs, the number of facts grows like m.",
            grid=facts(*((12, m) for m in VARIED)),
            variable="m",
        ),
        trained(
            "trained-d",
            "Trained, with a fixed number of outputs, the number of facts grows like d.",
            grid=facts(*((d, 12) for d in VARIED)),
            variable="d",
        ),
        replace(
            HALF_RIGHT,
            name="literal",
            text="N = m d literally: half of so many facts are right.",
            law=SOURCE,
            erratum=SOURCE.errata[0],
        ),
    ),
)
