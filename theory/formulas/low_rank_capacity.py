"""low-rank-capacity: how many associations a matrix of rank m holds, with one factor random and one step on the other."""

from functools import cache
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

EMBEDDINGS = choice("sphere", "gaussian")
CONVENTIONS = (
    "W = G G^T sum over x = 1..N of u_x e_x^T, G a d x m matrix of independent N(0, 1/m) entries: W = W_1^T W_2 with "
    "a random W_1 and one correlation step on W_2. f is injective; the answer to z is argmax over the N outputs of "
    "u_y . W e_z."
)
MEANINGS = {
    "d": "dimension of the embeddings",
    "m": "rank",
    "mu": "rank as a power of the dimension: m = d^mu",
    "N": "number of items, and of outputs",
    "output": "'target' for the score of the answer, 'other' for that of a competitor",
    "inputs": "law of the input embeddings",
    "outputs": "law of the output embeddings",
}
SIZES: dict[str, Any] = {
    "relation": "~",
    "domain": {"d": integer(2), "m": integer(1)},
    "typical": {"d": (64, 4096), "m": (16, 1024)},
    "meanings": {name: MEANINGS[name] for name in ("d", "m")},
    "quantity": "N",
}
LIMITS = "At fixed m it grows like d, at fixed d it ends at the capacity of the full matrix as m grows."


@cache
def variance(*, output: str, inputs: str = "sphere", outputs: str = "sphere") -> "sympy.Expr":
    """The variance of a score as the contraction gives it, at q = 1, S_y = 1, S = N."""
    import sympy

    from asymp.theory.moments.low_rank import low_rank_score_variance

    found = low_rank_score_variance(match=output == "target", inputs=inputs, outputs=outputs)
    given = {"q": sympy.Integer(1), "S_y": sympy.Integer(1), "S": sympy.Symbol("N", positive=True)}
    return found.subs({s: given[s.name] for s in found.free_symbols if s.name in given})


@cache
def noise_per_item() -> "sympy.Expr":
    """What each stored item adds to the variance of every score: (1/d)(1/m + 1/d) and a little more."""
    import sympy

    found = sympy.expand(variance(output="other"))
    return sympy.factor(found.coeff(sympy.Symbol("N", positive=True), 1))


def all_items() -> "sympy.Expr":
    """N with 8 N log N (noise per item) = 1."""
    import sympy

    return sympy.exp(sympy.LambertW(1 / (8 * noise_per_item())))


def one_item() -> "sympy.Expr":
    """N with 2 N log N (noise per item) = 1."""
    import sympy

    return sympy.exp(sympy.LambertW(1 / (2 * noise_per_item())))


def scaling() -> "sympy.Expr":
    """The capacity at m = d^mu."""
    import sympy

    d, mu = sympy.Symbol("d", positive=True), sympy.Symbol("mu", real=True, nonnegative=True)
    return all_items().subs(sympy.Symbol("m", positive=True), d**mu)


def all_items_numeric(**values: Any) -> Any:
    """The capacity in float64, vectorised."""
    from asymp.theory.recall.item_errors import size_of

    return size_of(1 / (8 * noise_per_item()), values)


def one_item_numeric(**values: Any) -> Any:
    """The size of one half in float64, vectorised."""
    from asymp.theory.recall.item_errors import size_of

    return size_of(1 / (2 * noise_per_item()), values)


def scaling_numeric(*, d: Any, mu: Any) -> Any:
    """The capacity at m = d^mu in float64, vectorised."""
    return all_items_numeric(d=d, m=d**mu)


@cache
def moments() -> Any:
    """Mean and exact variances of the scores, embeddings on the sphere, divided by their common scale |G^T u_z|."""
    import sympy

    from asymp.theory.recall.half_size import common_scale
    from asymp.theory.recall.item_errors import ScoreMoments

    d, m, N = sympy.symbols("d m N", positive=True)
    raw = ScoreMoments(
        target_mean=sympy.Integer(1),
        other_mean=sympy.Integer(0),
        target_variance=variance(output="target"),
        other_variance=variance(output="other"),
        noise=(N - 1) * noise_per_item(),
        d=d,
        competitors=N - 1,
    )
    return common_scale(raw, 2 / m)  # |G^T u|^2 is chi-square over m


def item_error() -> "sympy.Expr":
    """The probability that one item is lost."""
    from asymp.theory.recall.item_errors import item_error_expression

    return item_error_expression(moments())


def item_error_numeric(**values: Any) -> Any:
    """The integral in float64, vectorised."""
    from asymp.theory.recall import item_errors as capacity_numerics

    return capacity_numerics.item_error(moments(), values)


def item_error_exact(*, digits: int, **values: Any) -> Any:
    """The integral to any number of digits."""
    from asymp.theory.recall.item_errors import item_error_digits

    return item_error_digits(moments(), values, digits)


def half() -> "sympy.Expr":
    """The N at which the error of an item is one half: a function without a formula."""
    from asymp.theory.recall.half_size import half_symbol

    return half_symbol("d", "m")


def half_numeric(**values: Any) -> Any:
    """The same, vectorised, with a relative error of 1e-10."""
    from asymp.theory.recall import item_errors as capacity_numerics

    return capacity_numerics.half_of_items(moments(), values, "N")


def half_exact(*, digits: int, **values: Any) -> Any:
    """The same to any number of digits."""
    from asymp.theory.recall.half_digits import half_of_items_digits

    start = half_numeric(**{name: float(value) for name, value in values.items()})
    return half_of_items_digits(moments(), values, "N", float(start), digits)


