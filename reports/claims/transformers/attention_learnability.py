"""attention-learnability: what two gradient steps teach attention about one planted token."""

from functools import partial

from asymp.montecarlo.samplers.transformers import attention_learnability as sampled
from asymp.reports.declaring import Claim, Constant, Grid, Order, Rate, few_draws, laws, settings

# The sources' map: 64 tokens, so that d = 16 is twice sqrt N; (noise/signal)^2 after the second step.
MAP = {"N": 64, "n": 256, "of": "ratio"}
DRAWN_SEQUENCES = (
    "n sequences of T tokens are drawn: seconds at ten times the grid's sizes; the signal's law is one of long contexts"
)

rate = partial(Rate, experiment=sampled.attention_spread_experiment, families=("power", "corrected"))
# 256 tokens: sqrt N = 16 and N^(3/4) = 64; four sequences a token.
FEW_SEQUENCES = {"N": 256, "n": 1024}
found = partial(
    Order,
    experiment=sampled.planted_found_experiment,
    quantity="A",
    about=("d", "N", "T", "n"),
    stated_in="bietti2025, theorem of Vural, Wu and Bietti on learnability of the induction head (informal)",
    conventions="A is the share of fresh sequences in which the planted token has the largest score after the second step. The "
    "bound is (T^2/N) min(1, (N^2/(T n))^(2/3)).",
    draw=few_draws(0, 4, ranges={"d": None, "N": None, "T": None, "n": None}, reason=DRAWN_SEQUENCES),
)
order = partial(
    Order,
    experiment=sampled.learned_attention_experiment,
    quantity="(noise/signal)^2",
    about=("d", "N", "T", "n"),
    stated_in="bietti2025, learnability of the induction head",
)

