"""near-orthogonality: random embeddings have length about one and inner products of order 1/sqrt d."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.pieces import formulas, wick
from asymp.theory.laws.scores import INPUTS, ORDER, D, T
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice, integer, real
from asymp.theory.sources import Source

EMBEDDINGS = INPUTS.but(meaning="law of the embeddings", name="embeddings")

TALK = Source("bietti2025", "slide on random embeddings in high dimension (also bietti2024)")
CONVENTIONS = "u and u' are independent embeddings: gaussian is N(0, I/d), sphere is uniform on the unit sphere."


def moments(*, of: str, order: str, embeddings: str) -> Expr:
    """E (u.u')^2k or E |u|^2k as the contraction gives it."""
    moment = wick.inner_product_moment if of == "product" else wick.norm_moment
    return moment(law=embeddings, k=int(order) // 2)


def norm_law(*, embeddings: str) -> Expr:
    """P(|u|^2 <= t): d |u|^2 is chi-square with d degrees of freedom, or |u| = 1."""
    d, t = sympy.Symbol("d", integer=True, positive=True), sympy.Symbol("t", real=True, nonnegative=True)
    if embeddings == "sphere":
        return sympy.Piecewise((1, t >= 1), (0, True))
    return formulas.GammaShare(d / 2, d * t / 2)


def product_law(*, embeddings: str) -> Expr:
    """P(|u.u'| <= t): (u.u')^2 is Beta(1/2, (d-1)/2) on the sphere; gaussian: u.u' is N(0, |u|^2/d) given u."""
    d, t = sympy.Symbol("d", integer=True, positive=True), sympy.Symbol("t", real=True, nonnegative=True)
    if embeddings == "sphere":
        beta = sympy.betainc_regularized(sympy.Rational(1, 2), (d - 1) / 2, 0, t**2)
        return sympy.Piecewise((1, t >= 1), (0, sympy.Eq(d, 1)), (beta, True))
    return formulas.ProductShare(d, t)


threshold_law = partial(law, relation="=", quantity="P", conventions=CONVENTIONS)

LAWS = (
    law(
        "near-orthogonality",
        moments,
        relation="=",
        params=(
            D,
            Param(
                choice("product", "norm"),
                None,
                "product",
                "'product' for powers of u.u', 'norm' for powers of |u|",
                "of",
            ),
            ORDER,
            EMBEDDINGS,
        ),
        quantity="E_moment",
        title="Moments of inner products and lengths, exact at every d",
        source=Source("asymp", "Wick contraction"),
        conventions=CONVENTIONS,
    ),
    law(
        "near-orthogonality:source",
        "d**(-1/2)",
        relation="<~",
        params=(D.over(8, 4096),),
        quantity="E_abs",
        title="Size of an inner product, as the source states it",
        source=TALK,
        conventions=CONVENTIONS + " The statement is read as one of the mean of |u.u'|.",
    ),
    law(
        "near-orthogonality:source-length",
        "1",
        relation="~",
        params=(D.over(8, 4096),),
        quantity="E_length",
        title="Length of an embedding, as the source states it",
        source=TALK,
        conventions=CONVENTIONS + " The mean of |u|.",
    ),
    threshold_law(
        "near-orthogonality:norm",
        norm_law,
        params=(D, T, EMBEDDINGS),
        title="Law of the squared length: the probability that |u|^2 <= t",
        source=Source("asymp", "chi-square law"),
    ),
    threshold_law(
        "near-orthogonality:product",
        product_law,
        params=(D, T.over(0.05, 0.5), EMBEDDINGS),
        title="Law of the inner product: the probability that |u.u'| <= t",
        source=Source("asymp", "beta law; gaussian: mixture over the length"),
    ),
    law(
        "near-orthogonality:directions",
        "1 - P*(P - 1)*exp(-d*epsilon**2/2)",
        relation=">=",
        params=(
            D.over(64, 512),
            Param(integer(1), (2, 200), meaning="number of directions", name="P"),
            Param(
                real(above=0, high=1),
                (0.2, 1),
                None,
                "largest inner product that counts as nearly orthogonal",
                "epsilon",
            ),
        ),
        quantity="P_all",
        title="Probability that P random directions are nearly orthogonal, all pairs",
        source=Source("bietti2024", "slide on capacity: 'there are exp(d) near-orthogonal directions on the sphere'"),
        conventions="P independent directions, uniform on the unit sphere; the probability that all |u_i.u_j| <= epsilon.",
    ),
)
