"""multi-input-capacity: how many facts about pairs (subject, relation) a layer of m neurons holds."""

from dataclasses import replace
from functools import partial
from typing import Any

from asymp.montecarlo.samplers.capacity.multi_input_capacity import (
    facts_capacity_experiment,
    facts_error_experiment,
    facts_recall_experiment,
    trained_pairs_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.claims.capacity import PURE, SERIES, around, by, octaves
from asymp.reports.claims.draws import STATED, lost
from asymp.reports.grid import Count, Grid, Setting, settings
from asymp.reports.kinds import Capacity, Constant, Rate
from asymp.reports.kinds.drawing import Cell, few_draws, nightly
from asymp.theory import laws

SOURCE = laws["multi-input-capacity:source"]
WIDTHS = (32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
# Sizes at which half of the facts are lost, multiples of the 16 relations; 512 outputs.
HALF = {(128, 256): 2040, (128, 512): 3720, (192, 1024): 9900}
sizes = partial(around, HALF, octaves(16), "dm", multiple=16, R=16, M=512, p=1)
# Trained: eight times as many outputs as dimensions, around the share of m d facts that training reached in a pilot of its
# own (seed 1000): less with more outputs, each of which takes more bits.
TRAINED = ((6, 9, 14, 20), (6, 9, 14, 22, 34, 64))
OUTPUTS_TRAINED = ((128, 0.61, 4), (512, 0.42, 8))


def facts(**shape: int) -> Grid:
    """Six numbers of facts, which a regression takes; a fifth to each side, where a parabola fits; more with few replicas.

    `shape`: the one of d and m that is fixed; the other one varies.
    """

    def cells(varied: tuple[int, ...], M: int, share: float, per_octave: int) -> list[dict[str, Any]]:
        steps = (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)
        shapes = [{"d": size, "m": size, **shape} for size in varied]
        return [
            {**at, "M": M, "N": round(share * at["m"] * at["d"] * 2 ** (j / per_octave))}
            for at in shapes
            for j in steps
        ]

    quick, standard = (cells(varied, *how) for varied, how in zip(TRAINED, OUTPUTS_TRAINED, strict=True))
    return Grid(quick, standard, replicas=(4, 8, 16))


def curve(params: Setting) -> Setting:
    """The number of subjects in the place of that of facts."""
    return {**params, "S": params["N"] // params["R"]}


def few(least: int) -> Count:
    """A small memory has few facts to ask about, and costs little: more replicas there."""
    return lambda params: least * max(2, 256 // params["m"])


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
    decided_at="standard",
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
    decided_at="standard",
)
HALF_RIGHT = Capacity(
    "sharp",
    "Half of the facts are right at the size at which the finite-size curve says so.",
    law=laws["multi-input-capacity:half"],
    experiment=facts_recall_experiment,
    grid=Grid(sizes(at=((128, 256),)), sizes(), replicas=(4, 8, 32)),
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
            # the factor 1 + d/M bends the other way, and is in no class: with M = 4096 it would move the exponent by -0.06
            grid=Grid(
                settings(d=(32, 48, 64, 96, 128, 192), m=128, M=4096, p=1),
                settings(d=(32, 48, 64, 96, 128, 192, 256, 384), m=128, M=32768, p=1),
                # a replica's spread falls from 15 % at d = 32 to 3 % at d = 384: a 98 % interval of 0.09 in the exponent
                replicas=(4, by("d", {32: 96, 48: 64, 64: 48, 96: 48, 128: 32}, 24), 64),
            ),
            variable="d",
            draw=few_draws(1, 4, ranges={"M": None, "m": (64, 128)}, sizes=5),
        ),
        growth(
            "source-m",
            "At a fixed number of candidates N grows like m, for m << d^2.",
            grid=Grid(
                settings(d=128, m=(32, 64, 128, 256), M=2048, p=1),
                settings(d=128, m=WIDTHS, M=2048, p=1),
                # the factor 1 + m/d^2 bends the other way too: 6 % at the end of the standard grid, which a paper check would see
                settings(d=512, m=WIDTHS, M=2048, p=1),
                replicas=(few(2), few(8), few(64)),
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
            grid=Grid(
                settings(d=128, m=256, N=(1280, 1920, 3200), R=16, M=512, p=1),
                [
                    *settings(d=128, m=256, R=(16, 32), N=(1280, 1920, 3200), M=512, p=1),
                    *settings(d=128, m=512, R=(16, 32), N=(2560, 3840, 6400), M=512, p=1),
                ],
                replicas=(8, 24, 128),
            ),
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
            grid=facts(d=12),
            variable="m",
        ),
        trained(
            "trained-d",
            "Trained, with a fixed number of outputs, the number of facts grows like d.",
            grid=facts(m=12),
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
