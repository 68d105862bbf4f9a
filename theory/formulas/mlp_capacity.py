"""mlp-capacity: how many associations a layer of m neurons holds in the kernel regime."""

from functools import cache
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

CONVENTIONS = (
    "F(e) = (1/m) sum over neurons i of v_i s'(w_i . e)(d_i . e) with frozen v_i, w_i ~ N(0, I) and one correlation step "
    "d_i = sum over x of (v_i . u_x) s'(w_i . e_x) e_x, s' = He_(k-1)/sqrt((k-1)!); f is injective on N inputs, the "
    "answer to z is argmax over the N outputs of u_y . F(e_z). Embeddings on the unit sphere of R^d."
)
DEGREE = choice("2", "1", "3")
MEANINGS = {
    "d": "dimension of the embeddings",
    "m": "number of neurons",
    "mu": "number of neurons as a power of the dimension: m = d^mu",
    "N": "number of items, and of outputs",
    "k": "degree of the activation s = He_k (s' has degree k - 1); k = 1 is linear",
    "output": "'target' for the score of the answer, 'other' for that of a competitor",
}
SIZES: dict[str, Any] = {
    "relation": "~",
    "domain": {"d": integer(2), "m": integer(1), "k": DEGREE},
    "typical": {"d": (16, 256), "m": (256, 65536)},
    "defaults": {"k": "2"},
    "meanings": {name: MEANINGS[name] for name in ("d", "m", "k")},
    "quantity": "N",
}
LIMITS = (
    "At fixed d it ends at about d^(k+1)/(8 (2k-1)!! log N) as m grows: the capacity of the kernel (e.e')^k (u.u')."
)


@cache
def _moment(scores: int, match: bool, p: int) -> "sympy.Expr":
    """E g(z, y)^scores, the sum over the coincidences of the neurons and of the stored inputs."""
    import sympy

    from asymp.theory.moments.wick import coincidences, d, expectation, inner, wick_power

    m, N = sympy.symbols("m N", positive=True)
    y = "z" if match else "y"
    named = tuple(dict.fromkeys(["z", y]))
    total = sympy.Integer(0)
    for neurons in coincidences(variables=scores, named=(), fresh="i"):
        for stored in coincidences(variables=scores, named=named, fresh="x"):
            pairs = list(zip(neurons, stored, strict=True))
            features = sympy.expand(
                sympy.prod(
                    [
                        wick_power(f"w_{i}", "e_z", p) * wick_power(f"w_{i}", f"e_{x}", p) * inner(f"e_{x}", "e_z")
                        for i, x in pairs
                    ]
                )
            )
            values = sympy.prod([inner(f"u_{y}", f"v_{i}") * inner(f"v_{i}", f"u_{x}") for i, x in pairs])
            sphere = {f"{letter}_{x}": "sphere" for x in (*stored, "z", y) for letter in "eu"}
            gaussian = {f"{letter}_{i}": "gaussian" for i in neurons for letter in "vw"}
            mean = expectation(features, laws=sphere | gaussian) * expectation(values, laws=sphere | gaussian)
            # v and w have length sqrt d here: d^p and d a score; then the choices of inputs and neurons
            mean *= (d ** (p + 1) / sympy.factorial(p)) ** scores
            free = sympy.ff(N - len(named), len(set(stored) - set(named)))
            total += mean * free * sympy.ff(m, len(set(neurons))) / m**scores
    return sympy.expand(total)


@cache
def variance(*, output: str, k: str) -> "sympy.Expr":
    """The variance of a score."""
    from asymp.theory.moments.scores import gather

    match, p = output == "target", int(k) - 1
    return gather(_moment(2, match, p) - _moment(1, match, p) ** 2)


@cache
def noise_per_item(k: str) -> "sympy.Expr":
    """What each stored item adds to the variance of every score: 1/(m d) + (2k-1)!!/d^(k+1) and a little more."""
    import sympy

    found = sympy.expand(variance(output="target", k=k))
    return sympy.factor(found.coeff(sympy.Symbol("N", positive=True), 1))


def all_items(*, k: str) -> "sympy.Expr":
    """N with 8 N log N (noise per item) = 1."""
    import sympy

    return sympy.exp(sympy.LambertW(1 / (8 * noise_per_item(k))))


def one_item(*, k: str) -> "sympy.Expr":
    """N with 2 N log N (noise per item) = 1."""
    import sympy

    return sympy.exp(sympy.LambertW(1 / (2 * noise_per_item(k))))


def scaling() -> "sympy.Expr":
    """The capacity at m = d^mu, leading order of the noise per item; (2k-1)!! = 2^k Gamma(k + 1/2)/sqrt(pi)."""
    import sympy

    d, mu = sympy.Symbol("d", positive=True), sympy.Symbol("mu", real=True, nonnegative=True)
    k = sympy.Symbol("k", integer=True, positive=True)
    double = 2**k * sympy.gamma(k + sympy.Rational(1, 2)) / sympy.sqrt(sympy.pi)
    return sympy.exp(sympy.LambertW(1 / (8 * (d ** (-mu - 1) + double * d ** (-k - 1)))))


