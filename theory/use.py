"""What one does with a law besides evaluating it: solve it for a parameter, differentiate it, draw it."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from asymp.theory.lazy import Lazy, np, optimize, sympy

if TYPE_CHECKING:
    from matplotlib import figure
    from matplotlib.figure import Figure
else:
    figure = Lazy("matplotlib.figure")

Law = Any
"""An `asymp.theory.Law`, whose module uses this one."""
Range = tuple[float, float]
POINTS = 400
FARTHEST = 1e15
"""How far an unbounded parameter is searched for a solution."""
DRAWN = 200


def relaxed(law: Law, names: tuple[str, ...]) -> Law:
    """The law whose whole-numbered parameters may have real values: those named, or all."""
    law.check_names(names)
    params = {
        name: p.but(domain=replace(p.domain, kind="real"))
        if p.domain.kind == "integer" and (not names or name in names)
        else p
        for name, p in law.params.items()
    }
    return law.but(law.id, params=params)


def solve(law: Law, variable: str, value: float, between: Range | None, values: Mapping[str, Any]) -> float:
    """The smallest value of a parameter at which the law has a value; `Law.solve` says more."""
    law.check_names([variable, *values])
    if variable in values:
        raise ValueError(f"{variable} is what is solved for; give values of other parameters")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"value must be a number, what the law is to be; got {value!r}")
    if variable in law.words:
        raise ValueError(f"{variable} of law {law.id!r} is a word; a law is solved for a number")
    of_reals = relaxed(law, (variable,))
    low, high = between or _range(law, variable)
    at = np.geomspace(low, high, POINTS) if low > 0 else np.linspace(low, high, POINTS)

    def said(x: float) -> float:
        try:
            return float(of_reals(**values, **{variable: x}))
        except ValueError:
            return math.nan  # outside what the law speaks of

    law(**values, **{variable: law.typical.get(variable, (low, high))[0]})  # says what is wrong with the values
    says: list[float] = []
    for x in at.tolist():
        says.append(said(x))
        if says[-1] == value:
            return float(x)
        if len(says) > 1 and (says[-2] - value) * (says[-1] - value) < 0:
            found = float(optimize.brentq(lambda x: said(x) - value, float(at[len(says) - 2]), x, rtol=1e-14))
            nearest = min(abs(says[-2] - value), abs(says[-1] - value))
            # at a pole or a jump the law changes sides without having the value
            if abs(said(found) - value) <= max(nearest / 2, 1e-9 * abs(value)):
                return found
    seen = [y for y in says if not math.isnan(y)]
    least, most = min(seen, default=math.nan), max(seen, default=math.nan)
    raise ValueError(
        f"law {law.id!r} is nowhere {value:g} for {variable} from {low:g} to {high:g}: its values there go from "
        f"{least:.3g} to {most:.3g}"
    )


def _range(law: Law, variable: str) -> Range:
    domain = law.domain[variable]
    low, high = domain.low, min(domain.high, FARTHEST)
    if low == -math.inf:
        low = -FARTHEST
    if domain.open_low or low == 0:
        low += 1e-12 if low == 0 else 1e-9 * abs(low)
    return low, high


def derivative(law: Law, variable: str) -> Law:
    """The derivative in a parameter as a law of its own."""
    law.check_names([variable])
    if variable not in law.symbols or law.of_arrays:
        raise ValueError(f"law {law.id!r} has no derivative in {variable}; one is in a parameter that is a number")
    found = sympy.diff(law.expr, law.symbols[variable]).replace(sympy.DiracDelta, lambda *at: sympy.S.Zero)
    if found.has(sympy.Derivative, sympy.Subs):
        raise ValueError(f"law {law.id!r} has no derivative in {variable} that is a formula: {law.expr}")
    return law.but(f"{law.id}:d{variable}", found, relation="=", quantity=f"d{law.quantity}/d{variable}")


def plot(law: Law, variable: str, between: Range | None, values: Mapping[str, Any]) -> "Figure":
    """The law over a parameter; `Law.plot` says more."""
    law.check_names([variable, *values])
    if variable in values:
        raise ValueError(f"{variable} runs along the figure; give its range as between=(low, high)")
    low, high = between or law.typical.get(variable) or _range(law, variable)
    log = low > 0
    at = np.geomspace(low, high, DRAWN) if log else np.linspace(low, high, DRAWN)
    of_reals = relaxed(law, (variable,))
    middles = {n: math.sqrt(a * b) if a > 0 else (a + b) / 2 for n, (a, b) in law.typical.items() if n != variable}
    whole = {n: round(v) if law.domain[n].kind == "integer" else v for n, v in middles.items()}
    lists = {name: list(value) for name, value in values.items() if isinstance(value, list | tuple)}
    if len(lists) > 1:
        raise ValueError(f"one parameter may have several values in a figure; got {', '.join(lists)}")
    drawn = figure.Figure(figsize=(5.2, 3.6), layout="constrained")
    axes = drawn.add_subplot()
    [(name, several)] = list(lists.items()) or [("", [None])]
    smallest = math.inf
    for one in several:
        fixed = {n: v for n, v in (whole | dict(values) | ({name: one} if name else {})).items() if n in law.params}
        curve = []
        for x in at:
            try:
                curve.append(float(of_reals(**fixed, **{variable: float(x)})))
            except ValueError:
                curve.append(math.nan)
        axes.plot(at, curve, label=f"{name} = {one:g}" if name else None)
        smallest = min([smallest, *(y for y in curve if not math.isnan(y))])
    axes.set(xlabel=variable, ylabel=law.quantity, title=f"${law.latex()}$" if len(law.latex()) < 80 else law.id)
    if log:
        axes.set(xscale="log", yscale="log" if smallest > 0 else "linear")
    if name:
        axes.legend()
    return drawn
