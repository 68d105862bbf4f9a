"""near-orthogonality: random embeddings have length about one and inner products of order 1/sqrt d."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

EMBEDDINGS = choice("gaussian", "sphere")
MEANINGS = {
    "d": "dimension of the embeddings",
    "embeddings": "law of the embeddings",
    "of": "'product' for powers of u.u', 'norm' for powers of |u|",
    "order": "the power",
    "t": "threshold",
    "epsilon": "largest inner product that counts as nearly orthogonal",
    "P": "number of directions",
}
TALK = Source("bietti2025", "slide on random embeddings in high dimension (also bietti2024)")
CONVENTIONS = "u and u' are independent embeddings: gaussian is N(0, I/d), sphere is uniform on the unit sphere."
DIMENSION: dict[str, Any] = {"domain": {"d": integer(1)}, "typical": {"d": (8, 4096)}, "meanings": {"d": MEANINGS["d"]}}


def moments(*, of: str, order: str, embeddings: str) -> "sympy.Expr":
    """E (u.u')^2k or E |u|^2k as the contraction gives it."""
    from asymp.theory.moments.wick import inner_product_moment, norm_moment

    moment = inner_product_moment if of == "product" else norm_moment
    return moment(law=embeddings, k=int(order) // 2)


def absolute(*, embeddings: str) -> "sympy.Expr":
    """E |u.u'| = E |u| E |u'_1|: given u, the product is |u| times a component of u' along a fixed direction."""
    import sympy

    d = sympy.Symbol("d", integer=True, positive=True)
    if embeddings == "sphere":  # the square of a component is Beta(1/2, (d-1)/2)
        return sympy.gamma(d / 2) / (sympy.sqrt(sympy.pi) * sympy.gamma((d + 1) / 2))
    length = sympy.sqrt(2 / d) * sympy.gamma((d + 1) / 2) / sympy.gamma(d / 2)
    return length * sympy.sqrt(2 / (sympy.pi * d))


def absolute_numeric(*, d: Any, embeddings: str) -> Any:
    """E |u.u'| in float64: the ratio of gammas in logarithms, which do not overflow."""
    import numpy as np
    from scipy.special import poch

    ratio = poch(d / 2, 0.5)  # Gamma((d+1)/2)/Gamma(d/2)
    return 1 / (np.sqrt(np.pi) * ratio) if embeddings == "sphere" else 2 * ratio / (np.sqrt(np.pi) * d)


def norm_law(*, embeddings: str) -> "sympy.Expr":
    """P(|u|^2 <= t): d |u|^2 is chi-square with d degrees of freedom, or |u| = 1."""
    import sympy

    d, t = sympy.Symbol("d", integer=True, positive=True), sympy.Symbol("t", real=True, nonnegative=True)
    if embeddings == "sphere":
        return sympy.Piecewise((1, t >= 1), (0, True))
    return sympy.lowergamma(d / 2, d * t / 2) / sympy.gamma(d / 2)


def product_law(*, embeddings: str) -> "sympy.Expr":
    """P(|u.u'| <= t): (u.u')^2 is Beta(1/2, (d-1)/2) on the sphere; gaussian: u.u' is N(0, |u|^2/d) given u."""
    import sympy

    d, t = sympy.Symbol("d", integer=True, positive=True), sympy.Symbol("t", real=True, nonnegative=True)
    if embeddings == "sphere":
        beta = sympy.betainc_regularized(sympy.Rational(1, 2), (d - 1) / 2, 0, t**2)
        return sympy.Piecewise((1, t >= 1), (0, sympy.Eq(d, 1)), (beta, True))
    r = sympy.Symbol("r", positive=True)
    density = 2 * (d / 2) ** (d / 2) / sympy.gamma(d / 2) * r ** (d - 1) * sympy.exp(-d * r**2 / 2)
    return sympy.Integral(sympy.erf(t * sympy.sqrt(d / 2) / r) * density, (r, 0, sympy.oo))


def norm_numeric(**values: Any) -> Any:
    """P(|u|^2 <= t) in float64."""
    from asymp.theory.moments.inner_products import norm_cdf

    return norm_cdf(**values)


def norm_exact(**values: Any) -> Any:
    """P(|u|^2 <= t) to any number of digits."""
    from asymp.theory.moments.inner_products import norm_cdf_digits

    return norm_cdf_digits(**values)


def product_numeric(**values: Any) -> Any:
    """P(|u.u'| <= t) in float64."""
    from asymp.theory.moments.inner_products import product_cdf

    return product_cdf(**values)


def product_exact(**values: Any) -> Any:
    """P(|u.u'| <= t) to any number of digits."""
    from asymp.theory.moments.inner_products import product_cdf_digits

    return product_cdf_digits(**values)


THRESHOLD: dict[str, Any] = {
    "domain": {"d": integer(1), "t": real(0), "embeddings": EMBEDDINGS},
    "defaults": {"embeddings": "gaussian"},
    "meanings": {name: MEANINGS[name] for name in ("d", "t", "embeddings")},
    "relation": "=",
    "quantity": "P",
    "conventions": CONVENTIONS,
}

LAWS = (
    law(
        "near-orthogonality",
        moments,
        relation="=",
        domain={
            "d": integer(1),
            "of": choice("product", "norm"),
            "order": choice("2", "4", "6"),
            "embeddings": EMBEDDINGS,
        },
        typical={"d": (4, 256)},
        defaults={"of": "product", "order": "2", "embeddings": "gaussian"},
        meanings={name: MEANINGS[name] for name in ("d", "of", "order", "embeddings")},
        quantity="E_moment",
        title="Moments of inner products and lengths, exact at every d",
        source=Source("asymp", "Wick contraction"),
        conventions=CONVENTIONS,
        notes=(
            "E (u.u')^2 = 1/d for both laws, and for every law with E u u^T = I/d: the root mean square of an inner "
            "product is d^(-1/2), constant one included. |u|^2 has variance 2/d (gaussian) or 0 (sphere).",
        ),
    ),
    law(
        "near-orthogonality:source",
        "d**(-1/2)",
        relation="<~",
        quantity="E_abs",
        title="Size of an inner product, as the source states it",
        source=TALK,
        conventions=CONVENTIONS + " The statement is read as one of the mean of |u.u'|.",
        notes=(
            "It is one of a given pair. The largest of the N(N - 1)/2 products of N embeddings is of order "
            "sqrt(log N/d): no constant serves all pairs as N grows.",
        ),
        **DIMENSION,
    ),
    law(
        "near-orthogonality:source-length",
        "1",
        relation="~",
        quantity="E_length",
        title="Length of an embedding, as the source states it",
        source=TALK,
        conventions=CONVENTIONS + " The mean of |u|.",
        notes=("For gaussian embeddings the mean length is 1 - 1/(4 d) to leading order, its variance 1/(2 d).",),
        **DIMENSION,
    ),
    law(
        "near-orthogonality:absolute",
        absolute,
        relation="=",
        domain={"d": integer(1), "embeddings": EMBEDDINGS},
        typical={"d": (4, 4096)},
        defaults={"embeddings": "gaussian"},
        meanings={name: MEANINGS[name] for name in ("d", "embeddings")},
        exponents={"d": "-1/2"},
        numeric=absolute_numeric,
        quantity="E_abs",
        title="Mean size of an inner product, exact at every d",
        source=Source("asymp", "mean length times mean component"),
        conventions=CONVENTIONS,
        notes=("sqrt(2/(pi d)) to leading order, for both laws.",),
    ),
    law(
        "near-orthogonality:norm",
        norm_law,
        typical={"d": (4, 256), "t": (0.5, 1.5)},
        numeric=norm_numeric,
        exact=norm_exact,
        title="Law of the squared length: the probability that |u|^2 <= t",
        source=Source("asymp", "chi-square law"),
        **THRESHOLD,
    ),
    law(
        "near-orthogonality:product",
        product_law,
        typical={"d": (4, 256), "t": (0.05, 0.5)},
        numeric=product_numeric,
        exact=product_exact,
        title="Law of the inner product: the probability that |u.u'| <= t",
        source=Source("asymp", "beta law; gaussian: mixture over the length"),
        notes=(
            "The gaussian integral is s [K_v(s) L_(v-1)(s) + K_(v-1)(s) L_v(s)] with s = d t, v = (d - 1)/2, K the "
            "modified Bessel and L the modified Struve function; u.u' itself is symmetric.",
        ),
        **THRESHOLD,
    ),
    law(
        "near-orthogonality:directions",
        "1 - P*(P - 1)*exp(-d*epsilon**2/2)",
        relation=">=",
        domain={"d": integer(1), "P": integer(1), "epsilon": real(above=0, high=1)},
        typical={"d": (64, 512), "P": (2, 200), "epsilon": (0.2, 1)},
        meanings={name: MEANINGS[name] for name in ("d", "P", "epsilon")},
        quantity="P_all",
        title="Probability that P random directions are nearly orthogonal, all pairs",
        source=Source("bietti2024", "slide on capacity: 'there are exp(d) near-orthogonal directions on the sphere'"),
        conventions="P independent directions, uniform on the unit sphere; the probability that all |u_i.u_j| <= epsilon.",
        notes=(
            "A union bound over P(P - 1)/2 pairs, each with probability at most 2 exp(-d epsilon^2/2). It is positive up "
            "to P = exp(d epsilon^2/4): at a fixed epsilon exponentially many nearly orthogonal directions exist, and "
            "random ones are such.",
            "The source gives no epsilon. With epsilon of the order d^(-1/2) of a typical pair there are only "
            "polynomially many: for epsilon < d^(-1/2) at most d (1 - epsilon^2)/(1 - d epsilon^2) (Welch).",
        ),
    ),
)
