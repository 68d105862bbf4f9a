"""Values given as name=value on the command line: numbers, fractions, inf, lists, true or false, words. Nothing is executed."""

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

__all__ = ["parse_settings", "plain"]

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
# A file, by its ending: run.npz, texts/mine.txt
FILE = re.compile(r"(?:[\w.~-]*/)*[\w-]*[A-Za-z][\w.-]*\.[A-Za-z]\w*")


def parse_settings(pairs: Iterable[str]) -> dict[str, Any]:
    """A dictionary from name=value pairs. Decimals become exact fractions, so that 1.1 means 1.1 to any digit."""
    settings: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        name = name.strip()
        if not sign or not name or not text.strip():
            raise ValueError(f"a setting must be written name=value, such as alpha=2; got {pair!r}")
        if name in settings:
            raise ValueError(f"{name} is set twice")
        entries = [_value(name, entry.strip()) for entry in text.split(",")]
        settings[name] = entries[0] if len(entries) == 1 else entries
    return settings


def _value(name: str, text: str) -> Any:
    lowered = text.lower()
    if lowered in {"inf", "+inf", "oo", "infinity"}:
        return math.inf
    if lowered == "nan":
        return math.nan
    if lowered in {"none", "true", "false"}:
        return {"none": None, "true": True, "false": False}[lowered]
    if NUMBER.fullmatch(text):
        if len(text) > 1000 or abs(int((re.search(r"[eE]([+-]?\d+)", text) or [0, 0])[1])) > 4000:
            raise ValueError(f"{name} must be a number of reasonable size; got {text[:20]!r}...")
        return _simple(Fraction(text))
    top, slash, bottom = text.partition("/")
    if slash and NUMBER.fullmatch(top) and NUMBER.fullmatch(bottom) and Fraction(bottom) != 0:
        return _simple(Fraction(top) / Fraction(bottom))
    if WORD.fullmatch(text) or FILE.fullmatch(text):
        return text
    raise ValueError(
        f"{name} must be a number, a fraction such as 3/2, inf, a list such as 10,100, a word or a file; got {text!r}"
    )


def _simple(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


def plain(value: Any) -> Any:
    """The value as Python's own number: fractions become floats."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    return float(value) if isinstance(value, Fraction) else value
