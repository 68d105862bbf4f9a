"""`asymp.claim`, by which users declare claims: a decorator of a sampler for each kind, and a long form.

@asymp.claim.rate("c * d**-b", variable="d", d=(16, 16384), b=(0.5, 2), c=(1, 2))
def my_rate(draw, *, d, b, c):
    return c * d**-b * (1 + 1 / d) * draw.uniform(0.8, 1.2)
"""

import re
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from asymp.montecarlo import Experiment
from asymp.montecarlo.experiment import Sampler
from asymp.reports.claim import Claim
from asymp.reports.claims import register
from asymp.reports.design import Values
from asymp.reports.grid import Setting
from asymp.reports.kinds import KINDS
from asymp.reports.kinds.declare import check_options, declare
from asymp.theory import Domain, Law, Param, choice, law, real
from asymp.theory.formula import CONSTANTS, letters
from asymp.theory.names import unknown_name

Decorator = Callable[[Sampler], Claim]
EXPERIMENT = ("version", "block", "bounds", "kurtosis", "deterministic")
COMMON = ("id", "title", "source", "margin", "reason", "grid", "params", *EXPERIMENT)
SIGNS = ("<=", ">=", "~", "=")


class Declaring:
    """Declares claims: `claim.rate(...)` and its sisters decorate a sampler; `claim(id, law=..., experiment=..., kind=...)` is
    the long form, which names the `kind` and, for a rate, the `variable`.

    Each takes the formula as text, SymPy expression or law, and what its letters are, by keyword: a range `d=(16, 4096)`,
    a list of values `d=[16, 64]`, one value `d=16`, or a `Param`. Parameters of the sampler that the law does not know are
    given likewise, or have a default. Besides them each takes

        title, source: what it says and who says it; the title is the first line of the docstring otherwise.
        id: the claim's id, otherwise the function's name.
        margin: the discrepancy within which the law counts as true; a wider one than usual needs `reason="..."`.
        bounds, kurtosis, deterministic, block, version: what is known of the sampler's values, as `asymp.experiment` says.
        grid: the settings, one by one, in the place of ranges.
        params: ranges of letters that have the name of an option, such as {"margin": (1, 2)}.

    The decorated function becomes the claim: `asymp.check(my_rate)`, `my_rate.plot()`.
    """

    def rate(self, formula: str | Law | Any, *, variable: str, **given: Any) -> Decorator:
        """The mean grows in `variable` with the formula's exponent. Also takes `families`, `kappa`, `omega`, `shape`."""
        return _decorator("rate", formula, {"variable": variable, **given})

    def identity(self, formula: str | Law | Any, **given: Any) -> Decorator:
        """The mean is what the formula says; with "~" before the formula, to leading order (within 10 %)."""
        return _decorator("identity", formula, given)

    def bound(self, formula: str | Law | Any, **given: Any) -> Decorator:
        """The mean is at most, or at least, what the formula says: "<= exp(-n)" or ">= 1/n"."""
        return _decorator("bound", formula, given)

    def order(self, formula: str | Law | Any, **given: Any) -> Decorator:
        """In at least three of four runs (`at_least`) the value is at most, or at least, what the formula says."""
        return _decorator("order", formula, given)

    def capacity(self, formula: str | Law | Any, *, size: str, **given: Any) -> Decorator:
        """The largest `size` at which the mean is at least `threshold` is what the formula says.

        With `variable`, the exponent of that size is judged. Without values of `size`, they lie around what the law says.
        """
        return _decorator("capacity", formula, {"size": size, **given})

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(unknown_name("kind of claim", name, [kind for kind in KINDS if hasattr(type(self), kind)]))

    def __call__(
        self,
        id: str,
        *,
        law: Law,
        experiment: Experiment,
        kind: str,
        variable: str | None = None,
        margin: float | None = None,
        reason: str = "",
        title: str = "",
        grid: Sequence[Setting] | None = None,
        **options: Any,
    ) -> Claim:
        """Declare a claim of one law and one experiment, judged by kind.

        `kind` is 'rate' (the exponent in `variable`), 'identity' or 'constant' (equality within a relative margin at every
        point of the grid), 'bound' (the law's relation, <= or >=), 'order' (the same, run by run) or 'capacity' (the largest
        `size` of the grid at which the experiment's mean is at least `threshold`, or its exponent in `variable`). Without a
        grid, sizes are spread over the typical range of `variable` with the others in the middle of theirs.

        `id`: the name by which it is checked. `title`: the statement in words. `margin`: a wider one than the kind's own
        needs a `reason`. `options`: of a rate `families`, `kappa`, `omega`, `shape`; of a capacity also `size`, `threshold`,
        `counted`, `constant`; of an order `at_least`; of a bound `constant`.
        """
        if not isinstance(id, str) or not id:
            raise ValueError(f"a claim's id must be a non-empty string; got {id!r}")
        if not re.fullmatch(r"\w[\w .:+=-]*", id):
            raise ValueError(f"a claim's id is the name of its page too: letters, digits, '-', '_' and '.'; got {id!r}")
        for name in options:
            if not any(name in known.options for known in KINDS.values()):
                raise ValueError(unknown_name("option of a claim", name, [*COMMON, *_options(kind)]))
        if not isinstance(title, str):
            raise ValueError(f"the title of claim {id!r} must be text; got {title!r}")
        text = title
        if not text and isinstance(law, Law):
            text = f"{law.quantity} {law.relation} {law.expression if isinstance(law.expression, str) else id}"
        only = declare(
            kind,
            id=id,
            law=law,
            experiment=experiment,
            text=text,
            margin=margin,
            reason=reason,
            grid=grid,
            options={"variable": variable, **options},
        )
        made = Claim(
            id=id,
            parts=(only,),
            title=title or id,
            source=str(law.source),
            simulation=_simulation(experiment.sample),
            parameters=tuple(only.grid.settings[0]),
        )
        register(made)
        return made


