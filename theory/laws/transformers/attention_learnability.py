"""attention-learnability: when three gradient steps make attention find one planted token in T."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.transformers import DIM
from asymp.theory.param import Param, integer
from asymp.theory.sources import Condition, Source

TOKENS = Param(integer(2), (16, 1024), meaning="number of tokens, and of labels", name="N")
T = Param(integer(1), (2, 1024), meaning="length of the context", name="T")
SEQUENCES = Param(integer(1), (256, 1e5), meaning="number of sequences", name="n")
PARAMS = (DIM.over(64, 1024), TOKENS, T.over(2, 128), SEQUENCES)

CONVENTIONS = (
    "y = f(z_{t*}), f a permutation of N tokens; X_t = e_{z_t} + 1{t = t*} e_trig, tokens uniform; e, u, e_trig ~ N(0, I/d); "
    "n sequences with independent labels. Step 1 on W_OV at uniform attention, step 2 on the attention vector w. Signal: "
    "w.e_trig; noise: standard deviation of w.e_v over the tokens v. Leading order."
)
SIGNAL = "(1 + N/n*(1 + T/d))/(N*T**2)"
NOISE = "(1/d + 1/N)/(n*sqrt(d*N))"

DERIVED = Source("asymp", "one gradient step on W_OV and one on w, leading order")


# Where noise/signal falls below 1: the least d that the ratio asks for, on both sides of d = N.
MANY = "(T**4*N/n**2)**(1/3)"
CORRECTED = f"Piecewise((Min(T**2/N, {MANY}), T <= N), (Max({MANY}, T**4/(N*n**2)), True))"

leading = partial(law, relation="~", source=DERIVED, conventions=CONVENTIONS)
threshold = partial(
    law,
    conditions=Condition(
        lambda v: v["n"] >= v["N"], "n must be at least N: the condition is stated for n >> N sequences"
    ),
    relation=">~",
    params=(TOKENS, T, SEQUENCES.over(2048, 1e6)),
    quantity="d",
    source=Source("asymp", "noise below signal"),
)
LAWS = (
    leading(
        "attention-learnability",
        f"1/d + ({NOISE}/({SIGNAL}))**2",
        params=PARAMS,
        quantity="SNR**-2",
        typeset=r"\mathrm{SNR}^{-2}",
        title="Noise over signal of the attention scores, squared",
    ),
    leading(
        "attention-learnability:signal",
        SIGNAL,
        params=PARAMS,
        quantity="w_trig",
        title="Score of the trigger after the second step",
    ),
    leading(
        "attention-learnability:noise",
        NOISE,
        params=(DIM.over(64, 1024), TOKENS, SEQUENCES),
        quantity="w_v",
        title="Spread of the scores of the tokens after the second step, beside the overlap with the trigger",
    ),
    leading(
        "attention-learnability:signal-many",
        "1/(N*T**2)",
        params=(TOKENS, T.over(2, 128)),
        quantity="w_trig",
        title="Score of the trigger after the second step: many sequences",
        conventions=CONVENTIONS + " n >> N and n d >> N T.",
    ),
    leading(
        "attention-learnability:noise-narrow",
        "1/(n*sqrt(N)*d**(3/2))",
        params=(DIM.over(64, 1024), TOKENS, SEQUENCES),
        quantity="w_v",
        title="Spread of the scores of the tokens after the second step: fewer dimensions than tokens",
        conventions=CONVENTIONS + " d << N, and T >> N/d, T >> sqrt(n/d).",
    ),
    threshold(
        "attention-learnability:source",
        "T**2/N * Min(1, (N**2/(T*n))**(2/3))",
        title="Dimension from which attention learns, as the source states it",
        source=Source("bietti2025", "theorem of Vural, Wu and Bietti on learnability of the induction head (informal)"),
        conventions="d >> sqrt N >> 1 and n >> N assumed; 'learns if and only if d >> ...'; constants are not given.",
    ),
    threshold(
        "attention-learnability:corrected",
        CORRECTED,
        title="Dimension from which attention learns, also where it exceeds N",
        conventions=CONVENTIONS + " n >= N; d >> 1 is needed besides.",
    ),
)
