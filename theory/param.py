"""A parameter, declared once: its domain, typical range, default and meaning.

Validation, advice, the SymPy symbol, test draws and documentation follow from it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypedDict, Unpack

from asymp.theory.lazy import Bools, Floats, np, sympy

Kind = Literal["real", "integer", "choice"]
Pair = tuple[float | str, float | str]
"""A domain as a user writes it: (low, high), each a number or 'oo', both included."""


@dataclass(frozen=True)
class Domain:
    """An interval of reals or integers, or a set of words. `advice` says what to do instead when a value is outside.

    `kind`: 'real', 'integer' or 'choice'. `low`, `high`: the ends, which belong to the domain unless `open_low` or
    `open_high` is set. `infinite`: whether infinity is allowed too. `choices`: the words of a choice.
    """

    kind: Kind = "real"
    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    infinite: bool = False
    choices: tuple[str, ...] = ()
    advice: str = ""

    def __post_init__(self) -> None:
        try:
            low, high = (_number(end) for end in (self.low, self.high))
        except (TypeError, ValueError, KeyError):
            low, high = math.inf, -math.inf
        if not low <= high:
            raise ValueError(
                f"a domain goes from low to high, numbers with low <= high, 'oo' allowed; got {self.low!r} and {self.high!r}"
            )
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def describe(self) -> str:
        """The domain in words, for messages: 'an integer >= 1 (or inf)'."""
        if self.kind == "choice":
            return "one of " + ", ".join(repr(c) for c in self.choices)
        noun = "an integer" if self.kind == "integer" else "a number"
        low = "" if self.low == -math.inf else f"{'>' if self.open_low else '>='} {self.low:g}"
        high = "" if self.high == math.inf else f"{'<' if self.open_high else '<='} {self.high:g}"
        bounds = " and ".join(b for b in (low, high) if b)
        return " ".join(w for w in (noun, bounds, "(or inf)" if self.infinite else "") if w)

    def check(self, name: str, value: object) -> None:
        """Raise ValueError, naming the argument and the domain, unless every entry of `value` lies in the domain."""
        problem = self._problem(value)
        if problem is not None:
            advice = f"; {self.advice}" if self.advice else ""
            raise ValueError(f"{name} must be {self.describe()}; got {problem}{advice}")

    def _problem(self, value: object) -> str | None:
        if self.kind == "choice":
            return None if value in self.choices else repr(value)
        if isinstance(value, bool | str) or value is None:
            return repr(value)
        try:
            entries = np.asarray(value, dtype=float)
        except OverflowError:
            return "a number beyond 1.8e308, the largest of float64"
        except (TypeError, ValueError):
            return repr(value)
        if entries.size == 0:
            return "an empty array"
        outside = ~self._inside(entries)
        if not outside.any():
            return None
        return f"{entries[outside].flat[0]:g}"

    def _inside(self, x: Floats) -> Bools:
        above = x > self.low if self.open_low else x >= self.low
        below = x < self.high if self.open_high else x <= self.high
        good: Bools = above & below & (np.isfinite(x) | ((x == np.inf) & self.infinite))
        if self.kind == "integer":
            with np.errstate(invalid="ignore"):
                good &= np.isinf(x) | (x == np.floor(x))
        return good

    def symbol(self, name: str) -> "sympy.Symbol":
        """The SymPy symbol of a parameter with this domain; its assumptions follow from the domain."""
        if self.kind == "choice":
            return sympy.Symbol(name)
        # A size that may be infinite stays a plain positive symbol: SymPy's integers and reals are finite.
        if self.infinite:
            return sympy.Symbol(name, positive=True)
        positive = True if self.low > 0 or (self.low == 0 and self.open_low) else None
        nonnegative = True if self.low >= 0 else None
        kind = {"integer": True} if self.kind == "integer" else {"real": True}
        signs = {k: v for k, v in (("positive", positive), ("nonnegative", nonnegative)) if v}
        return sympy.Symbol(name, **kind, **signs)


def real(
    low: float = -math.inf,
    high: float = math.inf,
    *,
    above: float | None = None,
    infinite: bool = False,
    advice: str = "",
) -> Domain:
    """Reals in [low, high]; `above` makes the lower end open: real(above=1) is (1, inf); `infinite` lets math.inf in.

    `advice`: what to do instead, added to the error for a value outside.
    """
    if above is not None:
        return Domain(low=above, high=high, open_low=True, infinite=infinite, advice=advice)
    return Domain(low=low, high=high, infinite=infinite, advice=advice)


def integer(low: float = -math.inf, high: float = math.inf, *, infinite: bool = False, advice: str = "") -> Domain:
    """Integers from low to high; with `infinite`, math.inf too.

    `advice`: what to do instead, added to the error for a value outside.
    """
    return Domain(kind="integer", low=low, high=high, infinite=infinite, advice=advice)


def choice(*words: str, advice: str = "") -> Domain:
    """One of a few words.

    `advice`: what to do instead, added to the error for any other word.
    """
    return Domain(kind="choice", choices=words, advice=advice)


class Changes(TypedDict, total=False):
    """What `Param.but` may change."""

    domain: Domain
    typical: tuple[float, float] | None
    default: float | str | None
    meaning: str
    name: str
    indices: str


@dataclass(frozen=True)
class Param:
    """A parameter of a law.

    Args:
        domain: the values that it may have; a value outside is an error.
        typical: (low, high), where it is studied: grids and test draws are taken from there.
        default: its value where none is given; None if it must be given.
        meaning: what it is, in words.
        name: its letter, for parameters that are given without one (a tuple of them).
        indices: the letters of its indices, for a vector or a matrix: "zk" for t_zk. Its domain is that of an entry.
    """

    domain: Domain
    typical: tuple[float, float] | None = None
    default: float | str | None = None
    meaning: str = ""
    name: str = ""
    indices: str = ""

    def but(self, **changes: Unpack[Changes]) -> "Param":
        """This parameter with some of its fields changed: ALPHA.but(typical=(1.2, 4))."""
        return replace(self, **changes)

    def over(self, low: float, high: float) -> "Param":
        """This parameter, studied from low to high."""
        return replace(self, typical=(low, high))

    def validate(self, name: str) -> None:
        """Raise ValueError if the typical range is empty or leaves the domain."""
        if self.typical is None:
            return
        if not isinstance(self.typical, tuple | list) or len(self.typical) != 2:
            raise ValueError(f"the typical range of {name} must be (low, high); got {self.typical!r}")
        for end in self.typical:
            self.domain.check(f"the typical range of {name}", end)
        if not self.typical[0] <= self.typical[1]:
            raise ValueError(f"the typical range of {name} must be (low, high) with low <= high; got {self.typical!r}")


def as_param(name: str, given: Param | Domain | Pair) -> Param:
    """A parameter from what a user writes: a Param, a Domain, or a pair (low, high) of numbers, 'oo' allowed."""
    if isinstance(given, Param):
        made = given
    elif isinstance(given, Domain):
        made = Param(given)
    else:
        made = Param(_interval(name, given))
    made.validate(name)
    return made


def _interval(name: str, pair: object) -> Domain:
    problem = f"the domain of {name} must be a pair (low, high) of numbers, 'oo' allowed; got {pair!r}"
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise ValueError(problem)
    try:
        low, high = (_number(end) for end in pair)
    except (TypeError, ValueError, KeyError):
        raise ValueError(problem) from None
    if not low < high:
        raise ValueError(f"the domain of {name} must have low < high; got {pair!r}")
    return Domain(low=low, high=high)


def _number(end: float | str) -> float:
    if isinstance(end, str):
        return {"oo": math.inf, "inf": math.inf, "-oo": -math.inf, "-inf": -math.inf}[end] if "o" in end else float(end)
    if math.isnan(end):
        raise ValueError("NaN")
    return end
