"""low-rank-capacity: how many associations a matrix of rank m holds, with one factor random and one step on the other."""

from functools import cache, partial
from typing import Any

from asymp.theory.law import law
from asymp.theory.laws.capacity import OUTPUT_ITEMS, D, half_of_items, lost_items, size_of_noise
from asymp.theory.laws.pieces import item_errors, scores
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, integer
from asymp.theory.sources import Condition, Source

RANK = Param(integer(1), (16, 1024), meaning="rank", name="m")

CONVENTIONS = (
    "W = G G^T sum over x = 1..N of u_x e_x^T, G a d x m matrix of independent N(0, 1/m) entries: W = W_1^T W_2 with "
    "a random W_1 and one correlation step on W_2. f is injective; the answer to z is argmax over the N outputs of "
    "u_y . W e_z."
)


@cache
def variance(*, output: str) -> Expr:
    """The variance of a score as the contraction gives it, at q = 1, S_y = 1, S = N."""
    found = scores.low_rank_score_variance(match=output == "target", inputs="sphere", outputs="sphere")
    given = {"q": sympy.Integer(1), "S_y": sympy.Integer(1), "S": sympy.Symbol("N", positive=True)}
    return found.subs({s: given[s.name] for s in found.free_symbols if s.name in given})


@cache
def noise_per_item() -> Expr:
    """What each stored item adds to the variance of every score: (1/d)(1/m + 1/d) and a little more."""
    found = sympy.expand(variance(output="other"))
    return sympy.factor(found.coeff(sympy.Symbol("N", positive=True), 1))


@cache
def moments() -> Any:
    """Mean and exact variances of the scores, embeddings on the sphere, divided by their common scale |G^T u_z|."""
    d, m, N = sympy.symbols("d m N", positive=True)
    raw = item_errors.ScoreMoments(
        target_mean=sympy.Integer(1),
        other_mean=sympy.Integer(0),
        target_variance=variance(output="target"),
        other_variance=variance(output="other"),
        noise=(N - 1) * noise_per_item(),
        d=d,
        competitors=N - 1,
    )
    return item_errors.common_scale(raw, 2 / m)  # |G^T u|^2 is chi-square over m


sizes_law = partial(law, relation="~", quantity="N", params=(D.over(64, 4096), RANK))
LAWS = (
    sizes_law(
        "low-rank-capacity",
        size_of_noise(noise_per_item, 8),
        title="Capacity at rank m: all items right, 8 N log N (1/m + 1/d) = d",
        source=Source("asymp", "exact variance of the scores, N^2 pairs"),
        conventions=CONVENTIONS + " The largest N at which all N items are right.",
    ),
    sizes_law(
        "low-rank-capacity:source",
        "m*d",
        title="Capacity at rank m, as the source states it",
        source=Source("bietti2025", "slide on capacity and number of parameters, low rank (also bietti2024)"),
        conventions=CONVENTIONS,
        conditions=Condition(lambda v: v["m"] <= v["d"], "m must be at most d: the source says so"),
    ),
    law(
        "low-rank-capacity:item-error",
        **lost_items(moments),
        relation="~",
        params=(D.over(64, 256), RANK.over(32, 256), OUTPUT_ITEMS.but(domain=integer(3)).over(64, 1024)),
        title="Share of lost items at rank m and finite size",
        source=Source("asymp", "N - 1 competitors, with the exact variances of the scores"),
        conventions=CONVENTIONS + " Embeddings on the unit sphere.",
    ),
    sizes_law(
        "low-rank-capacity:half",
        **half_of_items(moments, "d", "m"),
        title="Size at which an item is right half of the time at rank m, at finite size",
        source=Source("asymp", "the size at which `low-rank-capacity:item-error` is one half"),
        conventions=CONVENTIONS + " Embeddings on the unit sphere. The N at which half of the items are lost.",
        exponents={"d": "1", "m": "0"},
    ),
)
