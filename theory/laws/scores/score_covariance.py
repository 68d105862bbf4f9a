"""score-covariance: which scores of one memory vary together, over random embeddings."""

from asymp.theory.law import law
from asymp.theory.laws.pieces import scores
from asymp.theory.laws.scores import INPUTS, OUTPUTS, SCORE, D
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice, real
from asymp.theory.sources import Source

# Which of the outputs y, y', f(z), f(z') are equal, as four letters: every partition of four things, once.
PATTERNS = (
    "abab", "aaaa", "aabb", "abba",
    "aaab", "aaba", "aabc", "abaa", "abac", "abbb", "abbc", "abca", "abcb", "abcc", "abcd",
)  # fmt: skip
# At one input f(z') = f(z); y' = y would be the variance.
SAME_INPUT = ("abaa", "abbb", "abcc")

PATTERN = Param(
    choice(*PATTERNS),
    default="abab",
    meaning="which of the outputs y, y', f(z), f(z') are equal, in this order: equal letters, equal outputs",
    name="pattern",
)

CONVENTIONS = SCORE + "the covariance is over all embeddings. "


def two_inputs(*, pattern: str, outputs: str) -> Expr:
    """Cov(g(z, y), g(z', y')) for z != z' as the contraction gives it."""
    y, y_prime, f, f_prime = list(pattern)
    found = scores.score_covariance(y=y, y_prime=y_prime, f=f, f_prime=f_prime, inputs="gaussian", outputs=outputs)
    return found.subs(sympy.Symbol("q'", positive=True), sympy.Symbol("q_prime", positive=True))


def one_input(*, pattern: str, inputs: str, outputs: str) -> Expr:
    """Cov(g(z, y), g(z, y')) for y != y' as the contraction gives it."""
    y, y_prime, f, _ = list(pattern)
    return scores.score_covariance(
        y=y, y_prime=y_prime, f=f, f_prime=f, same_input=True, inputs=inputs, outputs=outputs
    )


LAWS = (
    law(
        "score-covariance",
        two_inputs,
        relation="=",
        params=(
            D.over(2, 64),
            Param(real(), (0.1, 1), meaning="weight q(z) of the first input", name="q"),
            Param(real(), (0.1, 1), meaning="weight q(z') of the second input", name="q_prime"),
            PATTERN,
            OUTPUTS,
        ),
        quantity="Cov_g",
        title="Covariance of the scores of two inputs, exact at every d",
        source=Source("asymp", "Wick contraction"),
        conventions=CONVENTIONS + "z != z'. The pattern 'abab' is two right scores of different classes.",
    ),
    law(
        "score-covariance:same-input",
        one_input,
        relation="=",
        params=(D.over(2, 64), PATTERN.but(domain=choice(*SAME_INPUT), default="abaa"), INPUTS, OUTPUTS),
        quantity="Cov_g",
        title="Covariance of two outputs' scores at one input",
        source=Source("asymp", "Wick contraction"),
        conventions=CONVENTIONS + "z = z' and y != y'; for y = y' it is `score-variance`.",
    ),
)
