"""seen-s-times: store with equal weights what was seen at least s times."""

import math
from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scaling.seen_s_times import equal_weights_experiment, matched_experiment
from asymp.reports.claims.scaling import ZETA
from asymp.reports.declaring import Bound, Cell, Claim, Constant, Grid, Rate, few_draws, laws, settings


def matched(alpha: float, M: int, k: float, ranks: tuple[int, ...], *samples: int) -> list[Cell]:
    """Memories whose dimension makes k d each of the ranks; s is the count to be expected of that input."""
    return settings(alpha=alpha, M=M, k=k, d=tuple(round(rank / k) for rank in ranks), T=samples or 10**12)


def doubled(first: int, last: int) -> tuple[int, ...]:
    """Ranks that are powers of two: k d in whole classes."""
    return tuple(2**j for j in range(first, last))


def cells(d: int, s: Any, T: Any) -> list[Cell]:
    """Inputs seen at least s times in T samples, in a memory of dimension d."""
    return settings(alpha=2, N=math.inf, M=5, d=d, s=s, T=T)


def drawn_matched(cell: Cell) -> Cell:
    """k d in whole classes, and T such that the input k d is expected a whole number of times."""
    rank = cell["M"] * max(1, round(cell["k"] * cell["d"] / cell["M"]))
    total = ZETA[cell["alpha"]] * rank ** cell["alpha"]
    s = max(1, round(cell["T"] / total))
    return {**cell, "d": round(rank / cell["k"]), "T": round(s * total)}


rate = partial(
    Rate,
    law=laws["seen-s-times:source"],
    experiment=matched_experiment,
    variable="d",
    to_law=lambda setting: {**setting, "T": math.inf},
)
bound = partial(Bound, law=laws["seen-s-times:source"], experiment=equal_weights_experiment, along="T")

CLAIM = Claim(
    id="seen-s-times",
    title="Equal weights on inputs seen often",
    source="bietti2025, bietti2024",
    order=12,
    parts=(
        rate(
            "source",
            "With many samples, and s chosen as the count that is expected of the input of rank k d, the error falls "
            "like d^(1-alpha).",
            # M = 4 and k = 1/32 have a floor of 1e-29; with T = 10^12 rounding s to a whole number is nothing.
            grid=Grid(matched(2, 4, 1 / 32, doubled(4, 13))),
            draw=few_draws(1, 32),
        ),
        Constant(
            "sharp",
            "If n inputs are stored on average, the error is (1 - 1/M) times the probability of the others plus pi_M(sqrt(d "
            "M/n)) times that of the stored ones.",
            law=laws["seen-s-times"],
            experiment=equal_weights_experiment,
            # d = 300: up to T of about 3000 what was seen fits, from 30000 on it overflows.
            grid=Grid(
                [
                    *cells(300, 1, 10**5),
                    *cells(300, 3, 10**6),
                    {"alpha": 1.5, "N": 1000, "M": 5, "d": 200, "T": 10**4, "s": 2},
                ]
            ),
            x_axis="T",
            draw=few_draws(4),
        ),
        bound(
            "source-few-samples",
            "For a fixed s the error is at most of the order T^(-1+1/alpha) + d^(1-alpha), as long as all inputs that "
            "were seen s times fit into the memory.",
            grid=Grid(cells(300, 1, (300, 1000))),
            draw=few_draws(12),
        ),
        bound(
            "source-many-samples",
            "For a fixed s the error is at most of the order T^(-1+1/alpha) + d^(1-alpha) also after many samples of "
            "far more inputs than dimensions.",
            grid=Grid([*cells(300, 1, (1000, 10**5)), *cells(300, 3, (1000, 10**6))]),
            erratum=laws["seen-s-times:source"].errata[0],
            draw=few_draws(4),
        ),
        Constant(
            "matched",
            "With s = T C (k d)^-alpha the error no longer grows with the number of samples, and its whole curve is known.",
            law=laws["seen-s-times:matched"],
            experiment=matched_experiment,
            # T such that s is a whole number: from one sighting of the input k d = 30 to a thousand
            grid=Grid(matched(1.5, 5, 0.125, (30,), *(round(s * ZETA[1.5] * 30**1.5) for s in (1, 4, 30, 1000)))),
            x_axis="T",
            draw=few_draws(
                12,
                reason="s is a whole number, and k d inputs fill whole classes: T and d are rounded to that",
                fit=drawn_matched,
            ),
        ),
        rate(
            "source-floor",
            "With two answers and many dimensions, too, the error falls like d^(1-alpha).",
            # M = 2 and k = 1: the floor pi_2(sqrt 2) = 0.16; what falls onto it is 1 % of it at d = 256 and soon nothing. The
            # share of d inputs that fail fluctuates like d^-1/2: small memories are measured more often.
            grid=Grid(matched(2, 2, 1, doubled(8, 15)), weight=lambda setting: 2**14 // setting["d"]),
            # A floor is the exponent 0 of the error, with a correction; the family of that name tells the exponent of what
            # falls onto it. There is no logarithm in either term.
            families=("power", "corrected"),
            erratum=laws["seen-s-times:source"].errata[1],
            draw=few_draws(1, 32, reason="the floor is that of two outputs with k = 1", ranges={"M": None, "k": None}),
        ),
    ),
)