claim = Declaring()


def _options(kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("variable", *(KINDS[kind].options if kind in KINDS else ()))))


def _decorator(kind: str, formula: Any, given: Mapping[str, Any]) -> Decorator:
    """What a decorator does to a sampler: law, experiment and settings are made of what was given, and the claim declared."""
    options = {name: given[name] for name in given if name in _options(kind)}
    common = {name: given[name] for name in given if name in COMMON}
    ranges: dict[str, Any] = {name: value for name, value in given.items() if name not in {**options, **common}}
    more = common.pop("params", {})
    if not isinstance(more, Mapping):
        raise ValueError(f"params must hold ranges by name, such as {{'margin': (1, 2)}}; got {more!r}")
    ranges = {name: _plain(value) for name, value in {**ranges, **more}.items()}

    def declared(sample: Sampler) -> Claim:
        if not callable(sample):
            raise ValueError(f"claim.{kind}(...) decorates a sampler, a function of draw; got {type(sample).__name__}")
        name = common.get("id") or getattr(sample, "__name__", "").strip("_").replace("_", "-")
        if not isinstance(name, str):
            raise ValueError(f"a claim's id must be a non-empty string; got {name!r}")
        if not name or "lambda" in name:
            raise ValueError(f"claim.{kind}(...) decorates a function with a name; give id= for one without")
        about = {key: common[key] for key in EXPERIMENT if key in common}
        experiment = Experiment(name, sample, **about)
        if KINDS[kind].of_a_mean and not {"bounds", "kurtosis", "deterministic"} & about.keys():
            raise ValueError(
                f"claim {name!r} is about a mean, of which nothing can be said before something is known of its values: give "
                "bounds=(low, high) where they lie between two numbers, or kurtosis= (normal values have 3, exponential ones 9), "
                "or deterministic=True; an order needs none of them"
            )
        check_options(name, options)
        values = _values(name, formula, experiment, ranges, kind, options)
        chosen = _law(name, kind, formula, values, str(common.get("source", "")))
        if "shape" in options:
            options["shape"] = _law(f"{name}:shape", kind, options["shape"], values, "")
        grid = common.get("grid")
        return claim(
            name,
            law=chosen,
            experiment=experiment,
            kind=KINDS[kind].of_law(chosen).kind,
            margin=common.get("margin"),
            reason=str(common.get("reason", "")),
            title=common.get("title") or _first_line(sample),
            grid=_grid(kind, chosen, values, options) if grid is None else grid,
            **options,
        )

    return declared


def _simulation(sample: Sampler) -> str:
    """Where the values come from, in words: the sampler's docstring below its first line, its name and its file."""
    code = getattr(sample, "__code__", None)
    if code is None:
        return ""
    more = " ".join((sample.__doc__ or "").strip().partition("\n")[2].split())
    file = Path(code.co_filename)
    return f"{more} Drawn by {code.co_name}{f' in {file.name}' if file.is_file() else ''}.".strip()


def _first_line(sample: Sampler) -> str:
    return (sample.__doc__ or "").strip().partition("\n")[0]