def all_items_numeric(*, k: str, **values: Any) -> Any:
    """The capacity in float64, vectorised."""
    from asymp.theory.recall.item_errors import size_of

    return size_of(1 / (8 * noise_per_item(k)), values)


def one_item_numeric(*, k: str, **values: Any) -> Any:
    """The size of one half in float64, vectorised."""
    from asymp.theory.recall.item_errors import size_of

    return size_of(1 / (2 * noise_per_item(k)), values)


def scaling_numeric(*, d: Any, mu: Any, k: Any) -> Any:
    """The capacity at m = d^mu in the log domain."""
    import numpy as np
    from scipy.special import gammaln

    from asymp.theory.recall.item_errors import size_of_log

    double = k * np.log(2) + gammaln(k + 0.5) - np.log(np.pi) / 2
    return size_of_log(-np.log(8) - np.logaddexp(-(mu + 1) * np.log(d), double - (k + 1) * np.log(d)))


def trained_numeric(*, d: Any, m: Any) -> Any:
    """exp(W0(m d/0.35)) in the log domain."""
    import numpy as np

    from asymp.theory.recall.item_errors import size_of_log

    return size_of_log(np.log(d) + np.log(m) - np.log(0.35))


@cache
def moments(k: str) -> Any:
    """Means and exact variances of the scores, divided by their common scale."""
    import sympy

    from asymp.theory.recall.half_size import common_scale
    from asymp.theory.recall.item_errors import ScoreMoments

    d, N = sympy.symbols("d N", positive=True)
    p = int(k) - 1
    own = sympy.factor(variance(output="target", k=k).subs(N, 1))
    raw = ScoreMoments(
        target_mean=sympy.factor(_moment(1, True, p)),
        other_mean=sympy.factor(_moment(1, False, p)),
        target_variance=variance(output="target", k=k),
        other_variance=variance(output="other", k=k),
        noise=(N - 1) * noise_per_item(k),
        d=d,
        competitors=N - 1,
    )
    return common_scale(raw, own)


def item_error(*, k: str) -> "sympy.Expr":
    """The probability that one item is lost."""
    from asymp.theory.recall.item_errors import item_error_expression

    return item_error_expression(moments(k))


def item_error_numeric(*, k: str, **values: Any) -> Any:
    """The integral in float64, vectorised."""
    from asymp.theory.recall import item_errors as capacity_numerics

    return capacity_numerics.item_error(moments(k), values)


def item_error_exact(*, k: str, digits: int, **values: Any) -> Any:
    """The integral to any number of digits."""
    from asymp.theory.recall.item_errors import item_error_digits

    return item_error_digits(moments(k), values, digits)


def half(*, k: str) -> "sympy.Expr":
    """The N at which the error of an item is one half: a function without a formula."""
    from asymp.theory.recall.half_size import half_symbol

    return half_symbol("d", "m")


def half_numeric(*, k: str, **values: Any) -> Any:
    """The same, vectorised, with a relative error of 1e-10."""
    from asymp.theory.recall import item_errors as capacity_numerics

    return capacity_numerics.half_of_items(moments(k), values, "N")


def half_exact(*, k: str, digits: int, **values: Any) -> Any:
    """The same to any number of digits."""
    from asymp.theory.recall.half_digits import half_of_items_digits

    start = half_numeric(k=k, **{name: float(value) for name, value in values.items()})
    return half_of_items_digits(moments(k), values, "N", float(start), digits)


