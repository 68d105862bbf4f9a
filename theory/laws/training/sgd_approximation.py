"""sgd-approximation: the error of SGD with batch one, by the weights of the SGD map."""

from typing import TYPE_CHECKING, Any

from asymp.theory.functions.recall.gaussian_error import gaussian_error_digits, pi_M
from asymp.theory.functions.sgd.iterates import sgd_iterate, sgd_iterate_digits
from asymp.theory.law import law
from asymp.theory.laws.pieces import sgd, symbols
from asymp.theory.laws.training import ALPHA, GAMMA, D, N
from asymp.theory.lazy import Digits, Expr, Floats, Lazy, mpmath, np, special, sympy
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Condition, Source

if TYPE_CHECKING:
    from asymp.theory import indexed
else:
    indexed = Lazy("asymp.theory.indexed")

T = Param(integer(1, 1_000_000), (4, 25), meaning="number of samples seen, one a step", name="T")

CONVENTIONS = (
    "SGD with batch one on the cross-entropy from W = 0, gaussian embeddings. The map: an input seen n times has the "
    "weight f^n(0) "
    "(`sgd-map`) in W = sum of q(x) u_f(x) e_x^T, n binomial(T, p(x)); E is averaged over samples and embeddings."
)


def predicted() -> Expr:
    """sum_x p(x) E_n pi_M(f^n(0) sqrt(d M/S)), S = sum_x E_n f^n(0)^2, n binomial(T, p(x))."""
    alpha, N, M, d, gamma, T = sympy.symbols("alpha N M d gamma T", positive=True)
    x, y = sympy.symbols("x y", integer=True, positive=True)
    n, m = sympy.symbols("n m", integer=True, nonnegative=True)

    def chance(z: Any, k: Any) -> Any:
        p = symbols.zipf(z, alpha, N)
        return sympy.binomial(T, k) * p**k * (1 - p) ** (T - k)

    total = sympy.Sum(sympy.Sum(chance(y, m) * sgd.SGDIterate(m, gamma, M) ** 2, (m, 0, T)), (y, 1, N))
    margin = sgd.SGDIterate(n, gamma, M) * sympy.sqrt(d * M / total)
    return sympy.Sum(
        symbols.zipf(x, alpha, N) * sympy.Sum(chance(x, n) * symbols.GaussianError(margin, M), (n, 0, T)), (x, 1, N)
    )


def numeric(*, alpha: Floats, N: Floats, M: Floats, d: Floats, gamma: Floats, T: Floats) -> Floats:
    """The prediction in float64: counts point by point, iterates and errors of all points together."""
    points = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (alpha, N, M, d, gamma, T)))
    flat = [v.ravel() for v in points]
    found: dict[tuple[float, ...], Any] = {}
    laws = list(zip(*(flat[i].tolist() for i in (0, 1, 5)), strict=True))
    values = np.empty(flat[0].size)
    for start in range(0, values.size, 1024):  # to bound the memory
        part = slice(start, start + 1024)
        seen = [found[law] if law in found else found.setdefault(law, _counted(*law)) for law in laws[part]]
        lengths = np.array([len(n) for n, _, _ in seen])
        first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        n, mass, number = (np.concatenate(pieces) for pieces in zip(*seen, strict=True))
        outputs, dimension, step = (np.repeat(flat[i][part], lengths) for i in (2, 3, 4))
        q = np.asarray(sgd_iterate(gamma=step, M=outputs, n=n))
        total = np.repeat(np.add.reduceat(number * q**2, first), lengths)
        missed = np.asarray(pi_M(a=q * np.sqrt(dimension * outputs / total), M=outputs))
        values[part] = np.add.reduceat(mass * missed, first)
    return values.reshape(points[0].shape)


def _counted(alpha: float, N: float, T: float) -> Any:
    """The counts n that occur, and the mean mass and the mean number of the inputs seen n times."""
    p = np.arange(1, N + 1) ** -alpha
    p /= p.sum()
    n = np.arange(T + 1)
    mass, number = np.zeros(n.size), np.zeros(n.size)
    choose = special.gammaln(T + 1) - special.gammaln(n + 1) - special.gammaln(T - n + 1)
    rows = max(1, int(4e6 // n.size))
    for start in range(0, p.size, rows):
        part = p[start : start + rows, None]
        chance = np.exp(choose + n * np.log(part) + special.xlog1py(T - n, -part))
        mass += part[:, 0] @ chance
        number += chance.sum(axis=0)
    # What is left out is less than 1e-30 of anything: sum of p n^2 over such counts, q <= gamma n.
    kept = (mass > 1e-40) | (number > 1e-40)
    return n[kept], mass[kept], number[kept]


def exact(*, alpha: Digits, N: Digits, M: Digits, d: Digits, gamma: Digits, T: Digits, digits: int) -> Digits:
    """The prediction to any number of digits, by plain sums: T + 1 values of pi_M, about a second each at 50."""
    samples = int(T)
    with mpmath.workdps(digits + 15):
        p = [mpmath.mpf(x) ** -alpha for x in range(1, int(N) + 1)]
        total = mpmath.fsum(p)
        p = [v / total for v in p]
        chance = [
            [mpmath.binomial(samples, n) * v**n * (1 - v) ** (samples - n) for v in p] for n in range(samples + 1)
        ]
        q = [sgd_iterate_digits(gamma=gamma, M=M, n=n, digits=digits + 15) for n in range(samples + 1)]
        S = mpmath.fsum(a**2 * mpmath.fsum(row) for a, row in zip(q, chance, strict=True))
        mass = [mpmath.fdot(p, row) for row in chance]
        value = mpmath.mpf(0)
        for a, share in zip(q, mass, strict=True):
            # pi_M(0) = 1 - 1/M is the largest: a share that is small beside the first needs fewer digits.
            needed = digits + 8 + int(mpmath.log10(share / mass[0])) if share else 0
            if needed > 0:
                value += share * gaussian_error_digits(a=a * mpmath.sqrt(d * M / S), M=M, digits=needed)
        return value


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
    law(
        "sgd-approximation",
        predicted,
        relation="~",
        params=(
            ALPHA.but(domain=real(0)).over(0.5, 3),
            N.but(domain=integer(2, 100_000)).over(10, 50),
            Param(integer(2, 1000), (2, 8), meaning="number of outputs; targets are f(x) = x mod M", name="M"),
            D,
            GAMMA.over(0.1, 10),
            T,
        ),
        title="Error of the weights of the SGD map after T samples, many dimensions",
        source=Source("asymp", "weights of the map in the limit d -> oo with balanced classes"),
        conventions=CONVENTIONS,
        exponents={"T": "0", "d": "0"},
        numeric=numeric,
        exact=exact,
    ),
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
