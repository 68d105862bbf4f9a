"""minimax: no weights do better than c d^(1-alpha), as long as the number of outputs does not grow with d."""

from asymp.montecarlo.samplers.scaling.minimax import injective_error_experiment, scheme_error_experiment
from asymp.reports.declaring import Bound, Claim, Constant, Grid, few_draws, laws, rows, settings

# The best weights for two and for five outputs, and three other schemes.
SCHEMES = [
    {**scheme, "d": d}
    for d in (125, 1000)
    for scheme in (
        *rows("M", (2,), (5,), alpha=1.5, weights="best"),
        *rows("rho k growth", (0.1, 0.47, "linear"), (0, 1, "log"), alpha=1.5, M=2),
        {"alpha": 1.5, "M": 2, "rho": 1},
    )
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
            "With two and with five answers no choice of weights has an error that falls faster than d^(1-alpha); the best weights "
            "known are among those tried.",
            law=laws["minimax:source"],
            experiment=scheme_error_experiment,
            grid=Grid(SCHEMES),
            along="d",
            draw=few_draws(8, 100),
        ),
        Bound(
            "sharp",
            "Every choice of weights leaves an error of at least Phi(-1/sqrt 3) p{x > M (3 d + 2)}.",
            law=laws["minimax"],
            experiment=scheme_error_experiment,
            grid=Grid([{**scheme, "outputs": "sphere"} for scheme in SCHEMES]),
        ),
        Bound(
            "source-injective",
            "When every input has an answer of its own, too, no choice of weights has an error that falls faster than "
            "d^(1-alpha).",
            law=laws["minimax:source"],
            experiment=injective_error_experiment,
            # Of 10,000 inputs 11 and 187 are stored.
            grid=Grid(settings(alpha=2, N=10_000, d=(36, 144), c=12)),
            along="d",
            erratum=laws["minimax:source"].errata[0],
            draw=few_draws(2, 4, ranges={"N": (5000, 10_000)}),
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
