"""threshold-scheme: weights q = p^rho on the P most frequent inputs only."""

from typing import Any

from asymp.theory.functions.numerics import each_point, no_more_digits
from asymp.theory.functions.recall.gaussian_error import gaussian_error_digits
from asymp.theory.functions.schemes.best_threshold import best_equal_weights, optimal_threshold
from asymp.theory.functions.zipf.law import zipf_tail_digits
from asymp.theory.law import law
from asymp.theory.laws.pieces import symbols
from asymp.theory.laws.scaling import (
    ALPHA,
    ANY_ALPHA,
    CONVENTIONS,
    LIMIT,
    NORMALISED,
    OUTPUTS,
    RHO,
    D,
    K,
    M,
    N,
    P,
    T,
)
from asymp.theory.laws.scaling.exact_recall_error import recall_law
from asymp.theory.lazy import Digits, Expr, Floats, mpmath, np, sympy
from asymp.theory.param import real
from asymp.theory.sources import Source


def best_expression() -> Expr:
    """inf over P of sum_{x<=P} p(x) pi_M(q(x) sqrt(d M/sum q^2)) + (1 - 1/M) p{x > P}."""
    alpha, N, M, d, rho = sympy.symbols("alpha N M d rho", positive=True)
    x, j, P = sympy.symbols("x j P", integer=True, positive=True)
    p, whole = symbols.zipf(x, alpha, N), sympy.Sum(symbols.zipf(j, alpha, N) ** (2 * rho), (j, 1, P))
    stored = sympy.Sum(p * symbols.GaussianError(p**rho * sympy.sqrt(d * M / whole), M), (x, 1, P))
    return symbols.Infimum(stored + (1 - 1 / M) * sympy.Sum(p, (x, P + 1, N)), (P, 1, N))


def best_numeric(*, rho: Floats, **values: Floats) -> Floats:
    """The least error over P at every point; those at rho = 0 together."""

    def one(*, M: float, **point: float) -> float:
        return optimal_threshold(M=int(M), **point).error

    names = [*values, "rho"]
    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (*values.values(), rho)))
    flat = dict(zip(names, (a.ravel() for a in grid), strict=True))
    equal = flat["rho"] == 0
    found = np.empty(equal.shape)
    if equal.any():
        found[equal] = best_equal_weights(**{name: v[equal] for name, v in flat.items() if name != "rho"})
    if not equal.all():
        found[~equal] = each_point(one, **{name: v[~equal] for name, v in flat.items()})
    return found.reshape(grid[0].shape)


def best_exact(*, digits: int, rho: Digits, **values: Digits) -> Digits:
    """Any number of digits at rho = 0: float64 finds P, mpmath looks around it."""
    if rho != 0:
        raise no_more_digits(
            "the best threshold at rho > 0", "11", "asymp.theory.functions.schemes.best_threshold.optimal_threshold"
        )
    alpha, M, d, N = (values[name] for name in ("alpha", "M", "d", "N"))
    # Around its least value E(P) is flat: float64 tells P apart from its neighbours only where they differ by 1e-13.
    P = optimal_threshold(alpha=float(alpha), M=int(M), d=float(d), N=float(N)).P

    def error(stored: int) -> Any:
        tail = zipf_tail_digits(alpha=alpha, P=stored, N=N, digits=digits)
        missed = gaussian_error_digits(a=mpmath.sqrt(d * M / stored), M=M, digits=digits)
        return (1 - 1 / mpmath.mpf(M)) * tail + (1 - tail) * missed

    best = error(P)
    for step in (1, -1):
        stored = P + step
        while 1 <= stored <= N and error(stored) < best:
            best, stored = error(stored), stored + step
    return best


TAIL = "zeta(alpha, floor(k*d) + 1)/zeta(alpha)"

LAWS = (
    recall_law(
        "threshold-scheme",
        "Sum(zipf(x, alpha, N)*Failure(x, M, d, rho, P, T), (x, 1, N))",
        params=(ANY_ALPHA, N, M, D.over(10, 2000), RHO, P.over(4, 200), T, OUTPUTS),
        title="Weights with a threshold, numerically exact",
        source=Source("asymp", "the exact recall error with q = p^rho on x <= P"),
        exponents={"d": "0"},
    ),
    law(
        "threshold-scheme:source",
        "d**(-(alpha - 1)/(2*alpha*rho + 1))",
        relation="~",
        params=(ALPHA, RHO, D.over(10, 100_000)),
        title="Weights with the prescribed threshold, as the source states it",
        source=Source(
            "cabannes2024", "Proposition 3 (recalled), Figures 1 and 3: P ~ d^(1/(2 alpha rho + 1)), P = d/8 at rho = 0"
        ),
        conventions=CONVENTIONS
        + " P is proportional to d^(1/(2 alpha rho + 1)), N = inf; up to a constant and logarithms.",
    ),
    law(
        "threshold-scheme:asymptotic",
        f"(1 - 1/M)*{TAIL} + (1 - {TAIL})*GaussianError(sqrt(d*M/floor(k*d)), M)",
        relation="~",
        params=(ALPHA, M, D.over(100, 100_000), K),
        title="Equal weights on P = k d inputs in many dimensions: a power law that ends at a floor",
        source=Source("asymp", "all stored inputs have the margin sqrt(d M/P)"),
        conventions=CONVENTIONS + " " + LIMIT + " N = inf, rho = 0.",
    ),
    law(
        "threshold-scheme:best",
        best_expression,
        relation="~",
        params=(ANY_ALPHA, M, D.but(domain=real(1)).over(100, 100_000), N, RHO),
        title="Weights with the best threshold, in many dimensions",
        source=Source("asymp", "least error over the number of stored inputs"),
        conventions=CONVENTIONS + " " + LIMIT,
        conditions=NORMALISED,
        numeric=best_numeric,
        exact=best_exact,
    ),
)
