"""lookup-mlp: one neuron for each stored input, which fires only near it."""

from functools import cache
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

CONVENTIONS = (
    "The answer to z is argmax over y of v_y . sum over x = 1..N of v_f(x) relu(u_x . u_z - b), N hidden units, f injective; "
    "u and v are uniform on the unit sphere of R^d. "
)
MEANINGS = {
    "d": "dimension of the embeddings",
    "b": "bias: a neuron fires where the inner product with its input exceeds b",
    "N": "number of items, and of hidden units",
    "s": "length of the noise added to the input, N(0, s^2 I/d)",
}
BIAS = real(above=0, high=1, advice="a neuron fires for nothing at b >= 1 and for half of all inputs at b = 0")
CAP: dict[str, Any] = {
    "domain": {"d": integer(3), "b": BIAS},
    "typical": {"d": (8, 128)},
    "defaults": {"b": 0.5},
    "meanings": {name: MEANINGS[name] for name in ("d", "b")},
    "exponents": {"d": "oo"},
    "quantity": "N",
}
ITEMS: dict[str, Any] = {
    "domain": {"d": integer(3), "N": integer(3), "b": BIAS},
    "typical": {"d": (12, 48), "N": (64, 65536)},
    "defaults": {"b": 0.5},
    "meanings": {name: MEANINGS[name] for name in ("d", "N", "b")},
}


def overlap_square() -> "sympy.Expr":
    """E relu(u.u' - b)^2 for two points of the sphere, all factors positive.

    The density of u.u' = c is C (1 - c^2)^((d-3)/2). With c = 1 - (1 - b) s the integral of (c - b)^2 times it is
    Euler's for 2F1; Euler's transformation leaves a series of positive terms.
    """
    import sympy

    d, b = sympy.symbols("d b", positive=True)
    half = sympy.Rational(1, 2)
    # C B((d - 1)/2, 3) = Gamma(d/2)/sqrt(pi) * 2/Gamma((d + 5)/2)
    front = sympy.exp(sympy.loggamma(d / 2) - sympy.loggamma((d + 5) / 2)) / (4 * sympy.sqrt(sympy.pi))
    return front * (1 - b**2) ** ((d + 3) * half) * sympy.hyper([3, d + 1], [(d + 5) / 2], (1 - b) / 2)


@cache
def moments() -> Any:
    """Means and variances of the scores: the answer has 1 - b, every other neuron adds relu(u.u' - b) v.v'."""
    import sympy

    from asymp.theory.recall.item_errors import ScoreMoments

    d, b, N = sympy.symbols("d b N", positive=True)
    square = sympy.Symbol("square", positive=True)
    # `square` stands for E relu^2, put in as a number: the hypergeometric series is summed once, not at every use
    return ScoreMoments(
        target_mean=1 - b,
        other_mean=sympy.Integer(0),
        target_variance=(N - 1) * square / d,
        other_variance=(1 - b) ** 2 / d + (N - 2) * square / d + square,
        noise=(N - 1) * square / d,
        d=d,
        competitors=N - 1,
    )


def item_error() -> "sympy.Expr":
    """The probability that one item is lost."""
    import sympy

    from asymp.theory.recall.item_errors import item_error_expression

    return item_error_expression(moments()).subs(sympy.Symbol("square", positive=True), overlap_square())


def square_numeric(d: Any, b: Any) -> Any:
    """E relu(u.u' - b)^2 in float64."""
    import numpy as np
    from scipy.special import gammaln, hyp2f1

    log_front = gammaln(d / 2) - gammaln((d + 5) / 2) + (d + 3) / 2 * np.log1p(-(b**2))
    return np.exp(log_front) * hyp2f1(3, d + 1, (d + 5) / 2, (1 - b) / 2) / (4 * np.sqrt(np.pi))


def square_exact(d: Any, b: Any) -> Any:
    """E relu(u.u' - b)^2 as an mpmath number."""
    import mpmath

    front = mpmath.gamma(d / 2) / mpmath.gamma((d + 5) / 2) / (4 * mpmath.sqrt(mpmath.pi))
    return front * (1 - b**2) ** ((d + 3) / 2) * mpmath.hyp2f1(3, d + 1, (d + 5) / 2, (1 - b) / 2)


def item_error_numeric(*, d: Any, N: Any, b: Any) -> Any:
    """The integral in float64, vectorised."""
    from asymp.theory.recall import item_errors as capacity_numerics

    return capacity_numerics.item_error(moments(), {"d": d, "N": N, "b": b, "square": square_numeric(d, b)})


def item_error_exact(*, d: Any, N: Any, b: Any, digits: int) -> Any:
    """The integral to any number of digits."""
    from asymp.theory.recall.item_errors import item_error_digits

    return item_error_digits(moments(), {"d": d, "N": N, "b": b, "square": square_exact(d, b)}, digits)


