"""fill-scheme: every input that was seen is stored with the same weight."""

from asymp.theory.law import law
from asymp.theory.laws.scaling import ALPHA, ANY_ALPHA, BELOW_GUESSING, CONVENTIONS, HELD, LIMIT, OUTPUTS, D, M, N, T
from asymp.theory.laws.scaling.exact_recall_error import recall_law
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Condition, Source

DIVIDES = Condition(
    lambda v: ((v["N"] % v["M"]) == 0) & (v["N"] >= 2 * v["M"]),
    "N must be a multiple of M, at least 2 M: classes of equal size, with more than one input each",
)


# The error at d = N for M = 5, pi_5(sqrt 5) = 0.161: where the source's figure tips.
TIPPED = 0.16

LAWS = (
    recall_law(
        "fill-scheme",
        "Sum(zipf(x, alpha, N)*Failure(x, M, d, T), (x, 1, N))",
        params=(
            ANY_ALPHA.over(0.5, 2),
            N.but(domain=integer(1), default=None).over(20, 200),
            M,
            D.over(5, 500),
            T,
            OUTPUTS,
        ),
        title="Equal weights on all inputs seen, numerically exact",
        source=Source("asymp", "the exact recall error with rho = 0"),
        exponents={"d": "-oo"},
        conditions=(),
    ),
    law(
        "fill-scheme:source",
        "T**(-1 + 1/alpha) + d**(-k)",
        relation="<~",
        params=(
            ALPHA,
            T.but(domain=real(1, infinite=True), default=None).over(10, 1e6),
            D.but(domain=integer(1, infinite=True)),
            Param(real(above=0), (1, 4), meaning="any power, if d >> N", name="k"),
        ),
        title="Equal weights on all inputs seen, as the source states it",
        source=Source("bietti2025", "scaling laws with finite capacity, item 2"),
        conventions=CONVENTIONS + " d >> N; up to a constant that depends on k and N.",
    ),
    law(
        "fill-scheme:tipping",
        HELD,
        relation="~",
        params=(
            M.over(2, 50),
            D.but(domain=real(1)).over(100, 10_000),
            Param(
                real(above=0, high=1), default=TIPPED, meaning="error at which the memory is said to overflow", name="e"
            ),
        ),
        quantity="N",
        title="Number of inputs at which equal weights overflow",
        source=Source("asymp", "pi_M(sqrt(d M/N)) = e"),
        conventions=CONVENTIONS + " T = inf. " + LIMIT,
        conditions=BELOW_GUESSING,
    ),
    law(
        "fill-scheme:tipping-source",
        "d",
        relation="~",
        params=(D.over(100, 10_000),),
        quantity="N",
        title="Number of inputs at which equal weights overflow, as the source states it",
        source=Source("cabannes2024", "Figure 3 right: the error is high if d < N and decreases fast to zero if d > N"),
        conventions=CONVENTIONS
        + f" T = inf; the memory is said to overflow at an error of {TIPPED}, its value at d = N in the figure (M = 5).",
    ),
    law(
        "fill-scheme:asymptotic",
        "(M - 1)/2*((2*N - M)/(2*(N - M)))**((M - 2)/2)*betainc_regularized(d/2, 1/2, 0, 1 - M/(2*N))",
        relation="~",
        params=(N.but(domain=integer(4), default=None).over(20, 20), M, D.over(300, 1000)),
        title="Equal weights on all inputs: d -> oo at fixed N, outputs on the sphere",
        source=Source("asymp", "Student's t for each pair of outputs, corrected for the noise of the others"),
        conventions=CONVENTIONS + " T = inf, outputs uniform on the sphere, N a multiple of M.",
        conditions=DIVIDES,
    ),
    law(
        "fill-scheme:limit",
        "GaussianError(sqrt(d*M/N), M)",
        relation="~",
        params=(N.but(domain=integer(2), default=None).over(100, 10_000), M, D.over(100, 10_000)),
        title="Equal weights on all inputs: N and d large at fixed d M/N",
        source=Source("asymp", "limit of the exact recall error"),
        conventions=CONVENTIONS + " T = inf. " + LIMIT,
    ),
)
