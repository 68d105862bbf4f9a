"""optimal-scheme: the best weights that a memory of dimension d can have."""

from asymp.theory.functions.numerics import along, no_more_digits
from asymp.theory.functions.schemes.least_errors import MOST_OUTPUTS, STEEPEST, least_errors
from asymp.theory.functions.schemes.optimal_storage import optimal_weights
from asymp.theory.law import law
from asymp.theory.laws.scaling import ALPHA, ANY_ALPHA, CONVENTIONS, LIMIT, NORMALISED, D, M, N
from asymp.theory.lazy import Digits, Floats, np
from asymp.theory.param import real
from asymp.theory.sources import Source

FEW = 20
"""Points from which they are computed together."""


def best_numeric(*, alpha: Floats, M: Floats, d: Floats, N: Floats) -> Floats:
    """The least error at every point: most of them together, others one by one; long sweeps in d from a table."""

    def one(*, M: float, **point: float) -> float:
        return optimal_weights(M=int(M), **point).error

    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (alpha, M, d, N)))
    a, outputs, dimension, size = (v.ravel() for v in grid)
    found = np.full(a.shape, np.nan)
    # A single point is not worth the tables.
    smooth = np.isinf(size) & (outputs <= MOST_OUTPUTS) & (a <= STEEPEST) & (a.size >= FEW)
    for count in np.unique(outputs[smooth]):
        here = np.flatnonzero(smooth & (outputs == count))
        found[here] = least_errors(alpha=a[here], M=int(count), d=dimension[here])
    left = np.isnan(found)
    if left.any():
        found[left] = along("d", one, alpha=a[left], M=outputs[left], d=dimension[left], N=size[left])
    return found.reshape(grid[0].shape)


def best_exact(**values: Digits) -> Digits:
    """No more than 11 digits."""
    raise no_more_digits(
        "the least error at finite d", "11", "asymp.theory.functions.schemes.optimal_storage.optimal_weights"
    )


LEAST = law(
    "optimal-scheme",
    # The dual value: the largest over prices w of sum_x inf_a [p pi_M(a) + w a^2] - w d M, here as -inf of its negative.
    "-Infimum(w*d*M - Sum(Infimum(zipf(x, alpha, N)*GaussianError(a, M) + w*a**2, (a, 0, oo)), (x, 1, N)), (w, 0, oo))",
    relation="~",
    params=(ANY_ALPHA, M.over(2, 20), D.but(domain=real(1)).over(10, 100_000), N),
    title="Least error of any weights, in many dimensions",
    source=Source("asymp", "minimise sum p pi_M(a) with sum a^2 = d M"),
    conventions=CONVENTIONS + " " + LIMIT,
    conditions=NORMALISED,
    exponents={"d": "1 - alpha"},
    numeric=best_numeric,
    exact=best_exact,
)
LAWS = (
    LEAST,
    law(
        "optimal-scheme:source",
        "(1 - 1/M)/((alpha - 1)*zeta(alpha)) * (4*(alpha - 1)*log(d)/(M*d))**(alpha - 1)",
        relation="~",
        params=(ALPHA, M.over(2, 20), D.but(domain=real(above=1)).over(100, 1e9)),
        title="Store the most frequent inputs only, as the source advises",
        source=Source(
            "bietti2025", "summary of the scaling laws: store the most frequent tokens when under-parameterised"
        ),
        conventions=CONVENTIONS + " " + LIMIT + " N = inf; the number of stored inputs is the best, to leading order.",
    ),
    law(
        "optimal-scheme:asymptotic",
        "OptimalConstant(alpha, M)*d**(1 - alpha)",
        relation="~",
        params=(ALPHA, M.over(2, 5), D.but(domain=real(1)).over(1000, 1e9)),
        title="Least error of any weights: leading order with its constant",
        source=Source("asymp", "sums over inputs become integrals over margins"),
        conventions=CONVENTIONS + " " + LIMIT + " N = inf.",
    ),
    LEAST.but(
        "optimal-scheme:least",
        relation=">=",
        title="No weights leave a smaller error, in many dimensions",
        source=Source("asymp", "the dual value is below the error of all weights"),
    ),
)
