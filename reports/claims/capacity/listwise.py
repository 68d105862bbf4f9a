"""listwise: how many associations a matrix holds when the answer need only be near the top of the list."""

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from asymp.montecarlo.samplers.capacity.listwise import listwise_experiment
from asymp.reports.claims.capacity import PURE, SERIES
from asymp.reports.claims.draws import CERTIFICATES
from asymp.reports.declaring import Capacity, Cell, Claim, Grid, between, few_draws, laws

if TYPE_CHECKING:
    from hypothesis import strategies as st

# The change from yes to no takes about 2/sqrt(N) of the capacity (Cover): 6 sizes, 2/sqrt(N) to either side of the law's.
RATIO = {1.0: 2.0, 0.5: 0.6577}


def sizes(d: int, r: float) -> list[int]:
    """Six sizes around alpha_c d^2."""
    middle = RATIO[r] * d * d
    wide = 2 / middle**0.5
    return sorted({round(middle * (1 - wide + 2 * wide * k / 5)) for k in range(6)})


def cells(*dimensions: int, r: float = 1.0) -> list[dict[str, Any]]:
    """All sizes at some dimensions."""
    return [{"d": d, "N": N, "r": r} for d in dimensions for N in sizes(d, r)]


def lists() -> "st.SearchStrategy[list[Cell]]":
    """Three sizes around the capacity of lists, as in the grid. Three lists in four are whole, r = 1: they cost a tenth."""
    from hypothesis import strategies as st

    @st.composite
    def drawn(draw: Any) -> list[Cell]:
        whole = draw(st.sampled_from((True, True, True, False)))
        d = draw(between(3, 30 if whole else 9, whole=True))
        r = 1.0 if whole else draw(between(0.5, 0.95, whole=False))
        middle = laws["listwise"](d=d, r=r)
        away = 2 / math.sqrt(middle)
        sizes = sorted({max(2, round(middle * (1 + k * away))) for k in (-1, 0, 1)})
        return [{"d": d, "r": r, "N": N} for N in sizes]

    return drawn()


capacity = partial(Capacity, law=laws["listwise"], experiment=listwise_experiment, size="N")

CLAIM = Claim(
    id="listwise",
    title="Capacity when the answer need only be near the top",
    source="arxiv2605.05189",
    order=3,
    parts=(
        capacity(
            "sharp",
            "If the answer only has to beat the mean of the best fraction r of the others, a memory holds alpha_c(r) "
            "d^2 associations, with alpha_c = 1/E[(k_r - g)_+^2] for a normal g.",
            grid=Grid([*cells(8), *cells(8, r=0.5)]),
            x_axis="d",
            draw=few_draws(34, 4, cells=lists, ranges={"d": (3, 30), "N": (18, 1800)}, reason=CERTIFICATES),
        ),
        capacity(
            "exponent",
            "With this criterion at r = 1 the number of associations grows like d^2.",
            # over a factor of five in d, and a decade and a half in N: r = 1, whose fits are the cheapest. The share of one half
            # has the slope sqrt(N/(2 pi)) per log N: small d are measured more often.
            grid=Grid(cells(3, 4, 6, 8, 12, 16), weight=lambda cell: 16 // cell["d"]),
            variable="d",
            families=PURE,
            kappa=(-0.1, 0.2),
            omega=SERIES,
            draw=few_draws(1, 8),
        ),
    ),
)
