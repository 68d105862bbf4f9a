"""attention-retrieval: softmax attention is one step of retrieval in a dense memory over the context."""

from asymp.montecarlo.samplers.capacity import attention_retrieval as sampled
from asymp.reports.declaring import Claim, Entrywise, Grid, Identity, Order, Rate, few_draws, laws, rows, settings

SHAPES = rows("d N beta", (4, 2, 0.5), (16, 20, 1.0), (64, 40, 0.125))
LEAK = ((8, 10, 4.0), (16, 20, 8.0))

CLAIM = Claim(
    id="attention-retrieval",
    title="Attention as a step of retrieval",
    source="bietti2025",
    order=12,
    parts=(
        Entrywise(
            "source",
            "One gradient step of size 1 on the log-sum-exp energy is softmax attention.",
            law=laws["attention-retrieval:source"],
            experiment=sampled.retrieval_step_experiment,
            grid=Grid(SHAPES),
        ),
        Identity(
            "sharp",
            "For a gradient step of any other size eta, the difference from attention is |1 - eta| |x - a(x)|.",
            law=laws["attention-retrieval"],
            experiment=sampled.attention_step_experiment,
            grid=Grid([{**shape, "eta": eta, "relative": True} for shape in SHAPES for eta in (0.25, 0.5, 1.5)]),
            to_law=lambda params: {**params, "delta": 1},  # the deviation in units of |x - a(x)|
        ),
        Order(
            "descent",
            "The energy falls by at least |x - a(x)|^2/2 in a step of attention, in at least 95 % of runs.",
            below=laws["attention-retrieval:descent"],
            experiment=sampled.attention_descent_experiment,
            grid=Grid(SHAPES),
            at_least=0.95,  # an inequality that holds in every run
            to_law=lambda params: {"delta": 1},  # the change of the energy in units of |x - a(x)|^2
        ),
        Identity(
            "leak",
            "The mean weight that attention gives to the other patterns is the moment generating function of an inner product.",
            law=laws["attention-retrieval:leak"],
            experiment=sampled.attention_leak_experiment,
            grid=Grid(rows("d N beta", *LEAK)),
        ),
        Identity(
            "noise",
            "Noise of size s on the query acts on that weight like a change of the inverse temperature beta to beta (1 - beta "
            "s^2/d).",
            law=laws["attention-retrieval:noise"],
            experiment=sampled.attention_noise_experiment,
            # the noise makes the leak 1.6 and 2.7 times as large, with a spread of one to three times its mean at a query
            grid=Grid(rows("d N beta", *LEAK, s=0.5)),
        ),
        Order(
            "noise-linear",
            "Under noise a step of attention loses no more patterns than a linear memory of them, in at least three of four "
            "runs.",
            below=1,
            experiment=sampled.attention_linear_experiment,
            grid=Grid(settings(d=32, N=32, s=1.0)),
            quantity="ratio",
            about=("d", "N", "s"),
            stated_in="asymp, of patterns of one length the nearest is the most likely, and attention returns about that",
            conventions="N patterns uniform on the unit sphere of R^d, queries xi_z + noise, noise ~ N(0, s^2 I/d). Patterns that "
            "one step of attention at beta = d does not return, over those that W = sum of xi_i xi_i^T loses on the same "
            "queries. No rule that knows the patterns and the query loses fewer on average than the nearest pattern does.",
        ),
        Rate(
            "capacity",
            "The number of patterns that attention tells apart at beta = d is exponential in d: its logarithm is linear in d.",
            law=laws["attention-retrieval:rate"],
            experiment=sampled.attention_capacity_experiment,
            # Below d = 8 a second term of Laplace's series shows beside the errors of 128 replicas: the curve of the law itself
            # adds 6 to a chi2 of 7 degrees of freedom at d = 5 to 20, and 0.1 from d = 8 on.
            grid=Grid(settings(d=(8, 9, 10, 12, 14, 16, 18, 20), lam=1.0)),
            variable="d",
            margin=0.1,
            # Laplace's method leaves a constant beside d times the rate: a correction in 1/d, no logarithm and no floor
            families=("power", "corrected"),
            draw=few_draws(2),
        ),
    ),
)
