"""interference: three memories in one matrix, and the first is recalled wrongly."""

from typing import Any

from asymp.theory.law import law
from asymp.theory.laws.pieces import wick
from asymp.theory.lazy import Expr, Floats, np, sympy
from asymp.theory.param import Param, choice, real
from asymp.theory.sources import Source


def product(letter: str, i: int, j: int) -> Param:
    """The inner product of two embeddings; left out, lengths are one and u_1.u_2 = 0, as the caption assumes."""
    meaning = f"inner product of {letter}_{i} and {letter}_{j}, {'input' if letter == 'e' else 'output'} embeddings"
    if i == j:
        return Param(real(0), (0.5, 2), 1, meaning, f"{letter}_{i}{j}")
    return Param(real(), (0.1, 0.9), 0 if (letter, i, j) == ("u", 1, 2) else None, meaning, f"{letter}_{i}{j}")


PARAMS = (
    *(product("e", 1, x) for x in (1, 2, 3)),
    *(product("u", y, x) for y in (1, 2, 3) for x in range(y, 4)),
)
OUTPUT = Param(choice("1", "2", "3"), default="2", meaning="the output y", name="output")

CAPTION = Source("cabannes2024", "Figure 2")
MEMORY = "W = u_1 e_1^T + u_2 e_2^T + u_3 e_3^T stores f(x) = x for x = 1, 2, 3; "
SCORE = MEMORY + "the quantity is the score u_y . W e_1."
RECALLED = MEMORY + "the quantity is f_W(1) = argmax over y of u_y . W e_1, the smallest y at a tie."
DEFAULTS = " Left out, the embeddings have length one and u_1.u_2 = 0, as the caption assumes."


def score(*, output: str) -> Expr:
    """u_y . W e_1, expanded over the three memories, in inner products."""
    y = int(output)
    expanded = sum(wick.inner(f"u_{y}", f"u_{x}") * wick.inner(f"e_{x}", "e_1") for x in (1, 2, 3))

    def name(v: Any, w: Any) -> Any:
        letter, first, second = str(v)[0], *sorted((str(v)[2:], str(w)[2:]))
        return sympy.Symbol(f"{letter}_{first}{second}", real=True)

    return expanded.replace(sympy.Function("inner"), name)


def recalled() -> Expr:
    """argmax over y of the three scores."""
    one, two, three = (score(output=y) for y in "123")
    return sympy.Piecewise((1, (one >= two) & (one >= three)), (2, two >= three), (3, True))


def stated_score(*, output: str) -> Expr:
    """The scores as the caption writes them."""
    e_12, e_13, u_13, u_23 = (sympy.Symbol(name, real=True) for name in ("e_12", "e_13", "u_13", "u_23"))
    return 1 + u_13 * e_13 if output == "1" else e_12 + u_23 * e_13


def stated_recalled() -> Expr:
    """2 if the caption's inequality holds, else 1."""
    return sympy.Piecewise((2, stated_score(output="2") >= stated_score(output="1")), (1, True))


def numeric(**values: Floats) -> Floats:
    """f_W(1), vectorised: the comparison of the three scores."""
    v = {k: np.asarray(value, dtype=float) for k, value in values.items()}
    # e_1.e_x times u_y.u_x, added over x in the order of the memories
    gram = {(y, x): v[f"u_{min(y, x)}{max(y, x)}"] for y in (1, 2, 3) for x in (1, 2, 3)}
    scores = np.broadcast_arrays(*(sum(gram[y, x] * v[f"e_1{x}"] for x in (1, 2, 3)) for y in (1, 2, 3)))
    return np.asarray(1.0 + np.argmax(np.stack(scores), axis=0))


LAWS = (
    law(
        "interference",
        score,
        relation="=",
        params=(*PARAMS, OUTPUT),
        quantity="g",
        title="Scores of three interfering memories",
        source=Source("asymp", "expansion of u_y . W e_1"),
        conventions=SCORE + DEFAULTS,
    ),
    law(
        "interference:source",
        stated_score,
        relation="=",
        params=(*PARAMS, OUTPUT.but(domain=choice("1", "2"))),
        quantity="g",
        title="Scores of three interfering memories, as the source states it",
        source=CAPTION,
        conventions=SCORE + DEFAULTS,
    ),
    law(
        "interference:recalled",
        recalled,
        relation="=",
        params=PARAMS,
        numeric=numeric,
        quantity="f_W",
        title="Which of three memories is recalled for the first input",
        source=Source("asymp", "comparison of the three scores"),
        conventions=RECALLED + DEFAULTS,
    ),
    law(
        "interference:source-recalled",
        stated_recalled,
        relation="=",
        params=PARAMS,
        quantity="f_W",
        title="Which of three memories is recalled for the first input, as the source states it",
        source=CAPTION,
        conventions=RECALLED + DEFAULTS,
    ),
)
