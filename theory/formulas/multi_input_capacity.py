"""multi-input-capacity: how many facts about pairs (subject, relation) a layer of m neurons holds."""

from functools import cache
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

CONVENTIONS = (
    "S subjects and R relations, N = S R facts with answers drawn uniformly from M outputs. Features "
    "He_p(w_i . e_s) He_p(w~_i . e~_r)/p! of m neurons with random directions N(0, I), values left by one correlation step; "
    "the answer to (s, r) is the output with the largest score. Embeddings on the unit sphere of R^d."
)
DEGREE = choice("2", "1")
MEANINGS = {
    "d": "dimension of the embeddings",
    "m": "number of neurons",
    "M": "number of outputs",
    "S": "number of subjects",
    "R": "number of relations",
    "p": "degree of the features in each of the two inputs",
    "mu": "number of neurons as a power of the dimension: m = d^mu",
    "nu": "number of outputs as a power of the dimension: M = d^nu",
    "output": "'target' for the score of the answer, 'other' for that of a competitor",
}
SIZES: dict[str, Any] = {
    "relation": "~",
    "domain": {"d": integer(2), "m": integer(1), "M": integer(2), "p": DEGREE},
    "typical": {"d": (16, 256), "m": (256, 65536), "M": (256, 65536)},
    "defaults": {"p": "2"},
    "meanings": {name: MEANINGS[name] for name in ("d", "m", "M", "p")},
    "quantity": "N",
}
LIMITS = "m d as long as d << M and m << d^(2p); beyond, the number of outputs or the kernel is the limit."


@cache
def variance(*, output: str, p: str) -> "sympy.Expr":
    """The variance of a score as the contraction gives it."""
    from asymp.theory.moments.two_input import two_input_score_variance

    return two_input_score_variance(match=output == "target", p=int(p), inputs="sphere", outputs="sphere")


@cache
def noise_per_fact(p: str) -> "sympy.Expr":
    """What each stored fact adds to the variance of a competitor: (1/d + 1/M)(1/m + ((2p-1)!!)^2/d^2p) and a little more."""
    import sympy

    S, R = sympy.symbols("S R", positive=True)
    found = sympy.Poly(sympy.expand(variance(output="other", p=p)), S, R).coeff_monomial(S * R)
    return sympy.factor(found)


def pairs_size(p: str) -> tuple[Any, Any]:
    """M and M x, x = 1/(4 noise per fact): N M log(N M) = M x."""
    import sympy

    M = sympy.Symbol("M", positive=True)
    return M, M / (4 * noise_per_fact(p))


def all_items(*, p: str) -> "sympy.Expr":
    """N with 4 N log(N M) (noise per fact) = 1."""
    import sympy

    M, argument = pairs_size(p)
    return sympy.exp(sympy.LambertW(argument)) / M


def all_items_numeric(*, p: str, **values: Any) -> Any:
    """The capacity in float64, vectorised."""
    from asymp.theory.recall.item_errors import size_of

    return size_of(pairs_size(p)[1], values) / values["M"]


def one_item(*, p: str) -> "sympy.Expr":
    """N with 2 N log(M) (noise per fact) = 1."""
    import sympy

    return 1 / (2 * noise_per_fact(p) * sympy.log(sympy.Symbol("M", positive=True)))


def scaling() -> "sympy.Expr":
    """The capacity at m = d^mu and M = d^nu, leading order of the noise per fact, for p = 2."""
    import sympy

    d = sympy.Symbol("d", positive=True)
    mu, nu = (sympy.Symbol(name, real=True, nonnegative=True) for name in ("mu", "nu"))
    noise = (1 / d + d**-nu) * (d**-mu + 9 / d**4)
    return sympy.exp(sympy.LambertW(d**nu / (4 * noise))) / d**nu


def scaling_numeric(*, d: Any, mu: Any, nu: Any) -> Any:
    """The same in the log domain."""
    import numpy as np

    from asymp.theory.recall.item_errors import size_of_log

    log_d = np.log(d)
    noise = np.logaddexp(-log_d, -nu * log_d) + np.logaddexp(-mu * log_d, np.log(9) - 4 * log_d)
    return size_of_log(nu * log_d - np.log(4) - noise) * np.exp(-nu * log_d)


