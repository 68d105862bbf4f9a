"""joint-law: few dimensions and few samples together, d^(1-alpha) + T^(-1+1/alpha)."""

import math
from collections.abc import Callable

from asymp.montecarlo.samplers.scaling.joint_law import equal_weights_experiment, equal_weights_large_experiment
from asymp.reports.claim import Claim
from asymp.reports.claims.scaling import IN_SAMPLES, ZETA
from asymp.reports.grid import Grid, Setting, settings
from asymp.reports.kinds import Constant, Rate
from asymp.reports.kinds.drawing import Cell, few_draws
from asymp.theory import laws

K = 0.125
# P = d/8 in whole classes of M = 10; the floor pi_10(sqrt 80) = 1e-9 is far below every error here.
RANKS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)


def cells(alpha: tuple[float, ...], M: int, ranks: tuple[int, ...]) -> list[Cell]:
    """Memories of dimension d that store all inputs x <= P = d/8 out of infinitely many, for given ranks P."""
    return settings(alpha=alpha, N=math.inf, M=M, d=tuple(round(P / K) for P in ranks), k=K, T=math.inf)


def crossed(alpha: float, P: int, *loads: float) -> list[Cell]:
    """P = d/8 and so many samples that the input P is seen `load` times on average; five outputs.

    The floor is 2e-5 then, and d/8 inputs have a mass of 0.01 and more beyond them.
    """
    samples = tuple(round(load * ZETA[alpha] * P**alpha) for load in loads)
    return settings(alpha=alpha, N=math.inf, M=5, d=round(P / K), k=K, T=samples)


AT_CROSSOVER = (
    [*crossed(1.5, 50, 0.5, 1, 2), *crossed(2, 30, 1)],
    [*crossed(1.5, 50, 0.5, 1, 2), *crossed(2, 30, 0.5, 1, 2), *crossed(3, 20, 1)],
    [cell for alpha, P in ((1.5, 50), (2, 50), (3, 20)) for cell in crossed(alpha, P, 0.25, 0.5, 1, 2, 4)],
)
# Far from it one of the two terms is a few per cent of the other: T C P^-alpha = 1/2000 with P large, 1000 with P small.
FAR = (
    [*crossed(2, 500, 0.0005), *crossed(2, 30, 1000)],
    [*crossed(2, 1000, 0.0005), *crossed(2, 30, 1000), *crossed(3, 100, 0.0005)],
    [*crossed(2, 3000, 0.0005), *crossed(2, 100, 1000), *crossed(3, 300, 0.0005)],
)


def small(total: float) -> Callable[[Setting], int]:
    """An interval on [0, 1] is about 5/replicas wide above a mean that hardly spreads: `total` is replicas times error."""

    def count(setting: Setting) -> int:
        alpha, T, P = float(setting["alpha"]), float(setting["T"]), float(setting["k"] * setting["d"])
        larger: float = max(P ** (1 - alpha), T ** (-1 + 1 / alpha))
        return round(total / larger)

    return count


CURVE = Grid(*(near + far for near, far in zip(AT_CROSSOVER, FAR, strict=True)), replicas=(small(200), small(400)))


def floor(ks: tuple[float, ...], count: int) -> list[Cell]:
    """Two outputs, for which the floor pi_2(sqrt(2/k)) is 0.0023 for P = d/8 and 0.023 for P = d/4.

    The latter takes a tenth of the replicas to measure; from d = 2^14 on, what still falls is below 7 % and 0.4 % of it.
    """
    return settings(alpha=2, N=math.inf, M=2, k=ks, d=tuple(2**j for j in range(14, 14 + count)), T=math.inf)


def counting(total: int) -> Callable[[Setting], int]:
    """The share of the stored inputs that fail fluctuates like d^-1/2, and less for a larger k: fewer replicas there."""
    return lambda setting: max(8, int(total * (K / setting["k"]) ** 2) // setting["d"])


def far_from_the_crossover(cell: Cell) -> Cell:
    """T C P^-alpha is 1/2000 with P large, or 1000 with P small, as in the grid."""
    P = cell["M"] * max(1, round(cell["k"] * cell["d"] / cell["M"]))
    load = 0.0005 if P >= 500 else 1000
    return {**cell, "d": round(P / cell["k"]), "T": max(1, round(load * math.pi**2 / 6 * P**2))}


CLAIM = Claim(
    id="joint-law",
    title="Few dimensions and few samples together",
    source="cabannes2024, Proposition 4, Figure 1",
    order=10,
    parts=(
        Rate(
            "source",
            "With samples without end the error decays in d with the exponent 1 - alpha (M = 10).",
            law=laws["joint-law:source"],
            experiment=equal_weights_large_experiment,
            grid=Grid(
                cells((2,), 10, RANKS[:10]),
                cells((1.5, 2, 3), 10, RANKS[:12]),
                cells((1.5, 2, 3), 10, RANKS),
                replicas=(64, 128),
            ),
            variable="d",
            draw=few_draws(1, 16),
        ),
        Rate(
            "source-samples",
            "With dimensions without end the error decays in T with the exponent -1 + 1/alpha.",
            law=laws["joint-law:source"],
            experiment=equal_weights_experiment,
            # The inputs beyond P = d/8 have a mass below 1e-4 of the error, so no rank need be told apart: k is left out.
            grid=IN_SAMPLES,
            variable="T",
            draw=few_draws(1, 64),
        ),
        Constant(
            "sharp",
            "The error is (1 - 1/M) times the mass beyond P and the mass below P that was not seen.",
            law=laws["joint-law"],
            experiment=equal_weights_experiment,
            grid=CURVE,
            x_axis="T",
        ),
        Constant(
            "asymptotic",
            "The same in closed form, with an incomplete gamma function.",
            law=laws["joint-law:asymptotic"],
            experiment=equal_weights_experiment,
            grid=CURVE,
            x_axis="T",
            draw=few_draws(10),
        ),
        Constant(
            "plain-sum",
            "Far from the crossover T C (d/8)^-alpha = 1 the plain sum, with the constants of both limits, is right.",
            law=laws["joint-law:plain-sum"],
            experiment=equal_weights_experiment,
            grid=Grid(*FAR, replicas=(small(200), small(400))),
            x_axis="T",
            draw=few_draws(
                10,
                reason="the statement is about settings far from the crossover: as far as in the grid, in either direction",
                ranges={"d": (240, 16_000)},
                fit=far_from_the_crossover,
            ),
        ),
        Constant(
            "plain-sum-crossover",
            "At the crossover, too, the plain sum is right.",
            law=laws["joint-law:plain-sum"],
            experiment=equal_weights_experiment,
            grid=Grid(*AT_CROSSOVER, replicas=(small(200), small(400))),
            erratum=laws["joint-law:plain-sum"].errata[0],
            x_axis="T",
            draw=few_draws(10),
        ),
        Rate(
            "source-floor",
            "With two outputs, P = k d and large d, too, the error decays in d with the exponent 1 - alpha.",
            law=laws["joint-law:source"],
            experiment=equal_weights_large_experiment,
            grid=Grid(
                floor((0.25,), 8),
                floor((0.25, K), 10),
                floor((0.25, K), 11),
                replicas=(counting(2**24), counting(2**27)),
            ),
            variable="d",
            # A floor is the exponent 0 of the error, with a correction; the family of that name tells the exponent of what
            # falls onto it. There is no logarithm in either term.
            families=("power", "corrected"),
            erratum=laws["joint-law:source"].errata[0],
            draw=few_draws(1, 16),
        ),
    ),
)
