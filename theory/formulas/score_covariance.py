"""score-covariance: which scores of one memory vary together, over random embeddings."""

from typing import TYPE_CHECKING

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS", "PATTERNS"]

# Which of the outputs y, y', f(z), f(z') are equal, as four letters: every partition of four things, once.
PATTERNS = (
    "abab", "aaaa", "aabb", "abba",
    "aaab", "aaba", "aabc", "abaa", "abac", "abbb", "abbc", "abca", "abcb", "abcc", "abcd",
)  # fmt: skip
# At one input f(z') = f(z); y' = y would be the variance.
SAME_INPUT = ("abaa", "abbb", "abcc")

EMBEDDINGS = choice("gaussian", "sphere")
CONVENTIONS = (
    "g(z, y) = u_y . W e_z with W = sum over x of q(x) u_f(x) e_x^T; gaussian is N(0, I/d), sphere is uniform on the "
    "unit sphere; the covariance is over all embeddings. "
)
MEANINGS = {
    "d": "dimension of the embeddings",
    "q": "weight q(z) of the first input",
    "q_prime": "weight q(z') of the second input",
    "pattern": "which of the outputs y, y', f(z), f(z') are equal, in this order: equal letters, equal outputs",
    "inputs": "law of the input embeddings",
    "outputs": "law of the output embeddings",
}


def two_inputs(*, pattern: str, outputs: str) -> "sympy.Expr":
    """Cov(g(z, y), g(z', y')) for z != z' as the contraction gives it."""
    import sympy

    from asymp.theory.moments.scores import score_covariance

    y, y_prime, f, f_prime = list(pattern)
    found = score_covariance(y=y, y_prime=y_prime, f=f, f_prime=f_prime, inputs="gaussian", outputs=outputs)
    return found.subs(sympy.Symbol("q'", positive=True), sympy.Symbol("q_prime", positive=True))


def one_input(*, pattern: str, inputs: str, outputs: str) -> "sympy.Expr":
    """Cov(g(z, y), g(z, y')) for y != y' as the contraction gives it."""
    from asymp.theory.moments.scores import score_covariance

    y, y_prime, f, _ = list(pattern)
    return score_covariance(y=y, y_prime=y_prime, f=f, f_prime=f, same_input=True, inputs=inputs, outputs=outputs)


LAWS = (
    law(
        "score-covariance",
        two_inputs,
        relation="=",
        domain={
            "d": integer(1),
            "q": real(),
            "q_prime": real(),
            "pattern": choice(*PATTERNS),
            "outputs": EMBEDDINGS,
        },
        typical={"d": (2, 64), "q": (0.1, 1), "q_prime": (0.1, 1)},
        defaults={"pattern": "abab", "outputs": "gaussian"},
        meanings={name: MEANINGS[name] for name in ("d", "q", "q_prime", "pattern", "outputs")},
        quantity="Cov_g",
        title="Covariance of the scores of two inputs, exact at every d",
        source=Source("asymp", "Wick contraction"),
        conventions=CONVENTIONS + "z != z'. The pattern 'abab' is two right scores of different classes.",
        notes=(
            "Only q(z), q(z') and d enter: the other associations add to the variances and cancel in every covariance. "
            "The law of the inputs does not matter, gaussian or sphere.",
            "Four patterns have a covariance: aaaa (both right, one class), abab (both right, two classes), aabb (one "
            "wrong output for two inputs of one class), abba (each input's score for the other's target); the others "
            "are zero.",
        ),
    ),
    law(
        "score-covariance:same-input",
        one_input,
        relation="=",
        domain={"d": integer(1), "pattern": choice(*SAME_INPUT), "inputs": EMBEDDINGS, "outputs": EMBEDDINGS},
        typical={"d": (2, 64)},
        defaults={"pattern": "abaa", "inputs": "gaussian", "outputs": "gaussian"},
        meanings={name: MEANINGS[name] for name in ("d", "pattern", "inputs", "outputs")},
        quantity="Cov_g",
        title="Covariance of two outputs' scores at one input",
        source=Source("asymp", "Wick contraction"),
        conventions=CONVENTIONS + "z = z' and y != y'; for y = y' it is `score-variance`.",
        notes=(
            "Uncorrelated, for every memory and both laws of the embeddings; not independent: the scores share |e_z|, "
            "and those of the other outputs the length and direction of u_f(z).",
        ),
    ),
)
