"""global-before-context: the feed-forward layer learns a global bigram from few samples, attention from many more."""

from functools import partial

from asymp.montecarlo.samplers.transformers import global_before_context as sampled
from asymp.reports.declaring import Claim, Grid, Identity, Order, Rate, few_draws, laws, nightly, rows, settings

SIZES = tuple(64 * 2**i for i in range(9))


def trained(of: str, steps: int) -> Grid:
    """Training on a CPU, and at the size of the source's figure."""
    return Grid(
        settings(of=of, N=8, T=16, d=32, a=0.5, batch=32, steps=steps),
        paper=settings(of=of, N=65, T=256, d=256, a=0.5, batch=512, steps=1000),
    )


order = partial(
    Order,
    experiment=sampled.noise_training_experiment,
    about=("N", "T", "a"),
    stated_in="bietti2025, theorem of Chen et al. on global bigrams and induction heads (informal)",
    draw=nightly(5),
)
rate = partial(
    Rate,
    experiment=sampled.needed_samples_experiment,
    variable="N",
    families=("power", "corrected"),
    kappa=(-0.25, 0.25),
    draw=few_draws(1, 16),
)

CLAIM = Claim(
    id="global-before-context",
    title="Global bigrams before in-context ones",
    source="bietti2025, bietti2024",
    order=5,
    parts=(
        Order(
            "source",
            "From equally few samples the feed-forward layer learns the noise token at least as often as attention does, in "
            "at least three of four runs.",
            above=0,
            experiment=sampled.noise_gap_experiment,
            grid=Grid(rows("m N", (20, 400), (20, 2000), (50, 2000), T=4, a=0.3)),
            quantity="P_ff - P_att",
            about=("N", "T", "a"),
            stated_in="bietti2025, theorem of Chen et al. on global bigrams and induction heads (informal)",
            conventions="For contexts that rarely share a token (T^2 << N).",
            draw=few_draws(14, 8),
        ),
        Identity(
            "sharp",
            "The probability that m samples are too few for the noise token to be learnt is a binomial one, whatever N "
            "is.",
            law=laws["global-before-context:feed-forward-miss"],
            experiment=sampled.noise_learned_experiment,
            grid=Grid(
                rows("m a", (10, 0.1), (20, 0.1), (40, 0.05), (10, 0.3), layer="feed-forward", N=10**8, miss=True)
            ),
            # Two of m other outputs are the same with probability m (m - 1)/(2 N) at most, a law that says 0.14 to 0.70.
            resolution=1e-4,
            draw=few_draws(14),
        ),
        rate(
            "attention-samples",
            "Attention over short contexts needs a number of samples that grows like N.",
            law=laws["global-before-context"],
            grid=Grid(settings(layer="attention", N=SIZES, T=2, a=0.5)),
        ),
        rate(
            "feed-forward-samples",
            "The feed-forward layer needs a number of samples that does not grow with N.",
            law=laws["global-before-context:feed-forward"],
            grid=Grid(settings(layer="feed-forward", N=SIZES, T=2, a=0.5)),
        ),
        order(
            "trained-onset",
            "Trained, the noise token is known no later than the output, in at least three of four runs.",
            below=1,
            grid=trained("onset", 100),
            quantity="n_noise/n_output",
            conventions="Two blocks of attention and ReLU MLP, frozen embeddings, all else trained by SGD on one fixed "
            "trigger; with probability a the noise token follows it instead of the sequence's own output. "
            "Positions whose token is a trigger seen before. Known: three quarters of the probability that "
            "the task gives it. The global bigram is learnt before the in-context one.",
        ),
        order(
            "truncation",
            "Leaving out the second MLP does not lower the accuracy on sequences without noise, in at least three of four "
            "runs.",
            above=0,
            grid=trained("truncation", 200),
            quantity="A_without - A_with",
            conventions="Clean: on sequences without noise. The second MLP holds the noise token, and leaving it out "
            "frees the in-context prediction.",
        ),
    ),
)
