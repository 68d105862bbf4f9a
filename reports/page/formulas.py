"""Formulas as text, LaTeX and MathML, and what corrected laws say. SymPy takes seconds over some of them: they are kept."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

from asymp.lazy import Lazy
from asymp.montecarlo.running.pools import Pool
from asymp.montecarlo.running.store import Derived
from asymp.reports.claims import claims
from asymp.reports.kinds.base import law_value
from asymp.reports.verdict import Verdict
from asymp.theory import Law, laws
from asymp.theory.evaluation import spell
from asymp.theory.lazy import sympy

if TYPE_CHECKING:
    from asymp.theory import typesetting
else:
    typesetting = Lazy("asymp.theory.typesetting")

# A longer formula fills screens and says nothing: the page then says how to get it.
LONGEST = 40_000
# The source that what is kept here depends on.
CODE = ("theory", "reports")
T = TypeVar("T")


@dataclass(frozen=True)
class Formula:
    """A formula in several notations; what a page needs beyond text and LaTeX is empty where no page is made.

    `mathml`: empty if it is too long to be read. `variants`: the MathML of every choice of words, such as the laws of the
    embeddings. `functions`: what the special functions are, each with its MathML. `letters`: the MathML of the parameters.
    """

    expression: str = ""
    latex: str = ""
    mathml: str = ""
    variants: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)


def too_long(id: str) -> str:
    """What is said in the place of a formula that would fill screens."""
    return f'The formula is too long to be shown; laws["{id}"].expr has it.'


@lru_cache(maxsize=512)
def formula_text(law: Law) -> Formula:
    """A law's formula as text and in LaTeX; statements share laws, and some take a second to write."""
    return Formula(str(law.expr), law.latex())


def formulas(kept: Derived, pool: Pool, wanted: Iterable[Law] = ()) -> Callable[[Law], Formula]:
    """A function that gives a law's formula in all notations; those `wanted` that are not kept are begun at once."""
    own = {law.id: law for law in wanted if law.id in laws and laws[law.id] is law}
    begun = _begin("formulas", {id: (id, _named, id) for id in own}, kept, pool)
    known: dict[str, Formula] = {}

    def of(law: Law) -> Formula:
        if own.get(law.id) is not law:
            return work_out(law)
        if law.id not in known:
            known[law.id] = Formula(**begun[law.id]())
        return known[law.id]

    return of


def corrections(
    verdicts: Sequence[Verdict], kept: Derived, pool: Pool
) -> dict[tuple[str, str], Callable[[], list[float]]]:
    """By claim and statement of each erratum, what gives the corrected law's values at the measured points when called."""
    tasks = {}
    for verdict in verdicts:
        for part in claims[verdict.claim].parts:
            points = verdict.parts[part.name].evidence.points
            if part.erratum and points:
                better = part.with_corrected_law()
                assert better.formula is not None
                if better.formula.of_arrays:  # it has values on the draws only
                    continue
                came_from = [verdict.claim, part.name, [p.params for p in points]]
                task = better.formula.id, better.factor, [better.law_values(p.params) for p in points]
                tasks[verdict.claim, part.name] = came_from, _values, task
    return _begin("corrections", tasks, kept, pool)


def _begin(
    kind: str, tasks: Mapping[Any, tuple[object, Callable[[Any], T], Any]], kept: Derived, pool: Pool
) -> dict[Any, Callable[[], T]]:
    """What gives each result when it is called; a task is what the result is kept by, a function and its argument."""
    missing = [name for name, (came_from, *_) in tasks.items() if not kept.has(kind, came_from, code=CODE)]
    begun = {name: pool.submit(tasks[name][1], tasks[name][2]) for name in missing}
    return {
        name: partial(
            kept.data, kind, came_from, begun[name].result if name in begun else partial(work, given), code=CODE
        )
        for name, (came_from, work, given) in tasks.items()
    }


def _values(task: tuple[str, float, Sequence[Mapping[str, Any]]]) -> list[float]:
    """A law's values at some points, times a constant."""
    id, constant, points = task
    return [constant * law_value(laws[id], values) for values in points]


def _named(id: str) -> dict[str, Any]:
    return asdict(work_out(laws[id]))


def work_out(law: Law) -> Formula:
    """The formula as text, LaTeX and MathML, for every choice of words, and the symbols in MathML."""
    words = law.words
    choices = [dict(zip(words, chosen, strict=True)) for chosen in product(*words.values())] if words else []
    variants = {spell(chosen): _short(law, **chosen) for chosen in choices}
    return Formula(
        expression=str(law.expr),
        latex=law.latex(),
        mathml=_short(law),
        variants={chosen: mathml for chosen, mathml in variants.items() if mathml},
        functions={w: _inline(example) for f, (example, w) in _functions().items() if law.expr.has(f)},
        letters={name: _inline(sympy.Symbol(name)) for name in law.domain},
    )


def _functions() -> dict[Any, tuple[Any, str]]:
    """The special functions of formulas, each as it is written there and in words."""
    a, n, x = sympy.symbols("a n x")
    return {
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


def _inline(expression: Any) -> str:
    inside = typesetting.expression_mathml(expression)
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{inside}</math>'


def _short(law: Law, **words: str) -> str:
    """The formula in MathML, if it is not too long; MathML is longer than the text."""
    if len(str(law.variant(**words))) > LONGEST:
        return ""
    mathml = law.mathml(**words)
    return mathml if len(mathml) <= LONGEST else ""
