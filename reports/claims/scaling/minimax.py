"""minimax: no weights do better than c d^(1-alpha), as long as the number of outputs does not grow with d."""

from typing import Any

from asymp.montecarlo.samplers.scaling.minimax import injective_error_experiment, scheme_error_experiment
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, Setting
from asymp.reports.kinds import Bound, Constant
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

# The constant that '>~' hides: the best weights leave 0.722 d^(1-alpha) at alpha = 1.5, M = 2 and more at the others
# that are measured here.
HIDDEN = 0.7


Rows = list[tuple[Setting, int]]


def rows(count: int, alpha: float, M: int, d: int, *schemes: dict[str, Any]) -> Rows:
    """Memories with the weights of every scheme, measured so many times."""
    return [({"alpha": alpha, "M": M, "d": d, **scheme}, count) for scheme in schemes]


def injective(count: int, d: int, c: int = 12) -> tuple[Setting, int]:
    """As many outputs as inputs, of which d^2/(c log N) are stored.

    c = 12: the stored inputs' own errors, of which the law has the leading order only, are then far below the others'.
    """
    return {"alpha": 1.5, "N": 10_000, "d": d, "c": c}, count


def on_the_sphere(rows: Rows, most: int) -> Rows:
    """The same with outputs on the sphere, measured no more often than a loose bound needs."""
    return [({**setting, "outputs": "sphere"}, min(count, most)) for setting, count in rows]


BEST, POWER = {"weights": "best"}, {"rho": 1}
OTHERS = ({"rho": 0.1, "k": 0.47, "growth": "linear"}, {"rho": 0, "k": 1, "growth": "log"}, POWER)
QUICK = [*rows(8_000, 1.5, 2, 1000, BEST), *rows(2_000, 1.5, 5, 1000, BEST), *rows(2_000, 1.5, 2, 1000, *OTHERS)]
STANDARD = [
    *rows(40_000, 1.5, 2, 1000, BEST),
    *rows(40_000, 1.5, 2, 10_000, BEST),
    *rows(10_000, 1.5, 5, 1000, BEST),
    *rows(10_000, 1.5, 2, 1000, *OTHERS),
    *rows(10_000, 1.5, 5, 1000, *OTHERS),
    *rows(10_000, 2, 5, 1000, POWER),
    *rows(60_000, 2, 5, 1000, BEST),
]
INJECTIVE = Grid.sized(
    [injective(3_000, 144)],
    [injective(6_000, 144), injective(5_000, 192), injective(5_000, 192, 8), injective(4_000, 256)],
)

CLAIM = Claim(
    id="minimax",
    title="What no weights can do better",
    source="cabannes2024, Theorem 2",
    order=8,
    parts=(
        Bound(
            "source",
            "For two and for five outputs every scheme leaves at least a constant (taken as 0.7) times d^(1-alpha).",
            law=laws["minimax:source"],
            experiment=scheme_error_experiment,
            grid=Grid.sized(QUICK, STANDARD),
            constant=HIDDEN,
            draw=few_draws(8, 100),
        ),
        Bound(
            "sharp",
            "Every scheme leaves at least Phi(-1/sqrt 3) p{x > M (3 d + 2)}.",
            law=laws["minimax"],
            experiment=scheme_error_experiment,
            grid=Grid.sized(on_the_sphere(QUICK, 1_000), on_the_sphere(STANDARD, 20_000)),
        ),
        Bound(
            "source-injective",
            "The same bound where every input has an output of its own.",
            law=laws["minimax:source"],
            experiment=injective_error_experiment,
            grid=INJECTIVE,
            constant=HIDDEN,
            erratum=laws["minimax:source"].errata[0],
            x_axis="d",
            draw=few_draws(2, 4, ranges={"N": (1000, 10_000), "d": (100, 160)}),
        ),
        Constant(
            "injective",
            "With an output for each input d^2/(12 log N) inputs are held, and the error is the probability of the "
            "others: d^(-2 (alpha-1)) up to logarithms.",
            law=laws["minimax:injective"],
            experiment=injective_error_experiment,
            grid=INJECTIVE,
            x_axis="d",
            draw=few_draws(2, 4, ranges={"N": (1000, 10_000), "d": (100, 160)}),
        ),
    ),
)
