"""mlp-capacity: how many associations a layer of m neurons holds in the kernel regime."""

from functools import cache, partial
from typing import Any

from asymp.theory.law import law
from asymp.theory.laws.capacity import NEURONS, OUTPUT_ITEMS, D, half_of_items, lost_items, size_of_noise
from asymp.theory.laws.pieces import item_errors, scores, wick
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice, integer
from asymp.theory.sources import Source

K = Param(
    choice("2", "1", "3"),
    default="2",
    meaning="degree of the activation s = He_k (s' has degree k - 1); k = 1 is linear",
    name="k",
)

CONVENTIONS = (
    "F(e) = (1/m) sum over neurons i of v_i s'(w_i . e)(d_i . e) with frozen v_i, w_i ~ N(0, I) and one correlation step "
    "d_i = sum over x of (v_i . u_x) s'(w_i . e_x) e_x, s' = He_(k-1)/sqrt((k-1)!); f is injective on N inputs, the "
    "answer to z is argmax over the N outputs of u_y . F(e_z). Embeddings on the unit sphere of R^d."
)


@cache
def _moment(order: int, match: bool, p: int) -> Expr:
    """E g(z, y)^order, the sum over the coincidences of the neurons and of the stored inputs."""
    m, N = sympy.symbols("m N", positive=True)
    y = "z" if match else "y"
    named = tuple(dict.fromkeys(["z", y]))
    total = sympy.Integer(0)
    for neurons in wick.coincidences(variables=order, named=(), fresh="i"):
        for stored in wick.coincidences(variables=order, named=named, fresh="x"):
            pairs = list(zip(neurons, stored, strict=True))
            features = sympy.expand(
                sympy.prod(
                    [
                        wick.wick_power(f"w_{i}", "e_z", p)
                        * wick.wick_power(f"w_{i}", f"e_{x}", p)
                        * wick.inner(f"e_{x}", "e_z")
                        for i, x in pairs
                    ]
                )
            )
            values = sympy.prod([wick.inner(f"u_{y}", f"v_{i}") * wick.inner(f"v_{i}", f"u_{x}") for i, x in pairs])
            sphere = {f"{letter}_{x}": "sphere" for x in (*stored, "z", y) for letter in "eu"}
            gaussian = {f"{letter}_{i}": "gaussian" for i in neurons for letter in "vw"}
            mean = wick.expectation(features, laws=sphere | gaussian) * wick.expectation(values, laws=sphere | gaussian)
            # v and w have length sqrt d here: d^p and d a score; then the choices of inputs and neurons
            mean *= (wick.d ** (p + 1) / sympy.factorial(p)) ** order
            free = sympy.ff(N - len(named), len(set(stored) - set(named)))
            total += mean * free * sympy.ff(m, len(set(neurons))) / m**order
    return sympy.expand(total)


@cache
def variance(*, output: str, k: str) -> Expr:
    """The variance of a score."""
    match, p = output == "target", int(k) - 1
    return scores.gather(_moment(2, match, p) - _moment(1, match, p) ** 2)


@cache
def noise_per_item(k: str) -> Expr:
    """What each stored item adds to the variance of every score: 1/(m d) + (2k-1)!!/d^(k+1) and a little more."""
    found = sympy.expand(variance(output="target", k=k))
    return sympy.factor(found.coeff(sympy.Symbol("N", positive=True), 1))


@cache
def moments(k: str) -> Any:
    """Means and exact variances of the scores, divided by their common scale."""
    d, N = sympy.symbols("d N", positive=True)
    p = int(k) - 1
    own = sympy.factor(variance(output="target", k=k).subs(N, 1))
    raw = item_errors.ScoreMoments(
        target_mean=sympy.factor(_moment(1, True, p)),
        other_mean=sympy.factor(_moment(1, False, p)),
        target_variance=variance(output="target", k=k),
        other_variance=variance(output="other", k=k),
        noise=(N - 1) * noise_per_item(k),
        d=d,
        competitors=N - 1,
    )
    return item_errors.common_scale(raw, own)


sizes_law = partial(law, relation="~", quantity="N", params=(D.over(16, 256), NEURONS, K))
LAWS = (
    sizes_law(
        "mlp-capacity",
        size_of_noise(noise_per_item, 8),
        title="Capacity of m neurons of degree k: all items right",
        source=Source("asymp", "exact variance of the scores, N^2 pairs"),
        conventions=CONVENTIONS + " The largest N at which all N items are right.",
    ),
    sizes_law(
        "mlp-capacity:source",
        "m*d",
        title="Capacity of m neurons, as the source states it",
        source=Source("bietti2025", "slide on capacity and number of parameters, non-linear MLP (also bietti2024)"),
        conventions=CONVENTIONS + " The source takes Hermite polynomials of degree about log N/log d.",
    ),
    law(
        "mlp-capacity:item-error",
        **lost_items(moments),
        relation="~",
        params=(D.over(24, 64), NEURONS.over(1024, 8192), OUTPUT_ITEMS.but(domain=integer(3)).over(100, 2000), K),
        title="Share of lost items of m neurons at finite size",
        source=Source("asymp", "N - 1 competitors, with the exact variances of the scores"),
        conventions=CONVENTIONS,
    ),
    sizes_law(
        "mlp-capacity:half",
        **half_of_items(moments, "d", "m"),
        title="Size at which an item is right half of the time, m neurons of degree k, at finite size",
        source=Source("asymp", "the size at which `mlp-capacity:item-error` is one half"),
        conventions=CONVENTIONS + " The N at which half of the items are lost.",
        exponents={"d": "1", "m": "0"},
    ),
)
