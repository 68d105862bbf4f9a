"""What formulas are composed of: the modules of theory that need SymPy when imported, loaded at first use."""

from typing import TYPE_CHECKING

from asymp.theory.lazy import Lazy

__all__ = ["formulas", "item_errors", "scores", "sgd", "symbols", "two_input", "wick"]

if TYPE_CHECKING:
    from asymp.theory.functions import formulas
    from asymp.theory.functions.moments import scores, two_input, wick
    from asymp.theory.functions.recall import item_errors, symbols
    from asymp.theory.functions.sgd import symbolic as sgd
else:
    formulas = Lazy("asymp.theory.functions.formulas")
    item_errors = Lazy("asymp.theory.functions.recall.item_errors")
    symbols = Lazy("asymp.theory.functions.recall.symbols")
    scores = Lazy("asymp.theory.functions.moments.scores")
    two_input = Lazy("asymp.theory.functions.moments.two_input")
    wick = Lazy("asymp.theory.functions.moments.wick")
    sgd = Lazy("asymp.theory.functions.sgd.symbolic")
