"""factual-recall-attention: facts stored by attention alone need d of the order of relations plus answers."""

from functools import partial

from asymp.montecarlo.samplers.transformers import factual_recall_attention as sampled
from asymp.reports.declaring import Claim, Constant, Grid, Identity, Order, few_draws, laws, nightly, settings

TRAINED = {"d_h": 2, "m": 0, "T": 8, "steps": 300}
PAPER = {"d_h": 8, "m": 0, "T": 32, "steps": 4000, "batch": 1024, "lr": 0.01}


order = partial(
    Order,
    above=0,
    experiment=sampled.trained_facts_gap_experiment,
    stated_in="bietti2025, theorem on factual recall, attention only (informal)",
    draw=nightly(3),
)

CLAIM = Claim(
    id="factual-recall-attention",
    title="Facts stored by attention alone",
    source="bietti2025, bietti2024",
    order=7,
    parts=(
        Constant(
            "source",
            "The noise in the logit of a wrong answer has the variance (R + D)/d, so that d has to be of the order of R + D.",
            law=laws["factual-recall-attention:leading"],
            experiment=sampled.logit_variance_experiment,
            grid=Grid(settings(R=24, D=12, d=32, output="other", embeddings="gaussian")),
            # The leading order leaves out 2/d: a tenth of it from R + D = 20 on.
            draw=few_draws(4, 64, ranges={"R": (24, 60), "D": (12, 24), "d": (32, 100)}),
        ),
        Identity(
            "sharp",
            "The variance of every kind of logit is known exactly, by Wick contraction.",
            law=laws["factual-recall-attention"],
            experiment=sampled.logit_variance_experiment,
            grid=Grid(
                settings(R=6, D=4, d=16, output=("other", "answer", "relation", "subject"), embeddings="gaussian")
                + settings(R=6, D=4, d=16, output="other", embeddings="sphere")
            ),
            draw=few_draws(26, 64, ranges={"R": (4, 40), "D": (2, 20), "d": (8, 80)}),
        ),
        order(
            "dimension-not-heads",
            "After training with d below R + D, half the dimensions with twice the heads recall no more facts, in at "
            "least three of four runs.",
            grid=Grid(
                settings(**TRAINED, S=8, R=8, D=4, one={"d": 8, "H": 16}, other={"d": 4, "H": 32}),
                paper=settings(**PAPER, S=32, R=32, D=8, one={"d": 32, "H": 32}, other={"d": 16, "H": 64}),
            ),
            quantity="A(d, H) - A(d/2, 2 H)",
            about=("S", "R", "D"),
            conventions="Attention alone, trained with Adam on fresh sequences: subject and relation among noise tokens, "
            "the answer asked for at the last one. A is the share of fresh sequences whose answer is right. "
            "Equal numbers of parameters, d below R + D. Heads do not make up for dimensions below R + D.",
        ),
        order(
            "relations-take-heads",
            "After training, relations need room in the heads as subjects do: with R = 7 S, heads of total size H d_h = "
            "2 S recall fewer facts than S and R exchanged do with twice that, in at least three of four runs.",
            grid=Grid(
                # By S the second task has 3.5 times the heads of the first, by S + R half of them.
                settings(
                    **TRAINED, D=2, d=16, batch=48, one={"S": 14, "R": 2, "H": 4}, other={"S": 2, "R": 14, "H": 2}
                ),
                paper=settings(**PAPER, D=2, d=64, one={"S": 56, "R": 8, "H": 4}, other={"S": 8, "R": 56, "H": 2}),
            ),
            quantity="A(S, R, H) - A(R, S, H/2)",
            about=("D", "d", "d_h"),
            conventions="S > 2 R. By the talk of 2024 (H d_h of order S) the second task has more heads than the first "
            "for what it needs, by S/(2 R); by the talk of 2025 (S + R) it has half as many.",
        ),
    ),
)