def threshold(times: int) -> "sympy.Expr":
    """N with times N log N E relu^2 = d (1 - b)^2."""
    import sympy

    d, b = sympy.symbols("d b", positive=True)
    return sympy.exp(sympy.LambertW(d * (1 - b) ** 2 / (times * overlap_square())))


def all_items() -> "sympy.Expr":
    """The threshold of all items."""
    return threshold(8)


def one_item() -> "sympy.Expr":
    """The threshold of one item."""
    return threshold(2)


def threshold_numeric(times: int, d: Any, b: Any) -> Any:
    """The threshold in float64."""
    import numpy as np

    from asymp.theory.recall.item_errors import size_of_log

    return size_of_log(np.log(d) + 2 * np.log1p(-b) - np.log(times) - np.log(square_numeric(d, b)))


def all_items_numeric(*, d: Any, b: Any) -> Any:
    """The threshold of all items in float64."""
    return threshold_numeric(8, d, b)


def one_item_numeric(*, d: Any, b: Any) -> Any:
    """The threshold of one item in float64."""
    return threshold_numeric(2, d, b)


def silent() -> "sympy.Expr":
    """(1 - P(u.u' > b))^(N-1)."""
    import sympy

    from asymp.theory.recall.item_errors import sphere_tail

    d, N, b = sympy.symbols("d N b", positive=True)
    return (1 - sphere_tail(b, d)) ** (N - 1)


def silent_numeric(*, d: Any, N: Any, b: Any) -> Any:
    """The same in float64."""
    import numpy as np
    from scipy.special import betainc

    return np.exp((N - 1) * np.log1p(-betainc((d - 1) / 2, 0.5, 1 - b**2) / 2))