@cache
def moments(p: str) -> Any:
    """Means and exact variances of the scores, divided by their common scale.

    The answer's own part of its score is s = (1/m) sum of features^2, with mean 1 and the variance v that the exact one
    has at S = R = 1. Given s all noise has a variance proportional to s. Divided by sqrt s the answer has the mean
    E sqrt s and the second moment 1 + noise, and its part in the others falls from (1 + v)/d to 1/d. s is taken to be
    gamma with the shape 1/v.
    """
    import sympy

    from asymp.theory.moments.two_input import two_input_score_mean
    from asymp.theory.recall.item_errors import ScoreMoments

    d, M, S, R = sympy.symbols("d M S R", positive=True)
    target, other = variance(output="target", p=p), variance(output="other", p=p)
    own = sympy.factor(target.subs({S: 1, R: 1}))
    root = sympy.exp(sympy.loggamma(1 / own + sympy.Rational(1, 2)) - sympy.loggamma(1 / own)) * sympy.sqrt(own)
    bias = two_input_score_mean(match=False, p=int(p), inputs="sphere", outputs="sphere")
    return ScoreMoments(
        target_mean=root + bias,
        other_mean=bias,
        target_variance=1 + target - own - root**2,
        other_variance=other - own / d,
        noise=target - own,
        d=d,
        competitors=M - 1,
    )


def item_error(*, p: str) -> "sympy.Expr":
    """The probability that one fact is lost."""
    from asymp.theory.recall.item_errors import item_error_expression

    return item_error_expression(moments(p))


def item_error_numeric(*, p: str, **values: Any) -> Any:
    """The integral in float64, vectorised."""
    from asymp.theory.recall import item_errors as capacity_numerics

    return capacity_numerics.item_error(moments(p), values)


def item_error_exact(*, p: str, digits: int, **values: Any) -> Any:
    """The integral to any number of digits."""
    from asymp.theory.recall.item_errors import item_error_digits

    return item_error_digits(moments(p), values, digits)


def half(*, p: str) -> "sympy.Expr":
    """The N at which the error of a fact is one half: a function without a formula."""
    from asymp.theory.recall.half_size import half_symbol

    return half_symbol("d", "m", "M", "R")


def half_numeric(*, p: str, R: Any, **values: Any) -> Any:
    """The same, vectorised, with a relative error of 1e-10: the number S of subjects times R."""
    from asymp.theory.recall import item_errors as capacity_numerics

    return R * capacity_numerics.half_of_items(moments(p), {"R": R, **values}, "S", smallest=2.0)


def half_exact(*, p: str, digits: int, **values: Any) -> Any:
    """The same to any number of digits."""
    from asymp.theory.recall.half_digits import half_of_items_digits

    start = half_numeric(p=p, **{name: float(value) for name, value in values.items()}) / float(values["R"])
    return values["R"] * half_of_items_digits(moments(p), values, "S", float(start), digits)


