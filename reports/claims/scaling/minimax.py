"""minimax: no weights do better than c d^(1-alpha), as long as the number of outputs does not grow with d."""

from asymp.montecarlo.samplers.scaling.minimax import injective_error_experiment, scheme_error_experiment
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, rows
from asymp.reports.kinds import Bound, Constant
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

# The constant that '>~' hides: the best weights leave 0.722 d^(1-alpha) at alpha = 1.5, M = 2 and more at the others
# that are measured here.
HIDDEN = 0.7
# The best weights for two and for five outputs, and three other schemes.
SCHEMES = [
    *rows("M", (2,), (5,), alpha=1.5, d=1000, weights="best"),
    *rows("rho k growth", (0.1, 0.47, "linear"), (0, 1, "log"), alpha=1.5, M=2, d=1000),
    {"alpha": 1.5, "M": 2, "d": 1000, "rho": 1},
]
# As many outputs as inputs, of which d^2/(12 log N) are stored: the stored inputs' own errors, of which the law has the leading
# order only, are then far below the others'.
INJECTIVE = Grid([{"alpha": 1.5, "N": 10_000, "d": 144, "c": 12}])

CLAIM = Claim(
    id="minimax",
    title="What no weights can do better",
    source="cabannes2024, Theorem 2",
    order=8,
    parts=(
        Bound(
            "source",
            "For two and for five outputs every scheme leaves at least a constant (taken as 0.7) times d^(1-alpha).",
            law=laws["minimax:source"],
            experiment=scheme_error_experiment,
            grid=Grid(SCHEMES),
            constant=HIDDEN,
            draw=few_draws(8, 100),
        ),
        Bound(
            "sharp",
            "Every scheme leaves at least Phi(-1/sqrt 3) p{x > M (3 d + 2)}.",
            law=laws["minimax"],
            experiment=scheme_error_experiment,
            grid=Grid([{**scheme, "outputs": "sphere"} for scheme in SCHEMES]),
        ),
        Bound(
            "source-injective",
            "The same bound where every input has an output of its own.",
            law=laws["minimax:source"],
            experiment=injective_error_experiment,
            grid=INJECTIVE,
            constant=HIDDEN,
            erratum=laws["minimax:source"].errata[0],
            x_axis="d",
            draw=few_draws(2, 4, ranges={"N": (1000, 10_000), "d": (100, 160)}),
        ),
        Constant(
            "injective",
            "With an output for each input d^2/(12 log N) inputs are held, and the error is the probability of the "
            "others: d^(-2 (alpha-1)) up to logarithms.",
            law=laws["minimax:injective"],
            experiment=injective_error_experiment,
            grid=INJECTIVE,
            x_axis="d",
            draw=few_draws(2, 4, ranges={"N": (1000, 10_000), "d": (100, 160)}),
        ),
    ),
)
