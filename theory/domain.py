"""The domain of a parameter: declared once; validation, advice, symbols and test draws follow from it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import sympy

__all__ = ["Domain", "as_domain", "choice", "integer", "real"]

Kind = Literal["real", "integer", "choice"]


@dataclass(frozen=True)
class Domain:
    """An interval of reals or integers, or a set of words. `advice` says what to do instead when a value is outside."""

    kind: Kind = "real"
    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    infinite: bool = False
    choices: tuple[str, ...] = ()
    advice: str = ""

    def describe(self) -> str:
        """The domain in words, for messages: 'an integer >= 1 (or inf)'."""
        if self.kind == "choice":
            return "one of " + ", ".join(repr(c) for c in self.choices)
        noun = "an integer" if self.kind == "integer" else "a number"
        low = "" if self.low == -math.inf else f"{'>' if self.open_low else '>='} {self.low:g}"
        high = "" if self.high == math.inf else f"{'<' if self.open_high else '<='} {self.high:g}"
        bounds = " and ".join(b for b in (low, high) if b)
        return " ".join(w for w in (noun, bounds, "(or inf)" if self.infinite else "") if w)

    def check(self, name: str, value: Any) -> None:
        """Raise ValueError, naming the argument and the domain, unless every entry of `value` lies in the domain."""
        problem = self._problem(value)
        if problem is not None:
            advice = f"; {self.advice}" if self.advice else ""
            raise ValueError(f"{name} must be {self.describe()}; got {problem}{advice}")

    def _problem(self, value: Any) -> str | None:
        if self.kind == "choice":
            return None if value in self.choices else repr(value)
        if isinstance(value, bool | str) or value is None:
            return repr(value)
        import numpy as np

        try:
            entries = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            return repr(value)
        if entries.size == 0:
            return "an empty array"
        outside = ~self._inside(entries)
        if not outside.any():
            return None
        return f"{entries[outside].flat[0]:g}"

    def _inside(self, x: Any) -> Any:
        import numpy as np

        above = x > self.low if self.open_low else x >= self.low
        below = x < self.high if self.open_high else x <= self.high
        good = above & below & (np.isfinite(x) | ((x == np.inf) & self.infinite))
        if self.kind == "integer":
            with np.errstate(invalid="ignore"):
                good &= np.isinf(x) | (x == np.floor(x))
        return good

    def symbol(self, name: str) -> "sympy.Symbol":
        """The SymPy symbol of a parameter with this domain; its assumptions follow from the domain."""
        import sympy

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
    """Reals in [low, high]; `above` makes the lower end open: real(above=1) is (1, inf); `infinite` lets math.inf in."""
    if above is not None:
        return Domain(low=above, high=high, open_low=True, infinite=infinite, advice=advice)
    return Domain(low=low, high=high, infinite=infinite, advice=advice)


def integer(low: float = -math.inf, high: float = math.inf, *, infinite: bool = False, advice: str = "") -> Domain:
    """Integers from low to high; with `infinite`, math.inf too."""
    return Domain(kind="integer", low=low, high=high, infinite=infinite, advice=advice)


def choice(*words: str, advice: str = "") -> Domain:
    """One of a few words."""
    return Domain(kind="choice", choices=words, advice=advice)


def as_domain(name: str, spec: Domain | Sequence[Any]) -> Domain:
    """A domain from what a user writes: a Domain, or a pair (low, high) of numbers, 'oo' allowed; ends included."""
    if isinstance(spec, Domain):
        return spec
    problem = f"the domain of {name} must be a pair (low, high) of numbers, 'oo' allowed; got {spec!r}"
    if isinstance(spec, str) or not isinstance(spec, Sequence) or len(spec) != 2:
        raise ValueError(problem)
    try:
        low, high = (_number(end) for end in spec)
    except (TypeError, ValueError):
        raise ValueError(problem) from None
    if not low < high:
        raise ValueError(f"the domain of {name} must have low < high; got {spec!r}")
    return Domain(low=low, high=high)


def _number(end: Any) -> float:
    if isinstance(end, str):
        return {"oo": math.inf, "inf": math.inf, "-oo": -math.inf, "-inf": -math.inf}[end] if "o" in end else float(end)
    number = float(end)
    if math.isnan(number):
        raise ValueError("NaN")
    return number
