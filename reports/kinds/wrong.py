"""Wrong laws for negative controls: the law's own values changed, or its exponent."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import sympy

from asymp.reports.grid import Setting
from asymp.reports.kinds.base import Statement, WrongLaw, law_value
from asymp.reports.kinds.evidence import Measured
from asymp.theory import Law, Param, law, real

OFF = 0.25
"""A constant that is this much off has to be refuted."""


def always(how: str, statement: Statement) -> WrongLaw:
    """A wrong law that does not depend on what was measured."""

    def made(measured: Measured) -> Statement:
        return statement

    return WrongLaw(how, made)


def saying_law(relation: str) -> Law:
    """A law that says its one parameter, `value`."""
    return law("wrong", "value", relation=relation, params={"value": Param(real(), (0, 1))})


def saying(wrong: Callable[[Setting], float]) -> Callable[[Setting], Setting]:
    """How a setting becomes the parameter of `saying_law`."""
    return lambda cell: {"value": wrong(cell)}


class _Changed(Law):
    """A law with other values or another exponent; everything else is as it was."""

    right: Law
    value: Callable[..., float]
    change: Callable[[float], float]

    def __call__(self, **values: object) -> float:
        return self.value(**values)

    def exponent(self, variable: str, **values: object) -> sympy.Expr:
        return sympy.Float(self.change(float(self.right.exponent(variable, **values))))


def with_exponent(right: Law, variable: str, change: Callable[[float], float]) -> Law:
    """The law with an exponent in a variable that is a function of the right one, and values that grow with it."""

    def value(**values: Any) -> float:
        at = {name: given for name, given in values.items() if name != variable and name not in right.words}
        exponent = _exponent(right, variable, tuple(sorted(at.items())))
        return law_value(right, values) * math.pow(values[variable], change(exponent) - exponent)

    return _changed(right, value, change)


@lru_cache(maxsize=1024)
def _exponent(right: Law, variable: str, at: tuple[tuple[str, Any], ...]) -> float:
    return float(right.exponent(variable, **dict(at)))


def without_values(right: Law) -> Law:
    """The law with its exponent, saying 1 everywhere."""
    return _changed(right, lambda **values: 1.0, lambda exponent: exponent)


def _changed(right: Law, value: Callable[..., float], change: Callable[[float], float]) -> Law:
    made = object.__new__(_Changed)
    made.__dict__.update(right.__dict__, right=right, value=value, change=change)
    return made
