"""k-hop: how many layers K associative lookups in a row take."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

MEANINGS = {
    "K": "number of hops",
    "N": "number of elements that f permutes",
    "context": "'pairs': the context lists pairs (x, f(x)); 'tokens': a pair is two neighbours, and takes a layer to join",
}
CONVENTIONS = (
    "One associative lookup a layer, at every position at once. Position x of the table holds some iterate of f at x and the query "
    "holds its own; a lookup composes a position's iterate with one that is stored in the table."
)
TRAINED = (
    "A sequence lists f(0), ..., f(N - 1) for a fresh permutation f and ends with x; one head a layer, residual stream, frozen "
    "random embeddings; trained with Adam on the answer at x."
)
CONTEXT = choice("pairs", "tokens")
K = integer(1)


def binary(*, context: str) -> "sympy.Expr":
    """1 + floor(log2 K), and a layer more to join neighbours."""
    import sympy

    K = sympy.Symbol("K", integer=True, positive=True)
    return 1 + sympy.floor(sympy.log(K, 2)) + int(context == "tokens")


def doubling(*, context: str) -> "sympy.Expr":
    """1 + ceil(log2 K), and a layer more to join neighbours."""
    import sympy

    K = sympy.Symbol("K", integer=True, positive=True)
    return 1 + sympy.ceiling(sympy.log(K, 2)) + int(context == "tokens")


def _bits(K: Any) -> Any:
    # frexp writes K = f 2^e with 1/2 <= f < 1, so e is the number of binary digits of K; logarithms round.
    import numpy as np

    return np.frexp(K)[1].astype(float)


def binary_numeric(*, K: Any, context: str) -> Any:
    """The number of binary digits of K, without a logarithm."""
    return _bits(K) + int(context == "tokens")


def doubling_numeric(*, K: Any, context: str) -> Any:
    """One more than the number of binary digits of K - 1, without a logarithm."""
    return 1 + _bits(K - 1) + int(context == "tokens")


def binary_exact(*, digits: int, K: Any, context: str) -> Any:
    """The number of binary digits of K."""
    return int(K).bit_length() + int(context == "tokens")


def doubling_exact(*, digits: int, K: Any, context: str) -> Any:
    """One more than the number of binary digits of K - 1."""
    return 1 + (int(K) - 1).bit_length() + int(context == "tokens")


LAWS = (
    law(
        "k-hop",
        binary,
        relation="=",
        domain={"K": K, "context": CONTEXT},
        typical={"K": (1, 1024)},
        defaults={"context": "pairs"},
        meanings=MEANINGS,
        quantity="layers",
        title="Fewest layers for K hops by lookups",
        source=Source("asymp", "binary powers"),
        conventions=CONVENTIONS,
        exponents={"K": "0"},
        numeric=binary_numeric,
        exact=binary_exact,
        notes=(
            "While the table doubles (f, f^2, f^4, ...) the query takes the powers that K's binary digits ask for: after L layers "
            "it can have made any number of hops up to 2^L - 1, and no more.",
            "One layer less than plain doubling unless K is a power of 2.",
        ),
    ),
    law(
        "k-hop:doubling",
        doubling,
        relation="<=",
        domain={"K": K, "context": CONTEXT},
        typical={"K": (1, 1024)},
        defaults={"context": "pairs"},
        meanings=MEANINGS,
        quantity="layers",
        title="Layers for K hops by pointer doubling",
        source=Source("asymp", "pointer doubling"),
        conventions=CONVENTIONS + " The query doubles with the table, and only then composes.",
        exponents={"K": "0"},
        numeric=doubling_numeric,
        exact=doubling_exact,
        notes=("Equal to `k-hop` when K is a power of 2, else one too many.",),
    ),
    law(
        "k-hop:learned",
        "0.9",
        relation=">=",
        domain={"K": K, "N": integer(2)},
        typical={"K": (1, 4), "N": (4, 16)},
        meanings=MEANINGS,
        quantity="A_K",
        title="Share of K-hop queries that a trained model of 1 + floor(log2 K) layers answers",
        source=Source("bietti2025", "slide on multi-hop reasoning (Wang et al.)"),
        conventions=TRAINED
        + " With a curriculum the answers asked for are f(x), f^2(x), f^4(x), ..., f^K(x), for equally many "
        "steps each.",
        notes=(
            "An order. The source says that gradient steps with a curriculum learn it, with no number: nine in ten is this "
            "project's.",
        ),
    ),
    law(
        "k-hop:layers",
        "0",
        relation=">=",
        domain={"K": K, "N": integer(2)},
        typical={"K": (2, 4), "N": (4, 16)},
        meanings=MEANINGS,
        quantity="A_enough - A_fewer",
        typeset="A_{enough} - A_{fewer}",
        title="What a trained model of enough layers answers more than one of fewer",
        source=Source("asymp", "binary powers"),
        conventions=TRAINED,
        notes=("An order: L layers make at most 2^L - 1 hops.",),
    ),
    law(
        "k-hop:source",
        "log(K)",
        relation="~",
        domain={"K": K},
        typical={"K": (2, 1024)},
        meanings=MEANINGS,
        quantity="layers",
        title="Layers for K hops, as the source states it",
        source=Source("bietti2025", "slide on multi-hop reasoning (Wang et al.)"),
        conventions="'K-hop reasoning with log K layers'; base and constant are not given.",
        notes=("At K = 1 the logarithm is 0 and one lookup is needed: `k-hop`.",),
    ),
)
