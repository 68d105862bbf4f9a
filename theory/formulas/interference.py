"""interference: three memories in one matrix, and the first is recalled wrongly."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

INNER = ("e_11", "e_12", "e_13", "u_11", "u_12", "u_13", "u_22", "u_23", "u_33")
SQUARES = ("e_11", "u_11", "u_22", "u_33")
PRODUCTS: dict[str, Any] = {
    "domain": {name: real(0) if name in SQUARES else real() for name in INNER},
    "typical": {name: (0.5, 2) if name in SQUARES else (0.1, 0.9) for name in INNER},
    "defaults": {"e_11": 1, "u_11": 1, "u_12": 0, "u_22": 1, "u_33": 1},
    "meanings": {
        name: f"inner product of {name[0]}_{name[2]} and {name[0]}_{name[3]}, "
        f"{'input' if name[0] == 'e' else 'output'} embeddings"
        for name in INNER
    },
    "relation": "=",
}


def with_output(*outputs: str) -> dict[str, Any]:
    """The same declaration with the word `output`."""
    return {
        **PRODUCTS,
        "domain": {**PRODUCTS["domain"], "output": choice(*outputs)},
        "defaults": {**PRODUCTS["defaults"], "output": "2"},
        "meanings": {**PRODUCTS["meanings"], "output": "the output y"},
    }


CAPTION = Source("cabannes2024", "Figure 2")
CONVENTIONS = "W = u_1 e_1^T + u_2 e_2^T + u_3 e_3^T stores f(x) = x for x = 1, 2, 3; "
SCORE = CONVENTIONS + "the quantity is the score u_y . W e_1."
RECALLED = CONVENTIONS + "the quantity is f_W(1) = argmax over y of u_y . W e_1, the smallest y at a tie."
DEFAULTS = " Left out, the embeddings have length one and u_1.u_2 = 0, as the caption assumes."


def score(*, output: str) -> "sympy.Expr":
    """u_y . W e_1, expanded over the three memories, in inner products."""
    import sympy

    from asymp.theory.moments.wick import inner

    y = int(output)
    expanded = sum(inner(f"u_{y}", f"u_{x}") * inner(f"e_{x}", "e_1") for x in (1, 2, 3))

    def name(v: Any, w: Any) -> Any:
        letter, first, second = str(v)[0], *sorted((str(v)[2:], str(w)[2:]))
        return sympy.Symbol(f"{letter}_{first}{second}", real=True)

    return expanded.replace(sympy.Function("inner"), name)


def recalled() -> "sympy.Expr":
    """argmax over y of the three scores."""
    import sympy

    one, two, three = (score(output=y) for y in "123")
    return sympy.Piecewise((1, (one >= two) & (one >= three)), (2, two >= three), (3, True))


def stated_score(*, output: str) -> "sympy.Expr":
    """The scores as the caption writes them."""
    import sympy

    e_12, e_13, u_13, u_23 = (sympy.Symbol(name, real=True) for name in ("e_12", "e_13", "u_13", "u_23"))
    return 1 + u_13 * e_13 if output == "1" else e_12 + u_23 * e_13


def stated_recalled() -> "sympy.Expr":
    """2 if the caption's inequality holds, else 1."""
    import sympy

    return sympy.Piecewise((2, stated_score(output="2") >= stated_score(output="1")), (1, True))


def numeric(**values: Any) -> Any:
    """f_W(1), vectorised: the comparison of the three scores."""
    import numpy as np

    v = {k: np.asarray(value, dtype=float) for k, value in values.items()}
    # e_1.e_x times u_y.u_x, added over x in the order of the memories
    gram = {(y, x): v[f"u_{min(y, x)}{max(y, x)}"] for y in (1, 2, 3) for x in (1, 2, 3)}
    scores = np.broadcast_arrays(*(sum(gram[y, x] * v[f"e_1{x}"] for x in (1, 2, 3)) for y in (1, 2, 3)))
    return 1.0 + np.argmax(np.stack(scores), axis=0)


LAWS = (
    law(
        "interference",
        score,
        quantity="g",
        title="Scores of three interfering memories",
        source=Source("asymp", "expansion of u_y . W e_1"),
        conventions=SCORE + DEFAULTS,
        notes=(
            "e_1 = (1, 0), e_2 = (3/5, 4/5), e_3 = (3/5, -4/5) and u_1 = (1, 0), u_2 = (0, 1), u_3 = (-3/5, 4/5) have "
            "the scores 16/25, 27/25 and 12/25 for y = 1, 2, 3: f_W(1) = 2.",
        ),
        **with_output("1", "2", "3"),
    ),
    law(
        "interference:source",
        stated_score,
        quantity="g",
        title="Scores of three interfering memories, as the source states it",
        source=CAPTION,
        conventions=SCORE + DEFAULTS,
        errata=(
            Erratum(
                regime="Embeddings that are not of length one, or with u_1.u_2 != 0, as every random draw.",
                discrepancy="The caption's scores leave out |e_1|^2 |u_1|^2 - 1 + (u_1.u_2)(e_1.e_2) for y = 1 and "
                "(u_1.u_2) |e_1|^2 + (|u_2|^2 - 1)(e_1.e_2) for y = 2, of order d^(-1/2) for random embeddings.",
                corrected_by="interference",
            ),
        ),
        **with_output("1", "2"),
    ),
    law(
        "interference:recalled",
        recalled,
        numeric=numeric,
        quantity="f_W",
        title="Which of three memories is recalled for the first input",
        source=Source("asymp", "comparison of the three scores"),
        conventions=RECALLED + DEFAULTS,
        **PRODUCTS,
    ),
    law(
        "interference:source-recalled",
        stated_recalled,
        quantity="f_W",
        title="Which of three memories is recalled for the first input, as the source states it",
        source=CAPTION,
        conventions=RECALLED + DEFAULTS,
        notes=("The caption compares the scores of outputs 1 and 2 only.",),
        errata=(
            Erratum(
                regime="The caption's inequality holds, and u_3 . W e_1 is larger than both scores in it.",
                discrepancy="The inequality gives f_W(1) != 1, not f_W(1) = 2: that needs u_2 . W e_1 >= u_3 . W e_1 too. "
                "With unit embeddings, u_1.u_2 = 0, e_1.e_2 = e_1.e_3 = 12/13, u_1.u_3 = 3/5 and u_2.u_3 = 4/5 the output "
                "3 is recalled.",
                corrected_by="interference:recalled",
            ),
        ),
        **PRODUCTS,
    ),
)
