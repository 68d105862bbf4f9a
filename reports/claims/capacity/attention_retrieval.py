"""attention-retrieval: softmax attention is one step of retrieval in a dense memory over the context."""

from asymp.montecarlo.samplers.capacity.attention_retrieval import (
    attention_capacity_experiment,
    attention_descent_experiment,
    attention_leak_experiment,
    attention_linear_experiment,
    attention_noise_experiment,
    attention_step_experiment,
    retrieval_step_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, rows, settings
from asymp.reports.kinds import Entrywise, Identity, Order, Rate
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

# One pattern alone makes an equality of the descent, which rounding decides: it is left out there.
SHAPES = settings(d=(1, 4, 16, 128), N=(1, 2, 20, 200), beta=(0.1, 1.0, 8.0))
FEW_SHAPES = rows("d N beta", (4, 2, 0.5), (16, 20, 1.0), (64, 40, 0.125))
STEPS = settings(eta=(0.25, 0.5, 1.5), relative=True)
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
            experiment=retrieval_step_experiment,
            grid=Grid(FEW_SHAPES, SHAPES, replicas=(16, 32, 64)),
        ),
        Identity(
            "sharp",
            "At the step size eta the two differ by |1 - eta| |x - a(x)|.",
            law=laws["attention-retrieval"],
            experiment=attention_step_experiment,
            grid=Grid(
                [shape | step for shape in FEW_SHAPES for step in STEPS],
                [shape | step for shape in SHAPES[:6] for step in STEPS],
                replicas=(16, 32, 64),
            ),
            to_law=lambda params: {**params, "delta": 1},  # the deviation in units of |x - a(x)|
        ),
        Order(
            "descent",
            "The energy falls by at least |x - a(x)|^2/2 in a step of attention.",
            below=laws["attention-retrieval:descent"],
            experiment=attention_descent_experiment,
            grid=Grid(FEW_SHAPES, [shape for shape in SHAPES if shape["N"] > 1], replicas=(32, 64)),
            to_law=lambda params: {"delta": 1},  # the change of the energy in units of |x - a(x)|^2
        ),
        Identity(
            "leak",
            "The mean weight of the other patterns is the moment generating function of an inner product.",
            law=laws["attention-retrieval:leak"],
            experiment=attention_leak_experiment,
            grid=Grid(
                rows("d N beta", *LEAK),
                rows("d N beta", *LEAK, (32, 100, 8.0), (16, 8, 2.0)),
                replicas=(8192, 32768),
            ),
        ),
        Identity(
            "noise",
            "Noise of size s on the query makes the mean weight of the others that of beta (1 - beta s^2/d).",
            law=laws["attention-retrieval:noise"],
            experiment=attention_noise_experiment,
            # the noise makes the leak 1.6 and 2.7 times as large, with a spread of one to three times its mean at a query
            grid=Grid(
                rows("d N beta", *LEAK, s=0.5),
                rows("d N beta s", *((*row, 0.5) for row in LEAK), (32, 100, 8.0, 0.5), (16, 8, 2.0, 1.0)),
                replicas=(16384, 65536),
            ),
        ),
        Order(
            "noise-linear",
            "Under noise a step of attention loses no more patterns than a linear memory of them.",
            below=1,
            experiment=attention_linear_experiment,
            grid=Grid(
                settings(d=32, N=32, s=1.0),
                [*settings(d=32, N=32, s=(0.5, 1.0)), *settings(d=64, N=(64, 256), s=(0.5, 1.0))],
                replicas=(32, 48, 64),
            ),
            quantity="ratio",
            about=("d", "N", "s"),
            stated_in="asymp, of patterns of one length the nearest is the most likely, and attention returns about that",
            conventions="N patterns uniform on the unit sphere of R^d, queries xi_z + noise, noise ~ N(0, s^2 I/d). Patterns that "
            "one step of attention at beta = d does not return, over those that W = sum of xi_i xi_i^T loses on the same "
            "queries. No rule that knows the patterns and the query loses fewer on average than the nearest pattern does.",
        ),
        Rate(
            "capacity",
            "The logarithm of the number of patterns told apart is linear in d, at beta = d.",
            law=laws["attention-retrieval:rate"],
            experiment=attention_capacity_experiment,
            # Below d = 8 a second term of Laplace's series shows beside the errors of the standard check: the curve of the law
            # itself adds 6 to a chi2 of 7 degrees of freedom at d = 5 to 20, and 0.1 from d = 8 on.
            grid=Grid(
                settings(d=(5, 6, 8, 10, 12, 14, 16, 18), lam=1.0),
                settings(d=(8, 9, 10, 12, 14, 16, 18, 20), lam=1.0),
                replicas=(24, 128, 256),
            ),
            variable="d",
            margin=0.1,
            # Laplace's method leaves a constant beside d times the rate: a correction in 1/d, no logarithm and no floor
            families=("power", "corrected"),
            draw=few_draws(2),
            decided_at="standard",
        ),
    ),
)
