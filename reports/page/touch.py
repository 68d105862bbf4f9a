"""Laws that a reader can touch: a formula as JavaScript, and what a page needs to redraw it over the measured points.

The script computes the functions of `laws.js`; a formula with any other is not translated, and its page has no sliders. A
browser test compares every translated law with the law itself.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from asymp.reports.kinds import Statement
from asymp.reports.kinds.evidence import Point
from asymp.reports.page.figure_data import axis_label
from asymp.reports.page.render import letters
from asymp.theory import Law
from asymp.theory.lazy import sympy
from asymp.theory.param import Domain
from asymp.theory.quantities import words_of

FUNCTIONS = {
    "exp": "Math.exp", "log": "Math.log", "floor": "Math.floor", "ceiling": "Math.ceil", "Abs": "Math.abs", "Min": "Math.min",
    "Max": "Math.max", "gamma": "gamma", "zeta": "zeta", "uppergamma": "upperGamma", "Ei": "Ei", "erfc": "erfc", "erf": "erf",
    "ZipfTail": "zipfTail", "UnseenMass": "unseenMass", "GaussianError": "gaussianError", "SGDIterate": "sgdIterate",
    "FlowRoot": "flowRoot",
}  # fmt: skip
"""The functions of formulas that the script has, by the names that it has for them."""
CONSTANTS = {"pi": "Math.PI", "E": "Math.E", "oo": "Infinity", "EulerGamma": "0.5772156649015329"}
COMPARISONS = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "===", "!=": "!=="}
STEPS = 30
"""A parameter with a range of more than this factor has a logarithmic slider."""
LONGEST = 4000


def javascript(expr: Any) -> str | None:
    """A formula as an expression of JavaScript, whose parameters are fields of `p`; None if it has what the script lacks."""
    try:
        return _script(expr)
    except KeyError:
        return None


def _script(e: Any) -> str:
    """The expression; KeyError for what has no counterpart."""
    if e.is_Symbol:
        return f"p.{e.name}"
    if e.is_Rational:
        return f"({e.p}/{e.q})" if e.q != 1 else f"({e.p})"
    if e.is_Float:
        return repr(float(e))
    if str(e) in CONSTANTS:
        return CONSTANTS[str(e)]
    if e.is_Add or e.is_Mul:
        return f"({(' + ' if e.is_Add else ' * ').join(map(_script, e.args))})"
    if e.is_Pow:
        return f"Math.pow({_script(e.base)}, {_script(e.exp)})"
    if isinstance(e, sympy.Piecewise):
        *cases, (last, otherwise) = e.args
        if otherwise != sympy.true:
            raise KeyError("a case for everything else")
        return "(" + "".join(f"{_script(c)} ? {_script(value)} : " for value, c in cases) + f"{_script(last)})"
    if e.is_Relational:
        return f"({_script(e.lhs)} {COMPARISONS[e.rel_op]} {_script(e.rhs)})"
    return f"{FUNCTIONS[type(e).__name__]}({', '.join(map(_script, e.args))})"


LOWERED = str.maketrans("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")


@dataclass(frozen=True)
class Slider:
    """A parameter that a reader may move; `infinite`: whether the end of the slider stands for infinity.

    `moves`: whether the law depends on it; the others only tell settings apart.
    """

    name: str
    label: str
    low: float
    high: float
    whole: bool
    log: bool
    infinite: bool
    moves: bool = True


@dataclass(frozen=True)
class Touch:
    """A law as the page needs it: its formula in JavaScript, the axis, the sliders, and the points that were measured.

    `points`: each with the law's parameters `at`, the measured mean and its interval. `open`: the law is known up to a
    factor, which the page takes from the points.
    """

    law: str
    quantity: str
    axis: Slider
    sliders: tuple[Slider, ...]
    points: tuple[Mapping[str, Any], ...]
    factor: float
    open: bool
    script: str

    @property
    def code(self) -> str:
        """The line of the page's script that has the formula."""
        name = json.dumps(self.law).replace("<", "\\u003c")  # no mark-up inside a script
        return f"LAWS[{name}] = p => {self.script};"


def touch_of(part: Statement, points: Sequence[Point], claim: str = "") -> Touch | None:
    """What a page needs to let a reader touch a statement's law; None where it cannot be translated."""
    law = part.formula
    if law is None or law.of_arrays or not points or law.relation not in ("=", "~"):
        return None
    found = [{**law.defaults, **part.law_values(point.params)} for point in points]
    words = {name: found[0][name] for name in law.words}
    found, points = zip(
        *((at, p) for at, p in zip(found, points, strict=True) if all(at[n] == w for n, w in words.items())),
        strict=True,
    )
    numbers = [name for name in law.domain if name not in words]
    varying = {n: len({at[n] for at in found if _finite(at.get(n))}) for n in numbers if all(n in at for at in found)}
    if len(varying) < len(numbers) or not varying:
        return None
    wanted = part.variable_name or part.x_axis
    axis = wanted if wanted in varying and varying[wanted] > 1 else max(varying, key=lambda name: varying[name])
    script = javascript(law.variant(**words) if words else law.expr)
    if script is None or len(script) > LONGEST:
        return None
    sliders = {name: _slider(law, name, [at[name] for at in found]) for name in numbers}
    sliders = {name: replace(s, moves=bool(re.search(rf"\bp\.{name}\b", script))) for name, s in sliders.items()}
    return Touch(
        law=law.id,
        quantity=words_of(law.quantity, claim) or letters(law.quantity),
        axis=replace(sliders.pop(axis), label=axis_label(part, axis, claim)),
        sliders=tuple(sliders.values()),
        points=tuple(
            {"at": {n: at[n] for n in numbers}, "mean": p.mean, "low": p.low, "high": p.high}
            for at, p in zip(found, points, strict=True)
            if _finite(at[axis])
        ),
        factor=part.factor,
        open=part.look().open_constant,
        script=script,
    )


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _label(name: str) -> str:
    """A parameter's name in plain text, its index lowered where there are letters for that: e₁₂."""
    letter, _, index = letters(name).partition("_")
    lowered = index.translate(LOWERED)
    return letter + lowered if set(lowered).isdisjoint(index) else letters(name)


def _slider(law: Law, name: str, values: Sequence[float]) -> Slider:
    """The slider of a parameter: over its typical range and what was measured, inside its domain."""
    domain: Domain = law.domain[name]
    ends = [*map(float, law.typical.get(name, ())), *(float(v) for v in values if _finite(v))]
    low, high = min(ends, default=1.0), max(ends, default=1.0)
    if low == high:
        low, high = (low / 2, 2 * high) if low > 0 else (low - 1, high + 1)
    step = 1e-3 if domain.kind == "real" else 1.0
    low = max(low, domain.low + (step if domain.open_low else 0))
    high = min(high, domain.high - (step if domain.open_high else 0))
    infinite = domain.infinite and not all(map(_finite, values))
    return Slider(name, _label(name), low, high, domain.kind == "integer", low > 0 and high > STEPS * low, infinite)
