"""global-before-context: how many samples one gradient step needs to learn a noise token, by layer."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.transformers import N
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

CONTEXT_TOKENS = Param(integer(2), (16, 256), meaning="number of tokens of the context", name="T")
A = Param(real(above=0, high=1), (0.05, 1), meaning="probability that the noise token replaces the output", name="a")
C = Param(real(above=0), default=8, meaning="constant: how sure the step has to be", name="c")

CONVENTIONS = (
    "One gradient step on m sequences from zero weights, one-hot embeddings, a fixed trigger; after the trigger comes a "
    "token of the sequence's own or, with probability a, one noise token. Learnt: the noise token has the top score on a "
    "fresh sequence. The feed-forward layer sees the trigger only; attention is uniform over a context of T tokens that "
    "leaves the trigger out."
)
SLIDE = Source("bietti2025", "theorem of Chen et al. on global bigrams and induction heads (informal)")

declare = partial(law, relation="~", quantity="m", source=SLIDE, conventions=CONVENTIONS)
LAWS = (
    declare(
        "global-before-context",
        "c/a * (1 + N/T**2)",
        params=(A, N, CONTEXT_TOKENS.but(domain=integer(1)).over(4, 256), C),
        title="Samples that uniform attention needs",
        source=Source("asymp", "overlap of two contexts"),
    ),
    declare(
        "global-before-context:source",
        "N",
        params=(N,),
        title="Samples that attention needs, as the source states it",
        conventions="Toy setting of the talk; 'after O(N) samples due to noise'.",
    ),
    declare(
        "global-before-context:feed-forward",
        "c/a",
        params=(A, N.but(domain=integer(2, infinite=True)), C.but(default=5)),
        title="Samples that the feed-forward layer needs, for any N",
        source=Source("asymp", "count of the noise token"),
    ),
    declare(
        "global-before-context:feed-forward-source",
        "1",
        params=(N,),
        title="Samples that the feed-forward layer needs, as the source states it",
        conventions="Toy setting of the talk; 'after O(1) samples'.",
    ),
    declare(
        "global-before-context:feed-forward-miss",
        "(1 - a)**m + (m - 1)*a*(1 - a)**(m - 1)",
        relation="=",
        params=(A.over(0.01, 0.5), Param(integer(1), (4, 256), meaning="number of sequences in the step", name="m")),
        quantity="P_miss",
        title="Probability that m samples do not teach the feed-forward layer the noise token, N infinite",
        source=Source("asymp", "binomial count"),
        conventions=CONVENTIONS + " N infinite: all other outputs are distinct; ties are broken at random.",
    ),
)
