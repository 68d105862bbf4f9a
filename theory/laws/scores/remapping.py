"""remapping: a random matrix keeps the length of an embedding and sends it in a nearly orthogonal direction."""

from asymp.theory.law import law
from asymp.theory.laws.pieces import formulas, wick
from asymp.theory.laws.scores import INPUTS, ORDER, D, T
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice, real
from asymp.theory.sources import Source

D_ONE = D.but(typical=(4, 128), meaning="dimension of the embedding")
OF = Param(
    choice("overlap", "norm"),
    default="overlap",
    meaning="'overlap' for powers of u^T W u, 'norm' for powers of |W u|",
    name="of",
)

TALK = Source("bietti2025", "slide on random embeddings in high dimension (also bietti2024)")
CONVENTIONS = (
    "W is d x d with independent entries N(0, 1/d), u an independent embedding: gaussian is N(0, I/d), sphere is "
    "uniform on the unit sphere."
)


def moments(*, of: str, order: str, embeddings: str) -> Expr:
    """E (u^T W u)^2k or E |W u|^2k: given u the entries of W u are independent N(0, |u|^2/d), so W u is |u| v with a
    gaussian embedding v; the rest is contraction."""
    k = int(order) // 2
    square = wick.inner("u", "u") * (wick.inner("u", "v") ** 2 if of == "overlap" else wick.inner("v", "v"))
    return wick.expectation(square**k, laws={"u": embeddings, "v": "gaussian"})


def given_length(*, of: str) -> Expr:
    """P(u^T W u <= t) or P(|W u|^2 <= t) given |u| = r: normal with variance r^4/d, or r^2 chi-square_d/d."""
    d = sympy.Symbol("d", integer=True, positive=True)
    r, t = sympy.Symbol("r", positive=True), sympy.Symbol("t", real=True)
    if of == "overlap":
        return sympy.erfc(-t * sympy.sqrt(d / 2) / r**2) / 2
    chi_square = formulas.GammaShare(d / 2, d * t / (2 * r**2))
    return sympy.Piecewise((0, t <= 0), (chi_square, True))


LAWS = (
    law(
        "remapping",
        moments,
        relation="=",
        params=(
            D_ONE,
            OF,
            ORDER.but(domain=choice("2", "4")),
            INPUTS.but(meaning="law of u", name="embeddings"),
        ),
        quantity="E_moment",
        title="Moments of a remapped embedding, exact at every d",
        source=Source("asymp", "Wick contraction"),
        conventions=CONVENTIONS,
    ),
    law(
        "remapping:source",
        "d**(-1/2)",
        relation="<~",
        params=(D_ONE.over(4, 512),),
        quantity="E_abs",
        title="Overlap of an embedding with its image, as the source states it",
        source=TALK,
        conventions=CONVENTIONS + " The statement is read as one of the mean of |u^T W u|.",
    ),
    law(
        "remapping:source-norm",
        "1",
        relation="~",
        params=(D_ONE.over(4, 512),),
        quantity="E_length",
        title="Length of a remapped embedding, as the source states it",
        source=TALK,
        conventions=CONVENTIONS + " The mean of |W u|.",
    ),
    law(
        "remapping:given-u",
        given_length,
        relation="=",
        params=(
            D_ONE,
            Param(real(above=0), (0.5, 2), meaning="length of u", name="r"),
            T.but(domain=real()).over(0.05, 1),
            OF,
        ),
        quantity="P",
        title="Laws of the overlap and of the length of the image, given u",
        source=Source("asymp", "rotation invariance"),
        conventions=CONVENTIONS + " Given |u| = r: the probability that u^T W u <= t, or that |W u|^2 <= t.",
    ),
)