LAWS = (
    law(
        "multi-input-capacity",
        all_items,
        title="Facts that m neurons hold: all right, 4 N log(N M) (1/d + 1/M) = m",
        source=Source("asymp", "exact variance of the scores, N M pairs"),
        conventions=CONVENTIONS + " The largest N at which all N facts are right.",
        exponents={"d": "0", "m": "0"},
        numeric=all_items_numeric,
        notes=(
            "N log(N M) = m d/(4 (1 + d/M)) to leading order: " + LIMITS,
            "In one variable alone, the others fixed, it ends at a finite size (exponent 0, or a logarithm); along "
            "m = d^mu, M = d^nu `multi-input-capacity:scaling` has the exponents.",
        ),
        **SIZES,
    ),
    law(
        "multi-input-capacity:source",
        "m*d",
        title="Facts that m neurons hold, as the source states it",
        source=Source("bietti2025", "slide on capacity and number of parameters, multi-input (also bietti2024)"),
        conventions=CONVENTIONS + " The source reads sigma(W_2^T (e_s + e~_r)).",
        notes=(LIMITS,),
        errata=(
            Erratum(
                regime="N = m d taken literally, or N = c m d with any constant c as the sizes grow.",
                discrepancy="At N = m d the noise in every score is at least as large as the signal, and the competitors "
                "reach sqrt(2 log M) times that: almost every fact is wrong. All are right up to "
                "N = m d/(4 (1 + d/M) log(N M)), and one fact in two at the size of `multi-input-capacity:half`.",
                corrected_by="multi-input-capacity:half",
            ),
        ),
        **SIZES,
    ),
    law(
        "multi-input-capacity:one-item",
        one_item,
        title="Number of facts at which one is right half of the time",
        source=Source("asymp", "maximum of M normals against one"),
        conventions=CONVENTIONS + " The N at which a given fact is lost with probability one half.",
        exponents={"d": "0", "m": "0"},
        notes=("N = m d/(2 (1 + d/M) log M) to leading order.", LIMITS),
        **SIZES,
    ),
    law(
        "multi-input-capacity:scaling",
        scaling,
        relation="~",
        domain={"d": integer(2), "mu": real(0), "nu": real(0)},
        typical={"d": (64, 4096), "mu": (0.5, 4), "nu": (0.5, 4)},
        meanings={name: MEANINGS[name] for name in ("d", "mu", "nu")},
        quantity="N",
        title="Facts that m = d^mu neurons hold with M = d^nu outputs, p = 2",
        source=Source("asymp", "the capacity along powers of d, leading order"),
        conventions=CONVENTIONS,
        exponents={"d": "Min(1, nu) + Min(mu, 4)"},
        numeric=scaling_numeric,
        notes=("m d for nu >= 1 and mu <= 4. A logarithm comes on top.",),
    ),
    law(
        "multi-input-capacity:variance",
        variance,
        relation="=",
        domain={
            **{name: integer(1) for name in ("d", "m", "S", "R")},
            "M": integer(2),
            "p": DEGREE,
            "output": choice("other", "target"),
        },
        typical={"d": (8, 64), "m": (16, 1024), "S": (4, 64), "R": (4, 64), "M": (16, 1024)},
        defaults={"p": "2", "output": "other"},
        meanings={name: MEANINGS[name] for name in ("d", "m", "S", "R", "M", "p", "output")},
        quantity="Var_g",
        title="Variance of a score of a two-input memory, exact",
        source=Source("asymp", "contraction of embeddings, neurons and answers"),
        conventions=CONVENTIONS,
        notes=("S R (1/d + 1/M)/m to leading order.",),
    ),
    law(
        "multi-input-capacity:item-error",
        item_error,
        relation="~",
        domain={**{name: integer(1) for name in ("m", "S", "R")}, "d": integer(2), "M": integer(2), "p": DEGREE},
        typical={"d": (24, 64), "m": (1024, 8192), "S": (8, 32), "R": (8, 32), "M": (256, 1024)},
        defaults={"p": "2"},
        meanings={name: MEANINGS[name] for name in ("d", "m", "S", "R", "M", "p")},
        numeric=item_error_numeric,
        exact=item_error_exact,
        title="Share of lost facts at finite size",
        source=Source("asymp", "M - 1 competitors, with the exact variances of the scores"),
        conventions=CONVENTIONS,
        notes=(
            "Leading order. Against simulation within 10 % at p = 1 where 20 to 80 % are lost; where fewer are, more are lost "
            "than it says: 1.1 to 1.4 times as many at 5 to 14 %, twice as many at 1 % and less. At p = 2 good for m >= 4096, "
            "up to twice too large at m = 2048: the own part of a score is skewed, gamma is a rough picture of it.",
        ),
    ),
    law(
        "multi-input-capacity:half",
        half,
        relation="~",
        domain={**{name: integer(1) for name in ("m", "R")}, "d": integer(2), "M": integer(2), "p": DEGREE},
        typical={"d": (24, 64), "m": (1024, 8192), "R": (8, 32), "M": (256, 1024)},
        defaults={"p": "2", "R": 16},
        meanings={name: MEANINGS[name] for name in ("d", "m", "R", "M", "p")},
        quantity="N",
        numeric=half_numeric,
        exact=half_exact,
        exponents={"d": "0", "m": "0"},
        title="Number of facts at which one is right half of the time, at finite size",
        source=Source("asymp", "the size at which `multi-input-capacity:item-error` is one half"),
        conventions=CONVENTIONS + " The N = S R at which half of the facts are lost, at a fixed number R of relations.",
        notes=(
            "`multi-input-capacity:one-item` is its leading order.",
            LIMITS,
        ),
    ),
)
