"""remapping: a random matrix keeps the length of an embedding and sends it in a nearly orthogonal direction."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

EMBEDDINGS = choice("gaussian", "sphere")
OF = choice("overlap", "norm")
MEANINGS = {
    "d": "dimension of the embedding",
    "embeddings": "law of u",
    "of": "'overlap' for powers of u^T W u, 'norm' for powers of |W u|",
    "order": "the power",
    "r": "length of u",
    "t": "threshold",
}
TALK = Source("bietti2025", "slide on random embeddings in high dimension (also bietti2024)")
CONVENTIONS = (
    "W is d x d with independent entries N(0, 1/d), u an independent embedding: gaussian is N(0, I/d), sphere is "
    "uniform on the unit sphere."
)
DIMENSION: dict[str, Any] = {"domain": {"d": integer(1)}, "typical": {"d": (4, 512)}, "meanings": {"d": MEANINGS["d"]}}


def moments(*, of: str, order: str, embeddings: str) -> "sympy.Expr":
    """E (u^T W u)^2k or E |W u|^2k: given u the entries of W u are independent N(0, |u|^2/d), so W u is |u| v with a
    gaussian embedding v; the rest is contraction."""
    from asymp.theory.moments.wick import expectation, inner

    k = int(order) // 2
    square = inner("u", "u") * (inner("u", "v") ** 2 if of == "overlap" else inner("v", "v"))
    return expectation(square**k, laws={"u": embeddings, "v": "gaussian"})


def given_length(*, of: str) -> "sympy.Expr":
    """P(u^T W u <= t) or P(|W u|^2 <= t) given |u| = r: normal with variance r^4/d, or r^2 chi-square_d/d."""
    import sympy

    d = sympy.Symbol("d", integer=True, positive=True)
    r, t = sympy.Symbol("r", positive=True), sympy.Symbol("t", real=True)
    if of == "overlap":
        return (1 + sympy.erf(t * sympy.sqrt(d / 2) / r**2)) / 2
    chi_square = sympy.lowergamma(d / 2, d * t / (2 * r**2)) / sympy.gamma(d / 2)
    return sympy.Piecewise((0, t <= 0), (chi_square, True))


def given_length_numeric(*, d: Any, r: Any, t: Any, of: str) -> Any:
    """The distribution functions in float64."""
    import numpy as np
    from scipy.special import gammainc, ndtr

    if of == "overlap":
        return ndtr(t * np.sqrt(d) / r**2)
    return gammainc(d / 2, d * np.maximum(t, 0.0) / (2 * r**2))


def given_length_exact(*, d: Any, r: Any, t: Any, of: str, digits: int) -> Any:
    """The distribution functions to any number of digits."""
    import mpmath

    if of == "overlap":
        return mpmath.ncdf(t * mpmath.sqrt(d) / r**2)
    return mpmath.gammainc(d / 2, 0, d * max(t, mpmath.mpf(0)) / (2 * r**2), regularized=True)


LAWS = (
    law(
        "remapping",
        moments,
        relation="=",
        domain={"d": integer(1), "of": OF, "order": choice("2", "4"), "embeddings": EMBEDDINGS},
        typical={"d": (4, 128)},
        defaults={"of": "overlap", "order": "2", "embeddings": "gaussian"},
        meanings={name: MEANINGS[name] for name in ("d", "of", "order", "embeddings")},
        quantity="E_moment",
        title="Moments of a remapped embedding, exact at every d",
        source=Source("asymp", "Wick contraction"),
        conventions=CONVENTIONS,
        notes=(
            "E |W u|^2 = 1 at every d, and |W u|^2 has variance 4/d + 4/d^2 (gaussian) or 2/d (sphere): the limit is 1. "
            "E (u^T W u)^2 = (1 + 2/d)/d (gaussian) or 1/d (sphere).",
        ),
    ),
    law(
        "remapping:source",
        "d**(-1/2)",
        relation="<~",
        quantity="E_abs",
        title="Overlap of an embedding with its image, as the source states it",
        source=TALK,
        conventions=CONVENTIONS + " The statement is read as one of the mean of |u^T W u|.",
        notes=("The mean of |u^T W u| is sqrt(2/(pi d)) exactly, for both laws of u: E |u|^2 = 1.",),
        **DIMENSION,
    ),
    law(
        "remapping:source-norm",
        "1",
        relation="~",
        quantity="E_length",
        title="Length of a remapped embedding, as the source states it",
        source=TALK,
        conventions=CONVENTIONS + " The mean of |W u|.",
        notes=("It is 1 - 1/(2 d) (gaussian) or 1 - 1/(4 d) (sphere) to leading order.",),
        **DIMENSION,
    ),
    law(
        "remapping:given-u",
        given_length,
        relation="=",
        domain={"d": integer(1), "r": real(above=0), "t": real(), "of": OF},
        typical={"d": (4, 128), "r": (0.5, 2), "t": (0.05, 1)},
        defaults={"of": "overlap"},
        meanings={name: MEANINGS[name] for name in ("d", "r", "t", "of")},
        numeric=given_length_numeric,
        exact=given_length_exact,
        quantity="P",
        title="Laws of the overlap and of the length of the image, given u",
        source=Source("asymp", "rotation invariance"),
        conventions=CONVENTIONS + " Given |u| = r: the probability that u^T W u <= t, or that |W u|^2 <= t.",
    ),
)
