"""Formulas as text, LaTeX and MathML, and what corrected laws say. SymPy takes seconds over some of them: they are kept."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

from asymp.lazy import Lazy
from asymp.montecarlo.running.pools import Pool
from asymp.montecarlo.running.store import Derived
from asymp.reports.claims import claims
from asymp.reports.kinds import Point, Statement
from asymp.reports.kinds.base import law_value
from asymp.reports.page.figure_data import Dense, wanted_values
from asymp.reports.page.plotted import CORRECTED, LAW
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


MARKS = {"hat": "^", "tilde": "~", "prime": "&#8242;"}
"""What the last word of a name stands for: p_hat is p with a hat, q_prime is q'."""


def with_marks(mathml: str) -> str:
    """A formula in MathML with hats, tildes and primes in the place of their names."""

    def mark(found: re.Match[str]) -> str:
        tag = "msup" if found[2] == "prime" else "mover"
        return f"<{tag}>{found[1]}<mo>{MARKS[found[2]]}</mo></{tag}>"

    return re.sub(rf"<msub>(<mi>[^<]+</mi>)<mi>({'|'.join(MARKS)})</mi></msub>", mark, mathml)


def with_marks_latex(latex: str) -> str:
    """The same in LaTeX."""
    text = re.sub(r"(\\?[A-Za-z]+)_\{(hat|tilde)\}", r"\\\2{\1}", latex)
    return re.sub(r"(\\?[A-Za-z]+)_\{prime\}", r"\1'", text)


@lru_cache(maxsize=512)
def formula_text(law: Law) -> Formula:
    """A law's formula as text and in LaTeX; statements share laws, and some take a second to write."""
    return Formula(str(law.expr), with_marks_latex(law.latex()))


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


@dataclass(frozen=True)
class Curves:
    """What laws say where a statement's figure and table need it: `corrected` at the measured points, the rest densely."""

    corrected: list[float] = field(default_factory=list)
    dense: Dense = field(default_factory=dict)


def curves(verdicts: Sequence[Verdict], kept: Derived, pool: Pool) -> dict[tuple[str, str], Callable[[], Curves]]:
    """By claim and statement, what gives the values of its law, and of the corrected law, when it is called."""
    tasks = {}
    for verdict in verdicts:
        for part in claims[verdict.claim].parts:
            points = verdict.parts[part.name].evidence.points
            if points and part.formula is not None:
                came_from = [verdict.claim, part.name, [p.params for p in points]]
                tasks[verdict.claim, part.name] = came_from, _worked_out, _asked(part, points)
    own = {name: task for name, task in tasks.items() if all(_known(law) for law, _, _ in task[2])}
    found: dict[tuple[str, str], Callable[[], Curves]] = {
        name: partial(_read, begun) for name, begun in _begin("curves", own, kept, pool).items()
    }
    for name, (_, _, asked) in tasks.items():
        if name not in own:
            found[name] = partial(_read, partial(_worked_out, asked))
    return found


def curves_now(part: Statement, points: Sequence[Point]) -> Curves:
    """The same for one statement, at once."""
    return _read(partial(_worked_out, _asked(part, points)))


Asked = list[tuple[Law | str, float, dict[str, list[list[dict[str, Any]]]]]]
"""Laws with their constants, and where the values of each are wanted: for the table, and for each series of the figure."""


def _asked(part: Statement, points: Sequence[Point]) -> Asked:
    wanted = wanted_values(part, points)
    found: Asked = []
    for name, one in {LAW: part, CORRECTED: part.with_corrected_law() if part.erratum else None}.items():
        if one is None or one.formula is None or one.formula.of_arrays:  # those have values on the draws only
            continue
        places = {f"{name} densely": [[_given(one, s) for s in series] for series in wanted.settings]} if wanted else {}
        if name == CORRECTED:
            places[name] = [[one.law_values(p.params) for p in points]]
        law = one.formula
        found.append((law.id if _known(law) else law, one.factor, places))
    return found


def _known(law: Law | str) -> bool:
    return isinstance(law, str) or (law.id in laws and laws[law.id] is law)


def _given(part: Statement, setting: Mapping[str, Any]) -> dict[str, Any]:
    """The law's parameters at a setting between those of the grid; nothing where it has none."""
    try:
        return part.law_values(setting)
    except (ValueError, KeyError, IndexError, StopIteration):
        return {}


def _worked_out(asked: Asked) -> dict[str, list[list[float | None]]]:
    found: dict[str, list[list[float | None]]] = {}
    for law, constant, places in asked:
        own = laws[law] if isinstance(law, str) else law
        for name, series in places.items():
            found[name] = [
                [_written(constant * _value(own, values, strict=name == CORRECTED)) for values in one] for one in series
            ]
    return found


def _value(law: Law, values: Mapping[str, Any], *, strict: bool) -> float:
    """A law's value; between the settings of a grid NaN where it has none."""
    try:
        return law_value(law, values) if values or strict else math.nan
    except (ValueError, ZeroDivisionError, OverflowError):
        if strict:
            raise
        return math.nan


def _written(value: float) -> float | None:
    """A number as it can be kept."""
    return value if math.isfinite(value) else None


def _read(begun: Callable[[], Mapping[str, Any]]) -> Curves:
    found = begun()
    dense = {name.removesuffix(" densely"): values for name, values in found.items() if name.endswith(" densely")}
    return Curves(
        [_unwritten(v) for v in found.get(CORRECTED, [[]])[0]],
        {name: [[_unwritten(v) for v in one] for one in values] for name, values in dense.items()},
    )


def _unwritten(value: Any) -> float:
    """A number as it was before it was kept: the store writes what JSON lacks as words."""
    return math.nan if value is None else float(value)


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


def _named(id: str) -> dict[str, Any]:
    return asdict(work_out(laws[id]))


def work_out(law: Law) -> Formula:
    """The formula as text, LaTeX and MathML, for every choice of words, and the symbols in MathML."""
    words = law.words
    choices = [dict(zip(words, chosen, strict=True)) for chosen in product(*words.values())] if words else []
    variants = {spell(chosen): _short(law, **chosen) for chosen in choices}
    return Formula(
        expression=str(law.expr),
        latex=with_marks_latex(law.latex()),
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
        sympy.betainc_regularized: (
            sympy.betainc_regularized(a, n, 0, x),
            "regularised incomplete beta function: the probability of at most x under the beta law with parameters a and n",
        ),
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
    inside = with_marks(typesetting.expression_mathml(expression))
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{inside}</math>'


def _short(law: Law, **words: str) -> str:
    """The formula in MathML, if it is not too long; MathML is longer than the text."""
    if len(str(law.variant(**words))) > LONGEST:
        return ""
    mathml = with_marks(law.mathml(**words))
    return mathml if len(mathml) <= LONGEST else ""