def silent_exact(*, d: Any, N: Any, b: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    tail = mpmath.betainc((d - 1) / 2, mpmath.mpf(1) / 2, 0, 1 - b**2, regularized=True) / 2
    return (1 - tail) ** (N - 1)


LAWS = (
    law(
        "lookup-mlp",
        "exp(d*b**2/4)",
        relation=">=",
        title="Capacity of a lookup layer: all items right, no other neuron fires",
        source=Source("asymp", "N^2/2 pairs, each beyond b with probability at most exp(-d b^2/2)"),
        conventions=CONVENTIONS + "The largest N at which all items are right with probability at least one half.",
        notes=(
            "Where no inner product of two inputs exceeds b only the right neuron fires and the answer is exact, for every f. "
            "That is sufficient, not necessary: the true capacity (`lookup-mlp:all-items`) is about the square of this, since "
            "the few others that fire hardly exceed b.",
        ),
        **CAP,
    ),
    law(
        "lookup-mlp:source",
        "d",
        relation="~",
        domain={"d": integer(2)},
        typical={"d": (8, 128)},
        meanings={"d": MEANINGS["d"]},
        quantity="log_N",
        title="Capacity of a lookup layer, as the source states it",
        source=Source("bietti2024", "slide on capacity: MLP, 'from linear to exponential in d'"),
        conventions=CONVENTIONS + "The logarithm of the capacity, at a fixed b.",
        notes=(
            "The rate is not given: at least b^2/4 and about -log(1 - b^2)/2 per dimension in fact. The hidden layer has N units: "
            "items per parameter are fewer than in `mlp-capacity`.",
        ),
    ),
    law(
        "lookup-mlp:all-items",
        all_items,
        relation="~",
        numeric=all_items_numeric,
        title="Capacity of a lookup layer with the others' firing counted: all items",
        source=Source("asymp", "8 N log N E relu(u.u' - b)^2 = d (1 - b)^2"),
        conventions=CONVENTIONS + "The largest N at which all N items are right.",
        notes=("Grows like (1 - b^2)^(-d/2) times powers of d: E relu^2 is exponentially small.",),
        **CAP,
    ),
    law(
        "lookup-mlp:one-item",
        one_item,
        relation="~",
        numeric=one_item_numeric,
        title="Size at which an item of a lookup layer is right half of the time",
        source=Source("asymp", "2 N log N E relu(u.u' - b)^2 = d (1 - b)^2"),
        conventions=CONVENTIONS + "The N at which a given item is lost with probability one half.",
        **CAP,
    ),
    law(
        "lookup-mlp:item-error",
        item_error,
        relation="~",
        numeric=item_error_numeric,
        exact=item_error_exact,
        title="Share of lost items of a lookup layer at finite size",
        source=Source("asymp", "N - 1 competitors, noise of the other neurons that fire"),
        conventions=CONVENTIONS,
        notes=(
            "Leading order, which takes many other neurons to fire: N P(u.u' > b) >> 1. Against simulation within 15 % at "
            "d = 24 and 32 where half of the items are lost, too small where few are: their noise varies with the query.",
        ),
        **ITEMS,
    ),
    law(
        "lookup-mlp:silent",
        silent,
        relation="=",
        quantity="P_silent",
        numeric=silent_numeric,
        exact=silent_exact,
        title="Probability that no other neuron of a lookup layer fires, exact",
        source=Source("asymp", "N - 1 independent inner products with the query"),
        conventions=CONVENTIONS + "The probability that only the right neuron fires at a given z.",
        **ITEMS,
    ),
    law(
        "lookup-mlp:noise",
        "erfc((1 - b)*sqrt(d/2)/s)/2",
        relation="=",
        domain={"d": integer(1), "b": BIAS, "s": real(above=0)},
        typical={"d": (8, 128), "s": (0.5, 4)},
        defaults={"b": 0.5},
        meanings={name: MEANINGS[name] for name in ("d", "b", "s")},
        quantity="P_lost",
        title="Probability that noise on the input silences the right neuron, exact",
        source=Source("asymp", "u . noise is N(0, s^2/d)"),
        conventions=CONVENTIONS + "The input is u_z + noise, noise ~ N(0, s^2 I/d).",
        notes=("The larger b, the larger the capacity and the sensitivity to noise.",),
    ),
    law(
        "lookup-mlp:cost",
        "2*N/d",
        relation="=",
        domain={"d": integer(2), "N": integer(2)},
        typical={"d": (16, 128), "N": (64, 4096)},
        meanings={name: MEANINGS[name] for name in ("d", "N")},
        quantity="ratio",
        title="Operations of a lookup layer over those of a linear memory, exact",
        source=Source("asymp", "N neurons with d inputs and d outputs against one d x d matrix"),
        conventions=CONVENTIONS
        + "From the query to the vector that meets the candidates; parameters have the same ratio.",
        notes=("More than one from N = d/2 on, and exponential in d at the layer's capacity.",),
    ),
    law(
        "lookup-mlp:noise-source",
        "1",
        relation=">=",
        domain={"d": integer(2), "N": integer(2), "b": BIAS, "s": real(above=0)},
        typical={"d": (32, 128), "N": (8, 128), "s": (0.5, 2)},
        defaults={"b": 0.5},
        meanings=MEANINGS,
        quantity="ratio",
        title="A lookup layer is more sensitive to noise than a linear memory, as the source states it",
        source=Source("bietti2024", "slide on capacity: 'more sensitive to noise'"),
        conventions=CONVENTIONS
        + "Items lost under noise N(0, s^2 I/d) on the input, over those that W = sum of v_f(x) u_x^T "
        "loses with the same items.",
        notes=(
            "Holds for few items, N << d, and a large b: nothing disturbs the linear memory then, and noise silences the neuron.",
        ),
        errata=(
            Erratum(
                regime="N of order d and more, at a fixed b.",
                discrepancy="The linear memory loses more: the noise brings N (1 + s^2)/d^2 of interference into each of its "
                "scores, and the threshold keeps that out of the lookup layer. At d = 64, N = 64, b = 0.5 and s = 1 the "
                "linear memory loses ten times as many items.",
                corrected_by="lookup-mlp:noise-corrected",
            ),
        ),
    ),
    law(
        "lookup-mlp:noise-corrected",
        "1",
        relation="<=",
        domain={"d": integer(2), "N": integer(2), "b": BIAS, "s": real(above=0)},
        typical={"d": (32, 128), "N": (8, 128), "s": (0.5, 2)},
        defaults={"b": 0.5},
        meanings=MEANINGS,
        quantity="ratio",
        title="With as many items as dimensions a lookup layer is less sensitive to noise than a linear memory",
        source=Source("asymp", "measured"),
        conventions=CONVENTIONS
        + "Items lost under noise N(0, s^2 I/d) on the input, over those that W = sum of v_f(x) u_x^T "
        "loses with the same items.",
    ),
    law(
        "lookup-mlp:learning",
        "1",
        relation=">=",
        domain={"d": integer(2), "N": integer(2), "b": BIAS},
        typical={"d": (16, 64), "N": (32, 128)},
        defaults={"b": 0.5},
        meanings={name: MEANINGS[name] for name in ("d", "N", "b")},
        quantity="ratio",
        title="A lookup layer takes more steps to learn than a linear memory",
        source=Source("bietti2024", "slide on capacity: 'harder to learn'"),
        conventions=CONVENTIONS
        + "Steps of full-batch Adam to 99 % recall, from random unit directions and biases -b, over those "
        "of a matrix from zero.",
        notes=(
            "A neuron that fires for no input has no gradient: a share of about N exp(-d b^2/2) fires at the start.",
        ),
    ),
)
