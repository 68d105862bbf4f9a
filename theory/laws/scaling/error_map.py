"""error-map: the error over dimensions and samples, for equal weights and for weights that count."""

from functools import partial

from asymp.theory.exact_recall.exact import recall_errors
from asymp.theory.laws.scaling import ANY_ALPHA, CONVENTIONS, OUTPUTS, RHO, D, M, N, T
from asymp.theory.laws.scaling.exact_recall_error import recall_law
from asymp.theory.sources import Source

LAWS = (
    recall_law(
        "error-map",
        "Sum(zipf(x, alpha, N)*Failure(x, M, d, T, rho), (x, 1, N))",
        params=(
            ANY_ALPHA.but(typical=None, default=0.5),
            N.but(default=100),
            M.but(typical=None, default=5),
            D.over(5, 500),
            T.but(default=None).over(10, 10_000),
            RHO.but(default=None).over(0, 1),
            OUTPUTS,
        ),
        title="Error over dimensions and samples, numerically exact",
        source=Source("asymp", "the exact recall error averaged over samples; cabannes2024, Figure 3 left and middle"),
        conventions=CONVENTIONS
        + " q = (count/T)^rho for the inputs seen, 0 for the others; rho = 0 is `fill`, rho = 1 counts.",
        exponents={"d": "0", "T": "0"},
        numeric=partial(recall_errors, rel_error=1e-2),  # a map has many points
    ),
)
