"""Forms that a table of measurements may follow, as functions with exact derivatives.

A form of one size x or of two sizes N and D says the loss f(x; p) and its derivatives in the parameters p. Parameters that
must be positive are searched for by their logarithms; those in which f is linear are projected out of the search's start.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import nan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["FORMS", "JOINT", "SINGLE", "Array", "Form", "forms_for"]

Array: TypeAlias = NDArray[np.float64]
Value: TypeAlias = Callable[[Array, Array], tuple[Array, Array]]
Starts: TypeAlias = Callable[[Array, Array], Iterable[Sequence[float]]]

SLOWEST, FASTEST = 1e-3, 8.0
"""The exponents that are searched for."""


@dataclass(frozen=True, eq=False)
class Form:
    """A formula with parameters.

    `name`: in one word. `formula`: the text, in `variables` and `parameters`. `value`: from the parameters and the sizes, an
    array of a row a point, to f and its derivatives. `positive`: parameters above 0. `linear`: those in which f is linear.
    `low`, `high`: the box of each parameter. `starts`: where the search may begin, from sizes and losses: values of the
    parameters, NaN for those that are projected out. `exponents`: the rate in each variable, a parameter or a sum of some.
    """

    name: str
    formula: str
    variables: tuple[str, ...]
    parameters: tuple[str, ...]
    value: Value
    positive: frozenset[str]
    linear: frozenset[str]
    low: Mapping[str, float]
    high: Mapping[str, float]
    starts: Starts
    exponents: Mapping[str, str]
    words: str = ""

    def called(self, variables: tuple[str, ...]) -> "Form":
        """The same form with the columns' names in place of x, or of N and D."""
        return replace(self, variables=variables)


def power(p: Array, x: Array) -> tuple[Array, Array]:
    """A x^-b."""
    t = np.log(x[:, 0])
    shape = np.exp(-p[1] * t)
    f = p[0] * shape
    return f, np.stack([shape, -f * t], axis=1)


def floor(p: Array, x: Array) -> tuple[Array, Array]:
    """E + A x^-b."""
    t = np.log(x[:, 0])
    shape = np.exp(-p[2] * t)
    f = p[1] * shape
    return p[0] + f, np.stack([np.ones_like(t), shape, -f * t], axis=1)


def corrected(p: Array, x: Array) -> tuple[Array, Array]:
    """A x^-b + C x^-(b + w)."""
    t = np.log(x[:, 0])
    first, second = np.exp(-p[1] * t), np.exp(-(p[1] + p[3]) * t)
    tail = p[2] * second
    f = p[0] * first + tail
    return f, np.stack([first, -f * t, second, -tail * t], axis=1)


def log(p: Array, x: Array) -> tuple[Array, Array]:
    """A x^-b (log x)^q."""
    t = np.log(x[:, 0])
    shape = np.exp(-p[1] * t + p[2] * np.log(t))
    f = p[0] * shape
    return f, np.stack([shape, -f * t, f * np.log(t)], axis=1)


def shifted(p: Array, x: Array) -> tuple[Array, Array]:
    """A (1/x + g)^b."""
    base = 1 / x[:, 0] + p[2]
    shape = base ** p[1]
    f = p[0] * shape
    return f, np.stack([shape, f * np.log(base), f * p[1] / base], axis=1)


def bounded(p: Array, x: Array) -> tuple[Array, Array]:
    """The y between E and the chance level with (y - E) / (chance - y)^a = A x^-b."""
    low, top, a, scale, b = p
    t = np.log(x[:, 0])
    target = np.log(scale) - b * t
    # In v = log((y - E)/(chance - y)), which is unbounded, the equation is monotone and nearly straight.
    width = top - low
    v = target + (a - 1) * np.log(width)
    for _ in range(40):
        big = np.logaddexp(0.0, v)
        miss = v - big + np.log(width) - a * (np.log(width) - big) - target
        slope = 1 + (a - 1) / (1 + np.exp(-v))
        move = miss / slope
        v = v - np.clip(move, -4, 4)
        if np.abs(move).max() < 1e-12:
            break
    share = 1 / (1 + np.exp(-v))
    y = low + width * share
    over, under = np.maximum(y - low, 1e-300), np.maximum(top - y, 1e-300)
    turn = 1 / over + a / under
    rows = [1 / over, a / under, np.log(under), np.full_like(t, 1 / scale), -t]
    return y, np.stack(rows, axis=1) / turn[:, None]


