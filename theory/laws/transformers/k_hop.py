"""k-hop: how many layers K associative lookups in a row take."""

from asymp.theory.law import law
from asymp.theory.laws.pieces import formulas
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice, integer
from asymp.theory.sources import Source

K = Param(integer(1), (1, 1024), meaning="number of hops", name="K")
CONTEXT = Param(
    choice("pairs", "tokens"),
    default="pairs",
    meaning="'pairs': the context lists pairs (x, f(x)); 'tokens': a pair is two neighbours, and takes a layer to join",
    name="context",
)

CONVENTIONS = (
    "One associative lookup a layer, at every position at once. Position x of the table holds some iterate of f at x and the query "
    "holds its own; a lookup composes a position's iterate with one that is stored in the table."
)


def binary(*, context: str) -> Expr:
    """1 + floor(log2 K), and a layer more to join neighbours."""
    K = sympy.Symbol("K", integer=True, positive=True)
    return 1 + formulas.FloorLog(K) + int(context == "tokens")


def doubling(*, context: str) -> Expr:
    """1 + ceil(log2 K), and a layer more to join neighbours."""
    K = sympy.Symbol("K", integer=True, positive=True)
    return 1 + formulas.CeilingLog(K) + int(context == "tokens")


LAWS = (
    law(
        "k-hop",
        binary,
        relation="=",
        params=(K, CONTEXT),
        quantity="layers",
        title="Fewest layers for K hops by lookups",
        source=Source("asymp", "binary powers"),
        conventions=CONVENTIONS,
    ),
    law(
        "k-hop:doubling",
        doubling,
        relation="<=",
        params=(K, CONTEXT),
        quantity="layers",
        title="Layers for K hops by pointer doubling",
        source=Source("asymp", "pointer doubling"),
        conventions=CONVENTIONS + " The query doubles with the table, and only then composes.",
    ),
    law(
        "k-hop:source",
        "log(K)",
        relation="~",
        params=(K.over(2, 1024),),
        quantity="layers",
        title="Layers for K hops, as the source states it",
        source=Source("bietti2025", "slide on multi-hop reasoning (Wang et al.)"),
        conventions="'K-hop reasoning with log K layers'; base and constant are not given.",
    ),
)