CLAIM = Claim(
    id="attention-learnability",
    title="One planted token in a context",
    source="bietti2025",
    order=6,
    parts=(
        Constant(
            "sharp",
            "The trigger's score after the second step is (1/(N T^2))[1 + (N/n)(1 + T/d)], to leading order.",
            law=laws["attention-learnability:signal"],
            experiment=sampled.attention_spread_experiment,
            # Leading order in T: the mean over the context takes away a share 1/T of the signal.
            grid=Grid(settings(d=64, N=256, T=32, n=2048, of="signal")),
            draw=few_draws(
                2,
                8,
                ranges={"d": (32, 128), "N": (128, 512), "T": (32, 100), "n": (1024, 4096)},
                reason=DRAWN_SEQUENCES,
            ),
        ),
        Constant(
            "noise",
            "In long contexts the tokens' scores are spread by (1/(n sqrt(d N)))(1/d + 1/N), to leading order.",
            law=laws["attention-learnability:noise"],
            experiment=sampled.attention_spread_experiment,
            # The labels' fluctuations are all of the spread: other terms fall off with T.
            grid=Grid(settings(d=32, N=128, T=512, n=1024)),
            draw=few_draws(
                2,
                8,
                ranges={"d": (32, 128), "N": (128, 512), "T": (512, 1024), "n": (1024, 2048)},
                reason=DRAWN_SEQUENCES,
            ),
        ),
        rate(
            "signal-in-T",
            "With many sequences the signal falls like T^-2.",
            law=laws["attention-learnability:signal-many"],
            # Many sequences: at most N T/(n d) = 1 % of the signal is a sequence's own.
            grid=Grid(settings(d=64, N=16, n=8192, of="signal", T=(8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256))),
            variable="T",
            kappa=(-0.25, 0.25),
            draw=few_draws(1, 16, ranges={"d": (48, 128), "N": (8, 24), "n": (1024, 4096)}, reason=DRAWN_SEQUENCES),
        ),
        rate(
            "noise-in-n",
            "In long contexts the spread of the tokens' scores falls like 1/n.",
            law=laws["attention-learnability:noise-narrow"],
            # Beside the labels' fluctuations: N/(d T) and n/(d T^2) of the squared spread, below 1 % together.
            grid=Grid(settings(d=16, N=64, T=512, n=(64, 128, 256, 512, 1024, 2048, 4096))),
            variable="n",
            kappa=(-0.1, 0.1),
            draw=few_draws(1, 16, ranges={"d": (12, 24), "N": (48, 96), "T": (512, 1024)}, reason=DRAWN_SEQUENCES),
        ),
        rate(
            "noise-in-d",
            "In long contexts and fewer dimensions than tokens the spread falls like d^(-3/2).",
            law=laws["attention-learnability:noise-narrow"],
            # d/N, which is left out, is 3 % at the most.
            grid=Grid(settings(N=4096, T=4096, n=128, d=(8, 12, 16, 24, 32, 48, 64, 96, 128))),
            variable="d",
            kappa=(-0.25, 0.25),
            draw=few_draws(1, 8, ranges={"N": (2048, 4096), "T": (2048, 4096), "n": (32, 64)}, reason=DRAWN_SEQUENCES),
        ),
        Order(
            "balanced",
            "If every label occurs equally often, the scores of the other tokens are spread less, in at least three of "
            "four runs.",
            below=1,
            experiment=sampled.balanced_spread_experiment,
            grid=Grid(settings(d=32, N=128, T=256, n=1024)),
            quantity="w_v(balanced)/w_v",
            about=("d", "N", "T", "n"),
            stated_in="asymp, one gradient step on W_OV and one on w, leading order",
            conventions="Long contexts, T >> sqrt N. The spread of long contexts comes from the labels' fluctuations: "
            "balanced labels have none.",
            draw=few_draws(
                20, 8, ranges={"d": (16, 160), "N": (32, 320), "T": (64, 640), "n": (256, 2048)}, reason=DRAWN_SEQUENCES
            ),
        ),
        Order(
            "more-samples",
            "A long context is learnt better from many sequences than from few: the accuracy after the third step is higher, in "
            "at least three of four runs.",
            above=0,
            experiment=sampled.more_samples_experiment,
            grid=Grid(settings(d=64, N=32, T=64, few=256, many=8192)),
            quantity="A(many) - A(few)",
            about=("d", "N", "T"),
            stated_in="bietti2025, theorem of Vural, Wu and Bietti on learnability of the induction head (informal)",
            conventions="Attention is amplified without limit before the third step, on W_OV again. Long contexts are "
            "learnt with very many samples. A is the accuracy on fresh sequences.",
            draw=few_draws(1, 8, ranges={"d": None, "N": None, "T": None}, reason=DRAWN_SEQUENCES),
        ),
        found(
            "source",
            "Well above the theorem's bound, at d = 8 sqrt N, attention finds the planted token in more than half of "
            "the sequences, for contexts of N^(1/2) and of N^(3/4) tokens (N = 256), in at least three of four runs.",
            above=0.5,
            grid=Grid(settings(d=128, T=(16, 64), **FEW_SEQUENCES)),
        ),
        found(
            "only-if",
            "Well below the bound, at d = 2 sqrt N and contexts of 1024 tokens (N = 256), attention finds the planted "
            "token in fewer than half of the sequences, in at least three of four runs.",
            below=0.5,
            grid=Grid(settings(d=32, T=1024, **FEW_SEQUENCES)),
        ),
        order(
            "short",
            "With a context of four tokens and d above sqrt N the signal is above the noise, in at least three of four runs.",
            below=1,
            grid=Grid(settings(d=(16, 64), T=4, **MAP)),
            draw=few_draws(
                4, 8, ranges={"d": (16, 128), "N": None, "T": None, "n": None}, reason="'d above sqrt N', four tokens"
            ),
        ),
        order(
            "long",
            "With a context of 256 tokens d above sqrt N is not enough: the noise is above the signal in at least half of the "
            "runs.",
            above=1,
            at_least=0.5,
            grid=Grid(settings(d=16, T=256, **MAP)),
            draw=few_draws(
                1, 8, ranges={"d": None, "N": None, "T": None, "n": None}, reason="the longest context of the figure"
            ),
        ),
    ),
)
