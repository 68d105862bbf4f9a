"""multi-input-capacity: how many facts about pairs (subject, relation) a layer of m neurons holds."""

from functools import cache, partial
from typing import Any

from asymp.theory.law import law
from asymp.theory.laws.capacity import NEURONS, D, M, R, S, half_of_items, lost_items
from asymp.theory.laws.pieces import item_errors, two_input
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice
from asymp.theory.sources import Source

DEGREE_FEATURES = Param(
    choice("2", "1"), default="2", meaning="degree of the features in each of the two inputs", name="p"
)
PARAMS = (D.over(16, 256), NEURONS, M, DEGREE_FEATURES)

CONVENTIONS = (
    "S subjects and R relations, N = S R facts with answers drawn uniformly from M outputs. Features "
    "He_p(w_i . e_s) He_p(w~_i . e~_r)/p! of m neurons with random directions N(0, I), values left by one correlation step; "
    "the answer to (s, r) is the output with the largest score. Embeddings on the unit sphere of R^d."
)


@cache
def variance(*, output: str, p: str) -> Expr:
    """The variance of a score as the contraction gives it."""
    return two_input.two_input_score_variance(match=output == "target", p=int(p), inputs="sphere", outputs="sphere")


@cache
def noise_per_fact(p: str) -> Expr:
    """What each stored fact adds to the variance of a competitor: (1/d + 1/M)(1/m + ((2p-1)!!)^2/d^2p) and a little more."""
    S, R = sympy.symbols("S R", positive=True)
    found = sympy.Poly(sympy.expand(variance(output="other", p=p)), S, R).coeff_monomial(S * R)
    return sympy.factor(found)


def all_items(*, p: str) -> Expr:
    """N with 4 N log(N M) (noise per fact) = 1."""
    M = sympy.Symbol("M", positive=True)
    return sympy.exp(sympy.LambertW(M / (4 * noise_per_fact(p)))) / M


@cache
def moments(p: str) -> Any:
    """Means and exact variances of the scores, divided by their common scale."""
    d, M, S, R = sympy.symbols("d M S R", positive=True)
    target, other = variance(output="target", p=p), variance(output="other", p=p)
    own = sympy.factor(target.subs({S: 1, R: 1}))
    bias = two_input.two_input_score_mean(match=False, p=int(p), inputs="sphere", outputs="sphere")
    raw = item_errors.ScoreMoments(
        target_mean=1 + bias,
        other_mean=bias,
        target_variance=target,
        other_variance=other,
        noise=target - own,
        d=d,
        competitors=M - 1,
    )
    return item_errors.common_scale(raw, own)


sizes_law = partial(law, relation="~", quantity="N", params=PARAMS)
LAWS = (
    sizes_law(
        "multi-input-capacity",
        all_items,
        title="Facts that m neurons hold: all right, 4 N log(N M) (1/d + 1/M) = m",
        source=Source("asymp", "exact variance of the scores, N M pairs"),
        conventions=CONVENTIONS + " The largest N at which all N facts are right.",
    ),
    sizes_law(
        "multi-input-capacity:source",
        "m*d",
        title="Facts that m neurons hold, as the source states it",
        source=Source("bietti2025", "slide on capacity and number of parameters, multi-input (also bietti2024)"),
        conventions=CONVENTIONS + " The source reads sigma(W_2^T (e_s + e~_r)).",
    ),
    law(
        "multi-input-capacity:item-error",
        **lost_items(moments),
        relation="~",
        params=(
            NEURONS.over(1024, 8192),
            S.over(8, 32),
            R.over(8, 32),
            D.over(24, 64),
            M.over(256, 1024),
            DEGREE_FEATURES,
        ),
        title="Share of lost facts at finite size",
        source=Source("asymp", "M - 1 competitors, with the exact variances of the scores"),
        conventions=CONVENTIONS,
    ),
    law(
        "multi-input-capacity:half",
        **half_of_items(moments, "d", "m", "M", "R", size="S", times="R", smallest=2.0),
        relation="~",
        params=(
            NEURONS.over(1024, 8192),
            R.but(default=16).over(8, 32),
            D.over(24, 64),
            M.over(256, 1024),
            DEGREE_FEATURES,
        ),
        quantity="N",
        exponents={"d": "0", "m": "0"},
        title="Number of facts at which one is right half of the time, at finite size",
        source=Source("asymp", "the size at which `multi-input-capacity:item-error` is one half"),
        conventions=CONVENTIONS + " The N = S R at which half of the facts are lost, at a fixed number R of relations.",
    ),
)