def broken(p: Array, x: Array) -> tuple[Array, Array]:
    """A x^-b (1 + (x/d)^(1/s))^(-c s)."""
    t = np.log(x[:, 0])
    u = (t - np.log(p[2])) / p[4]
    soft, share = np.logaddexp(0.0, u), 1 / (1 + np.exp(-u))
    shape = np.exp(-p[1] * t - p[3] * p[4] * soft)
    f = p[0] * shape
    rows = [shape, -f * t, f * p[3] * share / p[2], -f * p[4] * soft, -f * p[3] * (soft - u * share)]
    return f, np.stack(rows, axis=1)


def additive(p: Array, x: Array) -> tuple[Array, Array]:
    """E + A N^-alpha + B D^-beta."""
    n, d = np.log(x[:, 0]), np.log(x[:, 1])
    of_n, of_d = np.exp(-p[2] * n), np.exp(-p[4] * d)
    rows = [np.ones_like(n), of_n, -p[1] * of_n * n, of_d, -p[3] * of_d * d]
    return p[0] + p[1] * of_n + p[3] * of_d, np.stack(rows, axis=1)


def coupled(p: Array, x: Array) -> tuple[Array, Array]:
    """E + ((A N^-alpha)^(1/g) + (B D^-beta)^(1/g))^g, which has the exponents alpha and beta where one term rules."""
    n, d, g = np.log(x[:, 0]), np.log(x[:, 1]), p[5]
    of_n, of_d = np.log(p[1]) - p[2] * n, np.log(p[3]) - p[4] * d
    joint = np.logaddexp(of_n / g, of_d / g)
    both = np.exp(g * joint)
    share = np.exp(of_n / g - joint)
    mean = (share * of_n + (1 - share) * of_d) / g
    rows = [
        np.ones_like(n), both * share / p[1], -both * share * n, both * (1 - share) / p[3], -both * (1 - share) * d,
        both * (joint - mean),
    ]  # fmt: skip
    return p[0] + both, np.stack(rows, axis=1)


TINY, HUGE = 1e-300, 1e300
RATES = (0.03, 0.12, 0.35, 0.9)


def _grid(*values: Sequence[float]) -> Starts:
    """The same starts whatever the data."""
    return lambda x, y: product(*values)


def _corrected_starts(x: Array, y: Array) -> Iterable[Sequence[float]]:
    t, logs = np.log(x[:, 0]), np.log(y)
    late = t >= np.median(t)
    seen = [-float(np.polyfit(t[part], logs[part], 1)[0]) for part in (late, late | True) if np.ptp(t[part]) > 0]
    return product((nan,), (0.0, *RATES, *seen), (nan,), (0.3, 1.0))


def _shifted_starts(x: Array, y: Array) -> Iterable[Sequence[float]]:
    return product((nan,), RATES, np.array([0.03, 0.3, 3.0]) / x.max())


def _bounded_starts(x: Array, y: Array) -> Iterable[Sequence[float]]:
    first, last = x[:, 0].argmin(), x[:, 0].argmax()
    for share, over, a in product((0.05, 0.5, 0.9), (1.02, 1.5), (0.7, 2.0)):
        low, top = share * y.min(), over * y.max()
        ends = [np.log(y[i] - low) - a * np.log(top - y[i]) for i in (first, last)]
        t = [np.log(x[i, 0]) for i in (first, last)]
        b = min(max((ends[0] - ends[1]) / (t[1] - t[0]), 0.02), 4.0)
        yield low, top, a, float(np.exp(ends[1] + b * t[1])), b


def _broken_starts(x: Array, y: Array) -> Iterable[Sequence[float]]:
    low, high = np.log(x.min()), np.log(x.max())
    return product((nan,), (0.0, 0.2), np.exp(low + (high - low) * np.array([0.3, 0.6, 0.9])), (-0.2, 0.3), (0.3, 1.0))


def _coupled_starts(x: Array, y: Array) -> Iterable[Sequence[float]]:
    room = y.max() - 0.9 * y.min()
    for alpha, beta, g in product(RATES, RATES, (0.7, 1.5)):
        n, d = x.min(0)
        yield nan, room / 2 * n**alpha, alpha, room / 2 * d**beta, beta, g