LAWS = (
    law(
        "low-rank-capacity",
        all_items,
        title="Capacity at rank m: all items right, 8 N log N (1/m + 1/d) = d",
        source=Source("asymp", "exact variance of the scores, N^2 pairs"),
        conventions=CONVENTIONS + " The largest N at which all N items are right.",
        exponents={"d": "1", "m": "0"},
        numeric=all_items_numeric,
        notes=(
            "N log N = m d/(8 (1 + m/d)) to leading order; needs m >> log N, since the answer's own score |G^T u|^2 has "
            "variance 2/m.",
            LIMITS + " `low-rank-capacity:scaling` has the exponent along m = d^mu.",
        ),
        **SIZES,
    ),
    law(
        "low-rank-capacity:source",
        "m*d",
        title="Capacity at rank m, as the source states it",
        source=Source("bietti2025", "slide on capacity and number of parameters, low rank (also bietti2024)"),
        conventions=CONVENTIONS,
        conditions=(Condition(lambda v: v["m"] <= v["d"], "m must be at most d: the source says so"),),
        notes=("The exponents are right up to a logarithm, for log N << m <= d; no constant in front of m d is.",),
        errata=(
            Erratum(
                regime="N = m d taken literally, or N = c m d with any constant c as the sizes grow.",
                discrepancy="At N = m d <= d^2 the noise in every score is at least as large as the signal, and N "
                "competitors reach sqrt(2 log N) times that: almost every item is wrong. All are right up to "
                "N = m d/(8 (1 + m/d) log N), and one item in two at the size of `low-rank-capacity:half`.",
                corrected_by="low-rank-capacity:half",
            ),
        ),
        **SIZES,
    ),
    law(
        "low-rank-capacity:one-item",
        one_item,
        title="Size at which an item is right half of the time at rank m",
        source=Source("asymp", "maximum of N normals against one"),
        conventions=CONVENTIONS + " The N at which a given item is lost with probability one half.",
        exponents={"d": "1", "m": "0"},
        numeric=one_item_numeric,
        notes=("2 N log N (1/m + 1/d) = d to leading order.", LIMITS),
        **SIZES,
    ),
    law(
        "low-rank-capacity:scaling",
        scaling,
        relation="~",
        domain={"d": integer(2), "mu": real(0)},
        typical={"d": (64, 4096), "mu": (0.5, 2)},
        meanings={name: MEANINGS[name] for name in ("d", "mu")},
        quantity="N",
        title="Capacity at rank m = d^mu",
        source=Source("asymp", "the capacity along a power of d"),
        conventions=CONVENTIONS,
        exponents={"d": "2 + mu - Max(1, mu)"},
        numeric=scaling_numeric,
        notes=("1 + mu up to mu = 1, as m d, then 2: a rank beyond d adds nothing. A logarithm comes on top.",),
    ),
    law(
        "low-rank-capacity:variance",
        variance,
        relation="=",
        domain={
            "d": integer(1),
            "m": integer(1),
            "N": integer(2),
            "output": choice("other", "target"),
            "inputs": EMBEDDINGS,
            "outputs": EMBEDDINGS,
        },
        typical={"d": (8, 128), "m": (4, 64), "N": (16, 512)},
        defaults={"output": "other", "inputs": "sphere", "outputs": "sphere"},
        meanings={name: MEANINGS[name] for name in ("d", "m", "N", "output", "inputs", "outputs")},
        quantity="Var_g",
        title="Variance of a score at rank m, exact",
        source=Source("asymp", "contraction of embeddings and projection"),
        conventions=CONVENTIONS,
        notes=("1/m + 2/d + (N/d)(1/m + 1/d) to leading order, for a competitor.",),
    ),
    law(
        "low-rank-capacity:item-error",
        item_error,
        relation="~",
        domain={"d": integer(2), "m": integer(1), "N": integer(3)},
        typical={"d": (64, 256), "m": (32, 256), "N": (64, 1024)},
        meanings={name: MEANINGS[name] for name in ("d", "m", "N")},
        numeric=item_error_numeric,
        exact=item_error_exact,
        title="Share of lost items at rank m and finite size",
        source=Source("asymp", "N - 1 competitors, with the exact variances of the scores"),
        conventions=CONVENTIONS + " Embeddings on the unit sphere.",
        notes=(
            "Leading order: the length of the answer's own score is counted, as it scales all noise with it; that of the noise "
            "is not. Against simulation within 8 % at m = 32 to 128 where errors are 10 to 80 %, up to 20 % too small where "
            "they are 5 %.",
        ),
    ),
    law(
        "low-rank-capacity:half",
        half,
        title="Size at which an item is right half of the time at rank m, at finite size",
        source=Source("asymp", "the size at which `low-rank-capacity:item-error` is one half"),
        conventions=CONVENTIONS + " Embeddings on the unit sphere. The N at which half of the items are lost.",
        exponents={"d": "1", "m": "0"},
        numeric=half_numeric,
        exact=half_exact,
        notes=(
            "`low-rank-capacity:one-item` is its leading order.",
            LIMITS,
        ),
        **SIZES,
    ),
    law(
        "low-rank-capacity:trained",
        "1",
        relation="<=",
        domain={"d": integer(2), "m": integer(1), "N": integer(2)},
        typical={"d": (16, 64), "m": (8, 32), "N": (32, 128)},
        meanings={name: MEANINGS[name] for name in ("d", "m", "N")},
        quantity="ratio",
        title="Trained, a matrix of rank m loses no more items than constructed",
        source=Source("asymp", "two factors that fit the items against one random factor and one step"),
        conventions=CONVENTIONS
        + " The quantity: items that a product of two d x m factors, both trained, loses, over those that this W loses.",
        notes=("A matrix of rank m has m (2 d - m) free numbers, and the construction uses m d of them.",),
    ),
)
