"""sgd-approximation: the error of SGD with batch one, by the weights of the SGD map."""

from typing import TYPE_CHECKING

from asymp.theory.law import law
from asymp.theory.laws.pieces import sgd
from asymp.theory.laws.training import GAMMA
from asymp.theory.lazy import Expr, Floats, Lazy, np, sympy
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Condition, Source

if TYPE_CHECKING:
    from asymp.theory import indexed
else:
    indexed = Lazy("asymp.theory.indexed")


CONVENTIONS = (
    "SGD with batch one on the cross-entropy from W = 0, gaussian embeddings. The map: an input seen n times has the "
    "weight f^n(0) "
    "(`sgd-map`) in W = sum of q(x) u_f(x) e_x^T, n binomial(T, p(x)); E is averaged over samples and embeddings."
)


def missed(weight: Expr) -> Expr:
    """Mean error of L memories W = sum_y q(y) u_f(y) e_y^T: an input is right if no output has a larger score than its target."""
    p, G, C, t = (sympy.IndexedBase(name) for name in "pGCt")
    M, L, N = sympy.symbols("M L N", positive=True)
    m, x, y, j, k = sympy.symbols("m x y j k", integer=True)

    def score(output: Expr) -> Expr:
        return sympy.Sum(weight * G[m, x, y] * C[m, y, output], (y, 1, N))

    ahead = sympy.Heaviside(sympy.Sum(t[x, j] * score(j), (j, 1, M)) - score(k), 1)
    right = sympy.Heaviside(sympy.Sum(ahead, (k, 1, M)) - M, 1)
    return sympy.Sum(p[x] * (1 - right), (m, 1, L), (x, 1, N)) / L


def of_counts() -> Expr:
    """The error with the weights f^n(0)."""
    gamma, M = sympy.symbols("gamma M", positive=True)
    m, y = sympy.symbols("m y", integer=True)
    return missed(sgd.SGDIterate(sympy.IndexedBase("n")[m, y], gamma, M))


def of_batches() -> Expr:
    """The error with weights that take a share k of a step with every batch."""
    gamma, M = sympy.symbols("gamma M", positive=True)
    m, y, s = sympy.symbols("m y s", integer=True)
    return missed(sympy.Function("q")(sympy.IndexedBase("k")[m, s, y], gamma, M))


def batches_numeric(*, k: Floats, gamma: Floats, M: Floats, **values: Floats) -> Floats:
    """The error in float64: each batch takes q to q + gamma k/(1 + e^q/(M - 1))."""
    q = np.zeros((*k.shape[:-2], k.shape[-1]))
    step, outputs = (np.reshape(v, (*np.shape(v), 1, 1)) for v in (gamma, M))
    for share in np.moveaxis(k, -2, 0):
        q = q + step * share / (1 + np.exp(q) / (outputs - 1))
    m, y = sympy.symbols("m y", integer=True)
    return indexed.evaluate(missed(sympy.IndexedBase("q")[m, y]), {**values, "q": q, "M": M})


SHARED = (
    Param(real(0, 1), meaning="probability p(x) of the input", name="p", indices="x"),
    Param(real(), meaning="overlap of the inputs x and y of the memory m", name="G", indices="mxy"),
    Param(real(), meaning="overlap of the target of y and the output k of the memory m", name="C", indices="myk"),
    Param(real(0, 1), meaning="1 where k is the target of x, else 0", name="t", indices="xk"),
    GAMMA.over(1, 10),
    Param(integer(2), (2, 8), meaning="number of outputs", name="M"),
    Param(integer(1), (10, 100), meaning="number of memories", name="L"),
)
SOURCE = law(
    "sgd-approximation:source",
    of_counts,
    relation="~",
    params=(Param(integer(0), meaning="how often the memory m has seen y", name="n", indices="my"), *SHARED),
    quantity="E_sgd",
    title="The error of SGD is that of the SGD map, as the source states it",
    source=Source("cabannes2024", "Figure 4"),
    conventions=CONVENTIONS,
    conditions=Condition(
        lambda v: v["d"] >= v["N"], "d must be at least N: the source says that the approximation fails at d = N/10"
    ),
)
BATCHES = SOURCE.but(
    "sgd-approximation:batches",
    of_batches,
    params=(Param(real(0, 1), meaning="share of y in the batch s of the memory m", name="k", indices="msy"), *SHARED),
    title="The error of SGD with batches is that of its map",
    conditions=(),
    numeric=batches_numeric,
)

LAWS = (
    SOURCE,
    SOURCE.but(
        "sgd-approximation:long",
        relation="<=",
        title="In long runs SGD has no larger error than its map: it removes interference",
        source=Source("asymp", "simulation"),
        conditions=(),
        errata=(),
    ),
    BATCHES,
    BATCHES.but(
        "sgd-approximation:batches-long",
        relation="<=",
        title="In long runs SGD with batches has no larger error than its map",
        source=Source("asymp", "simulation"),
    ),
)