def _values(
    id: str, formula: Any, experiment: Experiment, ranges: Mapping[str, Any], kind: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """What each letter of the formula and each parameter of the sampler may be: as given, or the sampler's default."""
    defaults = {p.name: p.default for p in signature(experiment.sample).parameters.values()}
    wanted = _letters(formula, ranges)
    for name, value in ranges.items():
        if name not in wanted and name not in experiment.parameters and not experiment.takes_any:
            if any(name in known.options for known in KINDS.values()):
                raise ValueError(f"claim {id!r} is of kind {kind}, which takes no {name}=")
            known = list(dict.fromkeys([*wanted, *experiment.parameters, *_options(kind), *COMMON]))
            raise ValueError(
                f"claim {id!r}: {unknown_name('letter of the law, parameter of the sampler or option', name, known)}"
            )
        _check_values(id, name, value)
    found: dict[str, Any] = {}
    for name in dict.fromkeys([*wanted, *experiment.parameters]):
        default = defaults.get(name, Parameter.empty)
        if name in ranges:
            found[name] = ranges[name]
        elif isinstance(formula, Law) and name in formula.params and _of_law(formula, name) is not None:
            found[name] = _of_law(formula, name)
        elif default is not Parameter.empty and name in wanted:
            found[name] = default
        elif default is Parameter.empty and name != options.get("size"):
            raise ValueError(
                f"claim {id!r}: nothing says what {name} is; give its range, {name}=(low, high), values {name}=[...], or one "
                f"value {name}=..."
            )
    return found


def _letters(formula: Any, ranges: Mapping[str, Any]) -> list[str]:
    if isinstance(formula, Law):
        return list(formula.params)
    if isinstance(formula, str):
        return [name for name in letters(_split(formula)[1]) if name not in CONSTANTS or name in ranges]
    return sorted(s.name for s in getattr(formula, "free_symbols", ()))


def _of_law(law: Law, name: str) -> Any:
    p = law.params[name]
    return p.typical or p.default or (p.domain.choices[0] if p.domain.choices else None)


def _plain(value: Any) -> Any:
    """Values as Python has them: a range or an array is a list of values, and NumPy's numbers are numbers."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, range):
        return list(value)
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


def _check_values(id: str, name: str, value: Any) -> None:
    if isinstance(value, list) and value:
        if not all(isinstance(one, str) for one in value) and any(not isinstance(one, int | float) for one in value):
            raise ValueError(f"claim {id!r}: the values of {name} must be numbers, or words; got {value!r}")
        return
    if isinstance(value, Param | Domain | str | int | float):
        return
    numbers = isinstance(value, tuple) and len(value) == 2 and all(isinstance(end, int | float) for end in value)
    if not numbers or not value[0] < value[1]:
        raise ValueError(
            f"claim {id!r}: {name} must be a range (low, high) with low < high, a list of values, or one value; got {value!r}"
        )


def _split(formula: str) -> tuple[str, str]:
    """The relation that a formula may begin with, and the rest."""
    text = formula.strip()
    sign = next((sign for sign in SIGNS if text.startswith(sign)), "")
    return sign, text.removeprefix(sign).strip()


def _law(id: str, kind: str, formula: Any, values: Mapping[str, Any], source: str) -> Law:
    if isinstance(formula, Law):
        return formula
    sign, text = _split(formula) if isinstance(formula, str) else ("", formula)
    sides, usual = KINDS[kind].relations, KINDS[kind].usual_relation
    if sides and not sign and usual not in sides:
        shown = " or ".join(f"'{side} {text.strip('<>=~ ')}'" for side in sides)
        raise ValueError(f"claim {id!r}: a formula of claim.{kind} begins with its side, such as {shown}")
    params = {name: _param(values[name]) for name in _letters(formula, values) if name in values}
    return law(id, text, relation=sign or usual, params=params, source=source)


def _param(value: Any) -> Param:
    """A letter of the law from what it may be; positive values stay positive, so that roots and powers are simple."""
    if isinstance(value, Param | Domain):
        return value if isinstance(value, Param) else Param(value)
    entries = list(value) if isinstance(value, tuple | list) else [value]
    if all(isinstance(entry, str) for entry in entries):
        return Param(choice(*entries), default=entries[0])
    low, high = min(entries), max(entries)
    domain = real(above=0) if low > 0 else real(0) if low == 0 else real()
    return Param(domain, typical=(low, high) if high > low else None, default=value if entries == [value] else None)


def _grid(kind: str, law: Law, values: Mapping[str, Any], options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The settings at which a decorated claim is measured."""
    takes: dict[str, Values] = {}
    for name, value in values.items():
        param = value if isinstance(value, Param) else Param(value) if isinstance(value, Domain) else None
        takes[name] = value if param is None else param.typical or param.default or (list(param.domain.choices) or None)
        if takes[name] is None:
            raise ValueError(f"claim {law.id!r}: {name} needs a typical range, such as Param(integer(1), (4, 64))")
    return KINDS[kind].settings_over(takes, law, options)
