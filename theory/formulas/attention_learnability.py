"""attention-learnability: when three gradient steps make attention find one planted token in T."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

MEANINGS = {
    "d": "dimension of the embeddings",
    "N": "number of tokens, and of labels",
    "T": "length of the context",
    "n": "number of sequences",
}
CONVENTIONS = (
    "y = f(z_{t*}), f a permutation of N tokens; X_t = e_{z_t} + 1{t = t*} e_trig, tokens uniform; e, u, e_trig ~ N(0, I/d); "
    "n sequences with independent labels. Step 1 on W_OV at uniform attention, step 2 on the attention vector w. Signal: "
    "w.e_trig; noise: standard deviation of w.e_v over the tokens v. Leading order."
)
SIGNAL = "(1 + N/n*(1 + T/d))/(N*T**2)"
NOISE = "(1/d + 1/N)/(n*sqrt(d*N))"
ALL = {"d": integer(1), "N": integer(2), "T": integer(1), "n": integer(1)}
ALL_TYPICAL = {"d": (64, 1024), "N": (16, 1024), "T": (2, 128), "n": (256, 1e5)}
SIZES = {name: ALL[name] for name in ("N", "T", "n")}
SHARED: dict[str, Any] = {
    "domain": SIZES,
    "typical": {"N": (16, 1024), "T": (2, 1024), "n": (2048, 1e6)},
    "meanings": MEANINGS,
    "conditions": (
        Condition(lambda v: v["n"] >= v["N"], "n must be at least N: the condition is stated for n >> N sequences"),
    ),
}
DERIVED = Source("asymp", "one gradient step on W_OV and one on w, leading order")


def corrected() -> "sympy.Expr":
    """Where noise/signal falls below 1: the least d that the ratio asks for, on both sides of d = N."""
    import sympy

    N, T, n = sympy.symbols("N T n", positive=True)
    many = (T**4 * N / n**2) ** sympy.Rational(1, 3)
    return sympy.Piecewise((sympy.Min(T**2 / N, many), T <= N), (sympy.Max(many, T**4 / (N * n**2)), True))


LAWS = (
    law(
        "attention-learnability",
        f"1/d + ({NOISE}/({SIGNAL}))**2",
        relation="~",
        domain=ALL,
        typical=ALL_TYPICAL,
        meanings=MEANINGS,
        quantity="SNR**-2",
        typeset=r"\mathrm{SNR}^{-2}",
        title="Noise over signal of the attention scores, squared",
        source=DERIVED,
        conventions=CONVENTIONS,
        notes=(
            "1/d is the overlap of other tokens with e_trig; the bracket is T^2 sqrt(N) (1 + d/N)/(n d^(3/2)) over "
            "1 + (N/n)(1 + T/d): for d << N its two regimes are the two branches of the source's minimum.",
            "The labels' fluctuations carry both the excess signal and the noise: balanced labels remove them.",
        ),
    ),
    law(
        "attention-learnability:signal",
        SIGNAL,
        relation="~",
        domain=ALL,
        typical=ALL_TYPICAL,
        meanings=MEANINGS,
        quantity="w_trig",
        title="Score of the trigger after the second step",
        source=DERIVED,
        conventions=CONVENTIONS,
        notes=(
            "1/(N T^2) from sequences with the same label, 1/(n T^2) from a sequence's own label (twice the norm at t*), "
            "1/(n T d) from the squared overlaps of T tokens with e_trig.",
        ),
    ),
    law(
        "attention-learnability:noise",
        NOISE,
        relation="~",
        domain={"d": ALL["d"], "N": ALL["N"], "n": ALL["n"]},
        typical={name: ALL_TYPICAL[name] for name in ("d", "N", "n")},
        meanings=MEANINGS,
        quantity="w_v",
        title="Spread of the scores of the tokens after the second step, beside the overlap with the trigger",
        source=DERIVED,
        conventions=CONVENTIONS,
        notes=(
            "With b = sum_k (n_k/n)(u_k - mean u), |b|^2 = 1/n, and C = (1/N) sum e e^T it is |b|^2 e_v.C mean(e): "
            "the mean embedding has overlap 1/sqrt(d N) with e_v, and C acts as 1/d + 1/N.",
        ),
    ),
    law(
        "attention-learnability:signal-many",
        "1/(N*T**2)",
        relation="~",
        domain={name: ALL[name] for name in ("N", "T")},
        typical={name: ALL_TYPICAL[name] for name in ("N", "T")},
        meanings=MEANINGS,
        quantity="w_trig",
        title="Score of the trigger after the second step: many sequences",
        source=DERIVED,
        conventions=CONVENTIONS + " n >> N and n d >> N T.",
        notes=("What the signal comes to when a sequence's own label, 1/n, is small beside the labels' share 1/N.",),
    ),
    law(
        "attention-learnability:noise-narrow",
        "1/(n*sqrt(N)*d**(3/2))",
        relation="~",
        domain={"d": ALL["d"], "N": ALL["N"], "n": ALL["n"]},
        typical={name: ALL_TYPICAL[name] for name in ("d", "N", "n")},
        meanings=MEANINGS,
        quantity="w_v",
        title="Spread of the scores of the tokens after the second step: fewer dimensions than tokens",
        source=DERIVED,
        conventions=CONVENTIONS + " d << N, and T >> N/d, T >> sqrt(n/d).",
        notes=("The covariance of the embeddings acts as 1/d on their mean; 1/N beside it is left out.",),
    ),
    law(
        "attention-learnability:source",
        "T**2/N * Min(1, (N**2/(T*n))**(2/3))",
        relation=">~",
        quantity="d",
        title="Dimension from which attention learns, as the source states it",
        source=Source("bietti2025", "theorem of Vural, Wu and Bietti on learnability of the induction head (informal)"),
        conventions="d >> sqrt N >> 1 and n >> N assumed; 'learns if and only if d >> ...'; constants are not given.",
        exponents={"T": "4/3", "n": "-2/3", "N": "-1"},
        notes=("Beyond the assumption d >> sqrt N it asks for something only from T of about N^(3/4) on.",),
        errata=(
            Erratum(
                regime="T^2 >> N n (contexts so long that the stated threshold exceeds N).",
                discrepancy="For d > N the spread of the token scores no longer falls like d^(-3/2) but like d^(-1/2): the stated "
                "threshold is too low by the factor (T^2/(N n))^(4/3). Measured at N = 8, T = 64, n = 32, d = 200: noise over "
                "signal is about 2, where the stated rate would leave 0.1.",
                corrected_by="attention-learnability:corrected",
            ),
        ),
        **SHARED,
    ),
    law(
        "attention-learnability:corrected",
        corrected,
        relation=">~",
        quantity="d",
        title="Dimension from which attention learns, also where it exceeds N",
        source=Source("asymp", "noise below signal"),
        conventions=CONVENTIONS + " n >= N; d >> 1 is needed besides.",
        exponents={"T": "4", "n": "-2/3", "N": "-1"},
        notes=("Equal to the source's threshold for T <= sqrt(N n), T^4/(N n^2) beyond.",),
        **SHARED,
    ),
    law(
        "attention-learnability:many-samples",
        "(T**4 * N/n**2)**(1/3)",
        relation=">~",
        quantity="d",
        title="Dimension from which attention learns: many samples, n >> N^2/T",
        source=Source("asymp", "noise below signal"),
        conventions=CONVENTIONS + " d << N.",
        **SHARED,
    ),
    law(
        "attention-learnability:few-samples",
        "T**2/N",
        relation=">~",
        quantity="d",
        title="Dimension from which attention learns: few samples, N << n << N^2/T",
        source=Source("asymp", "noise below signal"),
        conventions=CONVENTIONS + " d << N, T << N.",
        **SHARED,
    ),
    law(
        "attention-learnability:balanced",
        "1",
        relation="<=",
        domain=ALL,
        typical={**ALL_TYPICAL, "T": (128, 1024)},
        meanings=MEANINGS,
        quantity="w_v(balanced)/w_v",
        typeset="w_v^{balanced} / w_v",
        title="Spread of the tokens' scores with equally many sequences of every label, over that with labels drawn",
        source=DERIVED,
        conventions=CONVENTIONS + " Long contexts, T >> sqrt N.",
        notes=(
            "An order. The spread of long contexts comes from the labels' fluctuations: balanced labels have none.",
        ),
    ),
    law(
        "attention-learnability:more-samples",
        "0",
        relation=">=",
        domain={name: ALL[name] for name in ("d", "N", "T")},
        typical={"d": (64, 512), "N": (16, 256), "T": (32, 256)},
        meanings=MEANINGS,
        quantity="A(many) - A(few)",
        typeset="A_{many} - A_{few}",
        title="Accuracy after the third step with many sequences, less that with few",
        source=Source("bietti2025", "theorem of Vural, Wu and Bietti on learnability of the induction head (informal)"),
        conventions=CONVENTIONS + " Attention is amplified without limit before the third step, on W_OV again.",
        notes=("An order: long contexts are learnt with very many samples. A is the accuracy on fresh sequences.",),
    ),
)
