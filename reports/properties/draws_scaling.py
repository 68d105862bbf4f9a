"""How settings of the scaling laws (section 3) are drawn, where not as usual."""

import math

from asymp.reports.properties.exception import Cell, Draw, Draws, few
from asymp.theory import laws

__all__ = ["DRAWS"]


def _few_classes(cell: Cell) -> Cell:
    M = max(2, min(cell["M"], cell["d"] // 40))
    return {**cell, "M": M, "N": M * max(25 * M, cell["N"] // M), "route": "d-free"}


def _loaded(cell: Cell) -> Cell:
    """Few classes, and from one to five times N/M dimensions, so that the error can be counted."""
    M = max(2, min(cell["M"], math.isqrt(cell["N"] // 25)))
    load = 1 + 4 * (cell["d"] % 97) / 96
    return {**cell, "M": M, "N": cell["N"] // M * M, "d": max(40 * M, round(load * cell["N"] / M))}


def _whole_classes(cell: Cell) -> Cell:
    """As many inputs of every output."""
    return {**cell, "N": cell["M"] * max(1, round(cell["N"] / cell["M"]))}


def _roomy(times: int) -> "Draw":
    """Every input has an output of its own, and there are so many times more dimensions."""

    def fit(cell: Cell) -> Cell:
        return {**cell, "M": cell["N"], "d": max(cell["d"], times * cell["N"])}

    return few(10, 4096, fit=fit, reason="'d far above N': at least as many times N as in the grid, at any N")


def _matched(cell: Cell) -> Cell:
    """k d in whole classes, and T such that the input k d is expected a whole number of times."""
    rank = cell["M"] * max(1, round(cell["k"] * cell["d"] / cell["M"]))
    total = {1.5: 2.6123753486854883, 2: math.pi**2 / 6}[cell["alpha"]] * rank ** cell["alpha"]
    s = max(1, round(cell["T"] / total))
    return {**cell, "d": round(rank / cell["k"]), "T": round(s * total)}


def _far_from_the_crossover(cell: Cell) -> Cell:
    """T C P^-alpha is 1/2000 with P large, or 1000 with P small, as in the grid."""
    P = cell["M"] * max(1, round(cell["k"] * cell["d"] / cell["M"]))
    large = P >= 500
    load = 0.0005 if large else 1000
    return {**cell, "d": round(P / cell["k"]), "T": max(1, round(load * math.pi**2 / 6 * P**2))}


def _above_the_crossover(cell: Cell) -> Cell:
    """Half as many dimensions again as equal weights need to be better, or up to three times as many."""
    M, N = cell["M"], cell["N"]
    edge = laws["fill-is-best:crossover"](alpha=cell["alpha"], N=N, M=M, rho=cell["rho"])
    return {**cell, "d": math.ceil((1.5 + cell["d"] % 4 / 2) * edge * N / M)}


def _below_the_crossover(cell: Cell) -> Cell:
    """At most half of the dimensions at which equal weights are as good, and at least a tenth."""
    M, N = cell["M"], cell["N"]
    edge = laws["fill-is-best:crossover"](alpha=cell["alpha"], N=N, M=M, rho=cell["rho"])
    return {**cell, "d": max(2, math.floor((0.1 + 0.1 * (cell["d"] % 5)) * edge * N / M))}


EXACT = "what the exact law costs: seconds from ten outputs on, on every commit a few settings are enough"
FIGURE = "N = 100 and M = 5 are those of the source's figure, of which the claim speaks; d and T go over its axes"
SMALL_FIGURE: dict[str, tuple[float, float] | None] = {"N": (20, 200), "M": (2, 20)}

DRAWS: Draws = {
    ("exact-recall-error", "limit"): Draw(
        reason="the limit is of leading order in M/d (the noise of other classes is that share of the class's own): margins a "
        "change by a^2 M/(2 d) = M^2/(2 N) in the exponent, 2 % from N = 25 M^2 on, and M is at most d/40; classes are balanced "
        "where M divides N; the d-free route makes large d cheap",
        ranges={"N": (200, 2000), "M": (2, 20), "d": (200, 2000)},
        fit=_few_classes,
    ),
    ("exact-recall-error", "sharp"): few(2, reason=EXACT, ranges={"M": (2, 8)}),
    ("exact-recall-error", "shortcut"): few(2, reason=EXACT, ranges={"M": (2, 8)}),
    ("power-scheme", "sharp"): few(3, reason=EXACT, ranges={"M": (2, 8)}),
    ("power-scheme", "source-ended"): few(2, reason=EXACT),
    ("threshold-scheme", "sharp"): few(3, reason=EXACT, ranges={"M": (2, 8)}),
    ("power-scheme", "source"): few(2, 100),
    ("power-scheme", "source-border"): few(1, 100),
    ("power-scheme", "source-below"): few(1, 100),
    ("power-scheme", "source-inputs"): few(1, 100),
    ("threshold-scheme", "source"): few(2, 100),
    ("threshold-scheme", "source-floor"): few(
        1,
        100,
        reason="the floor is that of few outputs: pi_M(sqrt(M/k)) falls off so fast in M that no d reaches it from M = 3 on",
        ranges={"M": None, "k": None},
    ),
    ("threshold-scheme", "log"): few(1, 100),
    ("threshold-scheme", "source-all"): few(1, 100),
    ("threshold-scheme", "source-many"): few(1, 100),
    ("optimal-scheme", "source"): few(1, 100),
    ("optimal-scheme", "sharp"): few(4, 100),
    ("optimal-scheme", "constant"): few(2, 100),
    ("optimal-scheme", "least"): few(22, 100),
    ("optimal-scheme", "source-best"): few(2, 100),
    ("minimax", "source"): few(8, 100),
    ("minimax", "source-injective"): few(2, 4, ranges={"N": (1000, 10_000), "d": (100, 160)}),
    ("minimax", "injective"): few(2, 4, ranges={"N": (1000, 10_000), "d": (100, 160)}),
    ("at-most-d", "source"): few(14, 32, sizes=5),
    ("at-most-d", "sharp"): few(10, 32, sizes=5),
    ("at-most-d", "growth"): few(1, 32),
    ("at-most-d", "source-many-outputs"): few(
        1,
        16,
        reason="sizes of thousands of inputs with 50 outputs: seconds at every other setting; the claim's other parts draw M and d",
        ranges={"M": None, "d": None},
    ),
    ("at-most-d", "source-injective"): few(2, 16, sizes=5, ranges={"d": (16, 160)}),
    ("joint-law", "source"): few(1, 16),
    ("joint-law", "source-samples"): few(1, 64),
    ("joint-law", "asymptotic"): few(10),
    ("joint-law", "plain-sum"): few(
        10,
        reason="the statement is about settings far from the crossover: as far as in the grid, in either direction",
        ranges={"d": (240, 16_000)},
        fit=_far_from_the_crossover,
    ),
    ("joint-law", "plain-sum-crossover"): few(10),
    ("joint-law", "source-floor"): few(1, 16),
    ("fill-scheme", "source"): few(1, 64),
    ("fill-scheme", "source-first-power"): _roomy(3),
    ("fill-scheme", "source-second-power"): _roomy(5),
    ("fill-scheme", "sharp"): few(3, reason=EXACT),
    ("fill-scheme", "exponential"): Draw(
        reason="two outputs, for which the law is right at every d; with more it comes from above, by 4 % at M = 3",
        ranges={"M": None},
    ),
    ("fill-scheme", "limit"): Draw(
        reason="the limit is one of many dimensions, d at least 40 M, and many inputs, at least 25 M^2", fit=_loaded
    ),
    ("fill-scheme", "source-tipping"): few(
        2,
        16,
        sizes=5,
        ranges={"M": None},
        reason="the source speaks of five outputs; another tipping point is an erratum",
    ),
    ("fill-scheme", "source-tipping-outputs"): few(
        1, 16, sizes=5, ranges={"M": (20, 50), "d": (1024, 2048)}, fit=_whole_classes
    ),
    ("seen-s-times", "source"): few(1, 32),
    ("seen-s-times", "sharp"): few(4),
    ("seen-s-times", "source-few-samples"): few(12),
    ("seen-s-times", "source-many-samples"): few(4),
    ("seen-s-times", "matched"): few(
        12, reason="s is a whole number, and k d inputs fill whole classes: T and d are rounded to that", fit=_matched
    ),
    ("seen-s-times", "source-floor"): few(
        1, 32, reason="the floor is that of two outputs with k = 1", ranges={"M": None, "k": None}
    ),
    ("fill-is-best", "source"): few(
        4, 8, reason="'with enough capacity': d above the crossover", ranges=SMALL_FIGURE, fit=_above_the_crossover
    ),
    ("fill-is-best", "source-overflow"): few(
        4, 8, reason="d below the crossover", ranges=SMALL_FIGURE, fit=_below_the_crossover
    ),
    ("fill-is-best", "source-small-power"): few(
        4, 8, reason="d below the crossover", ranges=SMALL_FIGURE, fit=_below_the_crossover
    ),
    ("error-map", "sharp"): few(
        17, reason=EXACT, ranges={"N": (20, 200), "M": (2, 20), "d": (5, 200), "T": (10, 10_000)}
    ),
    ("error-map", "small-dimension"): few(
        3, 8, reason=FIGURE, ranges={"N": None, "M": None, "d": (2, 20), "T": (1000, 10_000)}
    ),
    ("error-map", "large-dimension"): few(3, 8, reason=FIGURE, ranges={"N": None, "M": None}),
}