LAWS = (
    law(
        "mlp-capacity",
        all_items,
        title="Capacity of m neurons of degree k: all items right",
        source=Source("asymp", "exact variance of the scores, N^2 pairs"),
        conventions=CONVENTIONS + " The largest N at which all N items are right.",
        exponents={"d": "1", "m": "0"},
        numeric=all_items_numeric,
        notes=(
            "N log N = m d/(8 (1 + (2k-1)!! m/d^k)) to leading order: m d as long as m << d^k, that is N << d^(k+1). "
            "k = 1 is `low-rank-capacity`. Needs m >> E s'^4 log N.",
            LIMITS
            + " `mlp-capacity:scaling` has the exponent along m = d^mu. With few labels, where u.u' is no longer "
            "small, the kernel ends at N of order d^k.",
        ),
        **SIZES,
    ),
    law(
        "mlp-capacity:source",
        "m*d",
        title="Capacity of m neurons, as the source states it",
        source=Source("bietti2025", "slide on capacity and number of parameters, non-linear MLP (also bietti2024)"),
        conventions=CONVENTIONS + " The source takes Hermite polynomials of degree about log N/log d.",
        notes=(
            "'For any width m' holds because the degree grows with N: at a fixed degree k it ends at m of order d^k. It "
            "needs m >> log N as well, with a constant E s'^4 that grows like 9^k.",
        ),
        errata=(
            Erratum(
                regime="N = m d taken literally, or N = c m d with any constant c as the sizes grow.",
                discrepancy="At N = m d the noise in every score is at least as large as the signal, and N competitors "
                "reach sqrt(2 log N) times that: almost every item is wrong. All are right up to "
                "N = m d/(8 (1 + (2k-1)!! m/d^k) log N), and one item in two at the size of `mlp-capacity:half`.",
                corrected_by="mlp-capacity:half",
            ),
        ),
        **SIZES,
    ),
    law(
        "mlp-capacity:one-item",
        one_item,
        title="Size at which an item is right half of the time, m neurons of degree k",
        source=Source("asymp", "maximum of N normals against one"),
        conventions=CONVENTIONS + " The N at which a given item is lost with probability one half.",
        exponents={"d": "1", "m": "0"},
        numeric=one_item_numeric,
        notes=(LIMITS,),
        **SIZES,
    ),
    law(
        "mlp-capacity:scaling",
        scaling,
        relation="~",
        domain={"d": integer(2), "mu": real(0), "k": integer(1, 50)},
        typical={"d": (64, 4096), "mu": (0.5, 3), "k": (1, 4)},
        meanings={name: MEANINGS[name] for name in ("d", "mu", "k")},
        quantity="N",
        title="Capacity of m = d^mu neurons of degree k",
        source=Source("asymp", "the capacity along a power of d, leading order"),
        conventions=CONVENTIONS,
        exponents={"d": "Min(1 + mu, 1 + k)"},
        numeric=scaling_numeric,
        notes=("m d up to m = d^k, then d^(k+1). A logarithm comes on top. Here k is a number.",),
    ),
    law(
        "mlp-capacity:trained",
        "exp(LambertW(20*m*d/7))",
        title="Capacity of a trained ReLU layer, published fit: m d = 0.35 N log N",
        source=Source("asymp", "published fit; full-batch Adam, step 0.03"),
        conventions="N inputs with N different outputs, argmax_y u_y . W_1 relu(W_2^T e_z) with both layers trained; 99 % "
        "of the items right.",
        relation="~",
        domain={"d": integer(2), "m": integer(1)},
        typical={"d": (16, 256), "m": (16, 4096)},
        meanings={name: MEANINGS[name] for name in ("d", "m")},
        quantity="N",
        exponents={"d": "1", "m": "1"},
        numeric=trained_numeric,
        notes=(
            "A fit at finite sizes, 23 times more items (up to the logarithm) than one step with random directions.",
        ),
    ),
    law(
        "mlp-capacity:variance",
        variance,
        relation="=",
        domain={"d": integer(1), "m": integer(1), "N": integer(2), "k": DEGREE, "output": choice("other", "target")},
        typical={"d": (8, 64), "m": (16, 1024), "N": (16, 512)},
        defaults={"k": "2", "output": "other"},
        meanings={name: MEANINGS[name] for name in ("d", "m", "N", "k", "output")},
        quantity="Var_g",
        title="Variance of a score of m neurons, exact",
        source=Source("asymp", "contraction of embeddings and neurons"),
        conventions=CONVENTIONS,
        notes=("E s'^4/m + 1/d + N (1/(m d) + (2k-1)!!/d^(k+1)) to leading order, for a competitor.",),
    ),
    law(
        "mlp-capacity:item-error",
        item_error,
        relation="~",
        domain={"d": integer(2), "m": integer(1), "N": integer(3), "k": DEGREE},
        typical={"d": (24, 64), "m": (1024, 8192), "N": (100, 2000)},
        defaults={"k": "2"},
        meanings={name: MEANINGS[name] for name in ("d", "m", "N", "k")},
        numeric=item_error_numeric,
        exact=item_error_exact,
        title="Share of lost items of m neurons at finite size",
        source=Source("asymp", "N - 1 competitors, with the exact variances of the scores"),
        conventions=CONVENTIONS,
        notes=(
            "Leading order: the answer's own score is counted as it scales all noise with it, taken to be gamma; the length "
            "of the noise is not. Against simulation within 10 % at d = 64 and 128, m = 128 to 1024, where errors are 20 to "
            "90 %; up to 15 % too large at d = 32, and up to a third at m <= d where errors are 8 to 12 %.",
        ),
    ),
    law(
        "mlp-capacity:half",
        half,
        title="Size at which an item is right half of the time, m neurons of degree k, at finite size",
        source=Source("asymp", "the size at which `mlp-capacity:item-error` is one half"),
        conventions=CONVENTIONS + " The N at which half of the items are lost.",
        exponents={"d": "1", "m": "0"},
        numeric=half_numeric,
        exact=half_exact,
        notes=(
            "`mlp-capacity:one-item` is its leading order.",
            LIMITS,
        ),
        **SIZES,
    ),
)