def _form(
    name: str,
    formula: str,
    value: Value,
    *,
    variables: str = "x",
    boxes: Mapping[str, tuple[float, float]],
    linear: str,
    starts: Starts,
    exponents: Mapping[str, str],
    words: str,
) -> Form:
    return Form(
        name=name,
        formula=formula,
        variables=tuple(variables.split()),
        parameters=tuple(boxes),
        value=value,
        positive=frozenset(p for p, (low, _) in boxes.items() if low > 0),
        linear=frozenset(linear.split()),
        low={p: low for p, (low, _) in boxes.items()},
        high={p: high for p, (_, high) in boxes.items()},
        starts=starts,
        exponents=exponents,
        words=words,
    )


SCALE = (TINY, HUGE)
RATE = (SLOWEST, FASTEST)
FREE = (-FASTEST, FASTEST)

SINGLE = {
    form.name: form
    for form in (
        _form("power", "A*x**-b", power, boxes={"A": SCALE, "b": FREE}, linear="A", starts=_grid((nan,), (0.0, *RATES)),
              exponents={"x": "b"}, words="a power"),
        _form("floor", "E + A*x**-b", floor, boxes={"E": SCALE, "A": SCALE, "b": RATE}, linear="E A",
              starts=_grid((nan,), (nan,), (*RATES, 2.0)), exponents={"x": "b"}, words="a power above a floor"),
        _form("corrected", "A*x**-b + C*x**-(b + w)", corrected,
              boxes={"A": SCALE, "b": (-1.0, FASTEST), "C": (-HUGE, HUGE), "w": (0.3, 1.0)}, linear="A C",
              starts=_corrected_starts, exponents={"x": "b"},
              words="a power with a correction at small sizes"),
        _form("log", "A*x**-b*log(x)**q", log, boxes={"A": SCALE, "b": FREE, "q": (-1.0, 1.0)}, linear="A",
              starts=_grid((nan,), (0.0, 0.12, 0.9), (-0.5, 0.5)), exponents={"x": "b"}, words="a power with a logarithm"),
        _form("shifted", "A*(1/x + g)**b", shifted, boxes={"A": SCALE, "b": RATE, "g": SCALE}, linear="A",
              starts=_shifted_starts, exponents={"x": "b"},
              words="a power of a shifted inverse size (M3)"),
        _form("bounded", "(y - E)/(chance - y)**a = A*x**-b", bounded,
              boxes={"E": SCALE, "chance": SCALE, "a": (0.1, 10.0), "A": SCALE, "b": RATE}, linear="",
              starts=_bounded_starts,
              exponents={"x": "b"}, words="a power above a floor and below a chance level (M4)"),
        _form("broken", "A*x**-b*(1 + (x/d)**(1/s))**(-c*s)", broken,
              boxes={"A": SCALE, "b": FREE, "d": SCALE, "c": FREE, "s": (0.1, 2.0)}, linear="A",
              starts=_broken_starts,
              exponents={"x": "b + c"}, words="two powers with one smooth break"),
    )
}  # fmt: skip
"""The forms of one size, by name."""

_RATES = (*RATES, 1.6)
_JOINT = {"E": SCALE, "A": SCALE, "alpha": RATE, "B": SCALE, "beta": RATE}
JOINT = {
    form.name: form
    for form in (
        _form("additive", "E + A*N**-alpha + B*D**-beta", additive, variables="N D", boxes=_JOINT, linear="E A B",
              starts=_grid((nan,), (nan,), _RATES, (nan,), _RATES), exponents={"N": "alpha", "D": "beta"},
              words="the sum of a power in each size above a floor"),
        _form("coupled", "E + ((A*N**-alpha)**(1/g) + (B*D**-beta)**(1/g))**g", coupled, variables="N D",
              boxes={**_JOINT, "g": (0.25, 4.0)}, linear="E", starts=_coupled_starts,
              exponents={"N": "alpha", "D": "beta"}, words="two powers that are coupled, above a floor"),
    )
}  # fmt: skip
"""The forms of two sizes, by name."""

FORMS = {**SINGLE, **JOINT}


def forms_for(variables: tuple[str, ...]) -> tuple[Form, ...]:
    """The forms of so many sizes."""
    found = SINGLE if len(variables) == 1 else JOINT if len(variables) == 2 else {}
    return tuple(found.values())
