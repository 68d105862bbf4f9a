"""Formulas as text, LaTeX and MathML. SymPy takes seconds over some of them: they are kept."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from typing import Any

from asymp.reports.pages.hands import Hands
from asymp.reports.running.kept import Kept
from asymp.theory import Law, laws
from asymp.theory.evaluation import spell

__all__ = ["formulas", "work_out"]

# A longer formula fills screens and says nothing: the page then says how to get it.
LONGEST = 40_000
# The source that a formula's text depends on.
CODE = ("theory", "reports")


def formulas(kept: Kept, hands: Hands, wanted: Iterable[Law] = ()) -> Callable[[Law], dict[str, Any]]:
    """A function that gives everything that is written of a law's formula, found again where it is kept.

    Those that are `wanted` and not kept are begun at once.
    """
    missing = [id for id in dict.fromkeys(law.id for law in wanted if _known(law)) if not _kept(kept, id)]
    begun = dict(zip(missing, hands.begin([(_work_out_named, id) for id in missing]), strict=True))
    told: dict[str, dict[str, Any]] = {}

    def of(law: Law) -> dict[str, Any]:
        if not _known(law):
            return work_out(law)
        if law.id not in told:
            told[law.id] = kept.data("formulas", law.id, begun.get(law.id, partial(work_out, law)), code=CODE)
        return told[law.id]

    return of


def _known(law: Law) -> bool:
    return law.id in laws and laws[law.id] is law


def _kept(kept: Kept, id: str) -> bool:
    return kept.has("formulas", id, code=CODE)


def _work_out_named(id: str) -> dict[str, Any]:
    return work_out(laws[id])


def work_out(law: Law) -> dict[str, Any]:
    """The formula as text, LaTeX and MathML, for every choice of words, and the symbols in MathML."""
    import sympy

    from asymp.theory.typeset import expression_mathml

    return {
        "expression": str(law.expr),
        "latex": law.latex(),
        "mathml": _short(law),
        "variants": [v for v in _variants(law) if v["mathml"]],
        "functions": _functions(law),
        "letters": {name: _inline(expression_mathml(sympy.Symbol(name))) for name in law.domain},
    }


def _functions(law: Law) -> list[dict[str, str]]:
    """The special functions of a formula, each as it is written there and in words."""
    import sympy

    from asymp.theory.typeset import expression_mathml

    a, n, x = sympy.symbols("a n x")
    known = {
        sympy.harmonic: (sympy.harmonic(n, a), "generalised harmonic number, the sum of x^-a over x = 1, ..., n"),
        sympy.zeta: (
            sympy.zeta(a, x),
            "zeta function, the sum of (x + k)^-a over k = 0, 1, ...; without x it starts at 1",
        ),
        sympy.LambertW: (sympy.LambertW(x), "Lambert's function: W e^W = x"),
        sympy.uppergamma: (sympy.uppergamma(a, x), "upper incomplete gamma function"),
        sympy.loggamma: (sympy.loggamma(x), "logarithm of the gamma function"),
        sympy.RisingFactorial: (sympy.RisingFactorial(x, n), "Pochhammer's symbol, x (x + 1) ... (x + n - 1)"),
        sympy.erfc: (
            sympy.erfc(x),
            "complementary error function, 2 Phi(-x sqrt 2) with the normal distribution function Phi",
        ),
        sympy.erfinv: (sympy.erfinv(x), "inverse of the error function"),
        sympy.Ei: (sympy.Ei(x), "exponential integral"),
        sympy.hyper: (sympy.hyper((a,), (n,), x), "hypergeometric function"),
        sympy.floor: (sympy.floor(x), "the largest whole number up to x"),
    }
    return [
        {"mathml": _inline(expression_mathml(example)), "words": words}
        for function, (example, words) in known.items()
        if law.expr.has(function)
    ]


def _inline(inside: str) -> str:
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{inside}</math>'


def _short(law: Law, **words: str) -> str:
    """The formula in MathML, if it is not too long; MathML is longer than the text."""
    if len(str(law.variant(**words))) > LONGEST:
        return ""
    mathml = law.mathml(**words)
    return mathml if len(mathml) <= LONGEST else ""


def _variants(law: Law) -> list[dict[str, str]]:
    """The formula for every choice of words, such as the laws of the embeddings."""
    words = law.words
    if not words:
        return []
    choices = [dict(zip(words, chosen, strict=True)) for chosen in product(*words.values())]
    return [{"words": spell(chosen), "mathml": _short(law, **chosen)} for chosen in choices]
