"""joint-law: few dimensions and few samples together, d^(1-alpha) + T^(-1+1/alpha)."""

import math
from functools import partial

from asymp.montecarlo.samplers.scaling.joint_law import equal_weights_experiment, equal_weights_large_experiment
from asymp.reports.claims.scaling import IN_SAMPLES, ZETA
from asymp.reports.declaring import Cell, Claim, Constant, Grid, Rate, few_draws, laws, settings

K = 0.125
# P = d/8 in whole classes of M = 10; the floor pi_10(sqrt 80) = 1e-9 is far below every error here.
RANKS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)


def crossed(alpha: float, P: int, *loads: float) -> list[Cell]:
    """P = d/8 and so many samples that the input P is seen `load` times on average; five outputs.

    The floor is 2e-5 then, and d/8 inputs have a mass of 0.01 and more beyond them.
    """
    samples = tuple(round(load * ZETA[alpha] * P**alpha) for load in loads)
    return settings(alpha=alpha, N=math.inf, M=5, d=round(P / K), k=K, T=samples)


AT_CROSSOVER = [*crossed(1.5, 50, 0.5, 1, 2), *crossed(2, 30, 1)]
# Far from it one of the two terms is a few per cent of the other: T C P^-alpha = 1/2000 with P large, 1000 with P small.
FAR = [*crossed(2, 500, 0.0005), *crossed(2, 30, 1000)]
CURVE = Grid([*AT_CROSSOVER, *FAR])


def far_from_the_crossover(cell: Cell) -> Cell:
    """T C P^-alpha is 1/2000 with P large, or 1000 with P small, as in the grid."""
    P = cell["M"] * max(1, round(cell["k"] * cell["d"] / cell["M"]))
    load = 0.0005 if P >= 500 else 1000
    return {**cell, "d": round(P / cell["k"]), "T": max(1, round(load * math.pi**2 / 6 * P**2))}


rate = partial(
    Rate, law=laws["joint-law:source"], experiment=equal_weights_large_experiment, variable="d", draw=few_draws(1, 16)
)
constant = partial(Constant, experiment=equal_weights_experiment, x_axis="T")

CLAIM = Claim(
    id="joint-law",
    title="Few dimensions and few samples together",
    source="cabannes2024, Proposition 4, Figure 1",
    order=10,
    parts=(
        rate(
            "source",
            "With infinitely many samples the error falls like d^(1-alpha) (ten answers).",
            grid=Grid(settings(alpha=2, N=math.inf, M=10, d=tuple(round(P / K) for P in RANKS), k=K, T=math.inf)),
        ),
        Rate(
            "source-samples",
            "With infinitely many dimensions the error falls like T^(-1+1/alpha) in the number T of samples.",
            law=laws["joint-law:source"],
            experiment=equal_weights_experiment,
            # The inputs beyond P = d/8 have a mass below 1e-4 of the error, so no rank need be told apart: k is left out.
            grid=IN_SAMPLES,
            to_law=lambda setting: {**setting, "d": math.inf},
            variable="T",
            draw=few_draws(1, 64),
        ),
        constant(
            "sharp",
            "The error is (1 - 1/M) times the probability of two kinds of inputs: those beyond P, and those below P that were "
            "not seen.",
            law=laws["joint-law"],
            grid=CURVE,
        ),
        constant(
            "asymptotic",
            "The error with few dimensions and few samples has a closed form with an incomplete gamma function.",
            law=laws["joint-law:asymptotic"],
            grid=CURVE,
            draw=few_draws(10),
        ),
        constant(
            "plain-sum",
            "Where one of the two errors is much the larger, their sum, each with its own constant, is right.",
            law=laws["joint-law:plain-sum"],
            grid=Grid(FAR),
            draw=few_draws(
                10,
                reason="the statement is about settings far from the crossover: as far as in the grid, in either direction",
                ranges={"d": (240, 16_000)},
                fit=far_from_the_crossover,
            ),
        ),
        constant(
            "plain-sum-crossover",
            "Where the two errors are of about the same size, too, their sum is right.",
            law=laws["joint-law:plain-sum"],
            grid=Grid(AT_CROSSOVER),
            erratum=laws["joint-law:plain-sum"].errata[0],
            draw=few_draws(10),
        ),
        rate(
            "source-floor",
            "With two answers and the P = k d most frequent inputs stored, the error goes on falling like d^(1-alpha) "
            "in many dimensions.",
            # The floor pi_2(sqrt(2/k)) is 0.023 for P = d/4; from d = 2^14 on, what still falls is below 0.4 % of it. The share
            # of the stored inputs that fail fluctuates like d^-1/2: small memories are measured more often.
            grid=Grid(
                settings(alpha=2, N=math.inf, M=2, k=0.25, d=tuple(2**j for j in range(14, 22)), T=math.inf),
                weight=lambda setting: max(1, 2**19 // setting["d"]),
            ),
            # A floor is the exponent 0 of the error, with a correction; the family of that name tells the exponent of what
            # falls onto it. There is no logarithm in either term.
            families=("power", "corrected"),
            erratum=laws["joint-law:source"].errata[0],
        ),
    ),
)
