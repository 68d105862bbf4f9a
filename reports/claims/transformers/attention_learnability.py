"""attention-learnability: what two gradient steps teach attention about one planted token."""

from asymp.montecarlo.samplers.transformers.attention_learnability import (
    attention_spread_experiment,
    balanced_spread_experiment,
    learned_attention_experiment,
    more_samples_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, settings
from asymp.reports.kinds import Constant, Order, Rate
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

# The sources' map: 64 tokens, so that d = 16 is twice sqrt N; (noise/signal)^2 after the second step.
MAP = {"N": 64, "n": 256, "of": "ratio"}
DRAWN_SEQUENCES = (
    "n sequences of T tokens are drawn: seconds at ten times the grid's sizes; the signal's law is one of long contexts"
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
            experiment=attention_spread_experiment,
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
            experiment=attention_spread_experiment,
            # The labels' fluctuations are all of the spread: other terms fall off with T.
            grid=Grid(settings(d=32, N=128, T=512, n=1024)),
            draw=few_draws(
                2,
                8,
                ranges={"d": (32, 128), "N": (128, 512), "T": (512, 1024), "n": (1024, 2048)},
                reason=DRAWN_SEQUENCES,
            ),
        ),
        Rate(
            "signal-in-T",
            "With many sequences the signal falls like T^-2.",
            law=laws["attention-learnability:signal-many"],
            experiment=attention_spread_experiment,
            # Many sequences: at most N T/(n d) = 1 % of the signal is a sequence's own.
            grid=Grid(settings(d=64, N=16, n=8192, of="signal", T=(8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256))),
            variable="T",
            families=("power", "corrected"),
            kappa=(-0.25, 0.25),
            draw=few_draws(1, 16, ranges={"d": (48, 128), "N": (8, 24), "n": (1024, 4096)}, reason=DRAWN_SEQUENCES),
        ),
        Rate(
            "noise-in-n",
            "In long contexts the spread of the tokens' scores falls like 1/n.",
            law=laws["attention-learnability:noise-narrow"],
            experiment=attention_spread_experiment,
            # Beside the labels' fluctuations: N/(d T) and n/(d T^2) of the squared spread, below 1 % together.
            grid=Grid(settings(d=16, N=64, T=512, n=(64, 128, 256, 512, 1024, 2048, 4096))),
            variable="n",
            families=("power", "corrected"),
            kappa=(-0.1, 0.1),
            draw=few_draws(1, 16, ranges={"d": (12, 24), "N": (48, 96), "T": (512, 1024)}, reason=DRAWN_SEQUENCES),
        ),
        Rate(
            "noise-in-d",
            "In long contexts and fewer dimensions than tokens the spread falls like d^(-3/2).",
            law=laws["attention-learnability:noise-narrow"],
            experiment=attention_spread_experiment,
            # d/N, which is left out, is 3 % at the most.
            grid=Grid(settings(N=4096, T=4096, n=128, d=(8, 12, 16, 24, 32, 48, 64, 96, 128))),
            variable="d",
            families=("power", "corrected"),
            kappa=(-0.25, 0.25),
            draw=few_draws(1, 8, ranges={"N": (2048, 4096), "T": (2048, 4096), "n": (32, 64)}, reason=DRAWN_SEQUENCES),
        ),
        Order(
            "balanced",
            "Balanced labels spread the tokens' scores less, in at least three of four runs.",
            below=1,
            experiment=balanced_spread_experiment,
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
            "After the third step a long context is learnt better from many sequences than from few, in at least three of "
            "four runs.",
            above=0,
            experiment=more_samples_experiment,
            grid=Grid(settings(d=64, N=32, T=64, few=256, many=8192)),
            quantity="A(many) - A(few)",
            about=("d", "N", "T"),
            stated_in="bietti2025, theorem of Vural, Wu and Bietti on learnability of the induction head (informal)",
            conventions="Attention is amplified without limit before the third step, on W_OV again. Long contexts are "
            "learnt with very many samples. A is the accuracy on fresh sequences.",
            draw=few_draws(1, 8, ranges={"d": None, "N": None, "T": None}, reason=DRAWN_SEQUENCES),
        ),
        Order(
            "short",
            "With a context of four tokens and d above sqrt N the signal is above the noise, in at least three of four runs.",
            below=1,
            experiment=learned_attention_experiment,
            grid=Grid(settings(d=(16, 64), T=4, **MAP)),
            quantity="(noise/signal)^2",
            about=("d", "N", "T", "n"),
            stated_in="bietti2025, learnability of the induction head",
            draw=few_draws(
                4, 8, ranges={"d": (16, 128), "N": None, "T": None, "n": None}, reason="'d above sqrt N', four tokens"
            ),
        ),
        Order(
            "long",
            "With a context of 256 tokens d above sqrt N is not enough: the noise is above the signal in at least half of the "
            "runs.",
            above=1,
            at_least=0.5,
            experiment=learned_attention_experiment,
            grid=Grid(settings(d=16, T=256, **MAP)),
            quantity="(noise/signal)^2",
            about=("d", "N", "T", "n"),
            stated_in="bietti2025, learnability of the induction head",
            draw=few_draws(
                1, 8, ranges={"d": None, "N": None, "T": None, "n": None}, reason="the longest context of the figure"
            ),
        ),
    ),
)
