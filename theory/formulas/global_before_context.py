"""global-before-context: how many samples one gradient step needs to learn a noise token, by layer."""

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

__all__ = ["LAWS"]

A = real(above=0, high=1)
MEANINGS = {
    "a": "probability that the noise token replaces the output",
    "N": "number of tokens",
    "T": "number of tokens of the context",
    "m": "number of sequences in the step",
    "c": "constant: how sure the step has to be",
}
CONVENTIONS = (
    "One gradient step on m sequences from zero weights, one-hot embeddings, a fixed trigger; after the trigger comes a "
    "token of the sequence's own or, with probability a, one noise token. Learnt: the noise token has the top score on a "
    "fresh sequence. The feed-forward layer sees the trigger only; attention is uniform over a context of T tokens that "
    "leaves the trigger out."
)
TRAINED = (
    "Two blocks of attention and ReLU MLP, frozen embeddings, all else trained by SGD on one fixed trigger; with probability a the "
    "noise token follows it instead of the sequence's own output. Positions whose token is a trigger seen before."
)
SLIDE = Source("bietti2025", "theorem of Chen et al. on global bigrams and induction heads (informal)")

LAWS = (
    law(
        "global-before-context",
        "c/a * (1 + N/T**2)",
        relation="~",
        domain={"a": A, "N": integer(2), "T": integer(1), "c": real(above=0)},
        typical={"a": (0.05, 1), "N": (16, 4096), "T": (4, 256)},
        defaults={"c": 8},
        meanings=MEANINGS,
        quantity="m",
        title="Samples that uniform attention needs",
        source=Source("asymp", "overlap of two contexts"),
        conventions=CONVENTIONS,
        notes=(
            "Two contexts share a Poisson number of tokens of mean T^2/N. The m a noise samples add up m a T^2/N, a rival "
            "output seen once has T^2/N with at least one by luck: hence m a T^2/N >> 1 + T^2/N.",
            "With c = 8 the noise token is on top in 80 to 99 % of fresh sequences; it is on top in half of them at c of "
            "about 1 to 4.",
            "With the trigger inside the average attention is as fast as the feed-forward layer; with a random trigger "
            "the feed-forward layer needs about N samples.",
        ),
    ),
    law(
        "global-before-context:source",
        "N",
        relation="~",
        domain={"N": integer(2)},
        typical={"N": (16, 4096)},
        meanings=MEANINGS,
        quantity="m",
        title="Samples that attention needs, as the source states it",
        source=SLIDE,
        conventions="Toy setting of the talk; 'after O(N) samples due to noise'.",
        notes=("The probability a of noise is a constant in the source.",),
        errata=(
            Erratum(
                regime="Contexts that are not short (T >> 1), in the one-step setting of `global-before-context`.",
                discrepancy="N is too many by a factor T^2 for T << sqrt N, and by a factor N for T >> sqrt N, where attention "
                "needs as few samples as the feed-forward layer, of order 1/a. It also takes a context without the trigger.",
                corrected_by="global-before-context",
            ),
        ),
    ),
    law(
        "global-before-context:order",
        "0",
        relation=">=",
        domain={"N": integer(2), "T": integer(1), "a": A},
        typical={"N": (400, 4096), "T": (1, 8), "a": (0.2, 0.5)},
        meanings=MEANINGS,
        quantity="P_ff - P_att",
        typeset="P_{ff} - P_{att}",
        title="How much more often the feed-forward layer has learnt than attention, from the same samples",
        source=SLIDE,
        conventions=CONVENTIONS,
        notes=("An order, for contexts that rarely share a token (T^2 << N).",),
    ),
    law(
        "global-before-context:feed-forward",
        "c/a",
        relation="~",
        domain={"a": A, "N": integer(2, infinite=True), "c": real(above=0)},
        typical={"a": (0.05, 1), "N": (16, 4096)},
        defaults={"c": 5},
        meanings=MEANINGS,
        quantity="m",
        title="Samples that the feed-forward layer needs, for any N",
        source=Source("asymp", "count of the noise token"),
        conventions=CONVENTIONS,
        notes=("At c = 5, small a and large N the noise token is not learnt in about 4 % of the draws.",),
    ),
    law(
        "global-before-context:feed-forward-source",
        "1",
        relation="~",
        domain={"N": integer(2)},
        typical={"N": (16, 4096)},
        meanings=MEANINGS,
        quantity="m",
        title="Samples that the feed-forward layer needs, as the source states it",
        source=SLIDE,
        conventions="Toy setting of the talk; 'after O(1) samples'.",
        notes=("Hides the factor 1/a, and that the trigger is fixed: `global-before-context:feed-forward`.",),
    ),
    law(
        "global-before-context:feed-forward-miss",
        "(1 - a)**m + (m - 1)*a*(1 - a)**(m - 1)",
        relation="=",
        domain={"a": real(above=0, high=1), "m": integer(1)},
        typical={"a": (0.01, 0.5), "m": (4, 256)},
        meanings=MEANINGS,
        quantity="P_miss",
        title="Probability that m samples do not teach the feed-forward layer the noise token, N infinite",
        source=Source("asymp", "binomial count"),
        conventions=CONVENTIONS + " N infinite: all other outputs are distinct; ties are broken at random.",
        exponents={"m": "-oo"},
        notes=("With one noise sample among m all m outputs tie; with two the noise token is alone on top.",),
    ),
    law(
        "global-before-context:trained-onset",
        "1",
        relation="<=",
        domain={"N": integer(3), "T": integer(2), "a": A},
        typical={"N": (8, 64), "T": (16, 256), "a": (0.2, 0.8)},
        meanings=MEANINGS,
        quantity="n_noise/n_output",
        typeset="n_{noise} / n_{output}",
        title="Step at which a trained model knows the noise token, over that at which it knows the output",
        source=SLIDE,
        conventions=TRAINED + " Known: three quarters of the probability that the task gives it.",
        notes=("An order: the global bigram is learnt before the in-context one.",),
    ),
    law(
        "global-before-context:truncation",
        "0",
        relation=">=",
        domain={"N": integer(3), "T": integer(2), "a": A},
        typical={"N": (8, 64), "T": (16, 256), "a": (0.2, 0.8)},
        meanings=MEANINGS,
        quantity="A_without - A_with",
        typeset="A_{without} - A_{with}",
        title="Clean in-context accuracy without the second MLP, less that with it",
        source=SLIDE,
        conventions=TRAINED + " Clean: on sequences without noise.",
        notes=("An order: the second MLP holds the noise token, and leaving it out frees the in-context prediction.",),
    ),
)
