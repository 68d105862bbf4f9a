"""A user's statement: one law beside one experiment, with the kind named by a word. Every mistake is said in a sentence."""

import math
from collections.abc import Mapping, Sequence
from inspect import Parameter, signature
from typing import Any

from asymp.montecarlo import Experiment
from asymp.montecarlo.exponent.fit import ExponentClass
from asymp.reports.design import default_grid
from asymp.reports.grid import Grid, Setting, groups_without
from asymp.reports.kinds import KINDS, Bound, Capacity, Constant, Identity, Order, Rate, Statement
from asymp.reports.numbers import spell
from asymp.theory import Law
from asymp.theory.names import unknown_name

FEWEST_SIZES = 4
"""Sizes in a group without which no exponent can be fitted."""
WITH_A_REASON = 0.10
"""The largest margin that a declared reason allows."""


def declare(
    kind: str,
    *,
    id: str,
    law: Law,
    experiment: Experiment,
    text: str,
    margin: float | None,
    reason: str,
    grid: Sequence[Setting] | None,
    options: Mapping[str, Any],
) -> Statement:
    """The statement of a user's claim; `asymp.reports.claim` says what each argument is."""
    if kind not in KINDS:
        raise ValueError(unknown_name("kind of claim", str(kind), list(KINDS)))
    if not isinstance(law, Law):
        raise ValueError(f"law must be made by asymp.theory.law(...); got {type(law).__name__}")
    if not isinstance(experiment, Experiment):
        raise ValueError(
            f"experiment must be made by asymp.montecarlo.experiment(...); got {type(experiment).__name__}"
        )
    if not isinstance(experiment.deterministic, bool):
        raise ValueError(f"deterministic must be True or False; got {experiment.deterministic!r}")
    chosen = KINDS[kind]
    variable = options.get("variable")
    check_options(id, options)
    if variable is not None:
        law.check_names([variable])
    for name, value in options.items():
        if name not in chosen.options and name != "variable" and value is not None:
            raise ValueError(f"claim {id!r} is of kind {kind}, which takes no {name}=")
    more = {k: v for k, v in options.items() if v is not None and k in chosen.options}
    if declared := {k: more[k] for k in ("families", "kappa", "omega") if k in more}:
        more |= {k: getattr(ExponentClass(**declared), k) for k in declared}
    if not isinstance(more.get("shape", law), Law):
        raise ValueError(f"claim {id!r}: shape must be a law, made by asymp.law(...); got {more['shape']!r}")
    if chosen is Capacity:
        _check_capacity(id, more, law, experiment, grid)
    cells = None if grid is None else _checked_grid(id, grid)
    takes = _checked_parameters(id, law, experiment, more.get("size"), cells)
    if chosen is Rate:
        if experiment.deterministic:
            raise ValueError(
                f"claim {id!r} is a rate, fitted to values that scatter, and its values are declared deterministic; numbers "
                "without noise are for assert_order"
            )
        if variable is None:
            raise ValueError(f"claim {id!r} is a rate, so it needs variable=, the size it is a rate in")
        if variable not in law.typical and cells is None:
            raise ValueError(f"claim {id!r} is a rate in {variable}, so its law needs a typical range of {variable}")
        for power, what in ((law, "law"), (more.get("shape", law), "shape")):
            power.check_names([variable])
            if power.exponent(variable).is_infinite:
                raise ValueError(
                    f"claim {id!r} is a rate in {variable}, and its {what} is no power of it: {power.expr}"
                )
    if chosen.relations and law.relation not in chosen.relations:
        what = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
        sides = " or ".join(chosen.relations)
        raise ValueError(f"claim {id!r} is {what}, so its law's relation must be {sides}; it is {law.relation!r}")
    chosen, within = _margin(id, chosen, margin, reason)
    if chosen is Order:
        more["below" if law.relation == "<=" else "above"] = law
    else:
        more["law"] = law
        if chosen is not Bound:
            more["margin"] = within
    cells = default_grid(law, variable if chosen is Rate else None) if cells is None else cells
    cells = [{**takes, **cell} for cell in cells]
    for cell in cells:
        law.validate(**{k: v for k, v in cell.items() if k in law.domain})
    if variable is not None and chosen in (Rate, Capacity):
        _check_sizes(id, kind, variable, cells)
    words = f"{text} Margin {within:g}: {reason}." if reason else text
    made = chosen("source", words, experiment=experiment, grid=Grid(cells), x_axis=variable, **more)
    for cell in cells:
        said = made.predicted(cell)
        if not math.isfinite(said):
            raise ValueError(f"the prediction of claim {id!r} is not finite at {spell(cell)}")
        if said <= 0 and chosen in (Rate, Capacity):
            raise ValueError(f"claim {id!r} is a {kind}, whose law must be above 0; it is {said:g} at {spell(cell)}")
    return made


def check_options(id: str, options: Mapping[str, Any]) -> None:
    """Raise ValueError for an option of any kind that is not what it must be."""
    for name in ("variable", "size"):
        if not isinstance(options.get(name) or "", str):
            raise ValueError(f"claim {id!r}: {name} must be the name of a parameter; got {options[name]!r}")
    if not callable(options.get("counted") or print):
        raise ValueError(
            f"claim {id!r}: counted must be a function of the setting and the size; got {options['counted']!r}"
        )
    constant = options.get("constant", 1.0)
    if isinstance(constant, bool) or not isinstance(constant, int | float) or not 0 < constant < math.inf:
        raise ValueError(f"claim {id!r}: constant must be a number above 0; got {constant!r}")


def _margin(id: str, chosen: type[Statement], margin: float | None, reason: str) -> tuple[type[Statement], float]:
    """The kind and its margin: a wider one than usual needs a reason, and makes an identity one to leading order."""
    if margin is not None and chosen in (Bound, Order):
        raise ValueError(f"a claim of kind {chosen.kind} has no margin; got {margin!r}")
    largest = max(chosen.largest_margin, WITH_A_REASON if reason else 0.0)
    within = chosen.largest_margin if margin is None else margin
    if isinstance(within, bool) or not isinstance(within, int | float) or not 0 < within <= largest:
        wider = f", or up to {WITH_A_REASON:g} with reason='...'" if largest < WITH_A_REASON else ""
        raise ValueError(
            f"margin must be a number above 0 and at most {largest}{wider} for a claim of kind {chosen.kind}; got {margin!r}"
        )
    return Constant if chosen is Identity and within > Identity.largest_margin else chosen, float(within)


def _check_capacity(
    id: str, more: dict[str, Any], law: Law, experiment: Experiment, grid: Sequence[Setting] | None
) -> None:
    size, threshold = more.get("size"), more.get("threshold", 0.5)
    if size is None or grid is None or any(size not in cell for cell in grid):
        raise ValueError(
            f"claim {id!r} is a capacity, so it needs size=, the parameter whose largest value is sought, and a grid= with "
            "several of its values around the capacity at every setting"
        )
    if size in law.domain or not (size in experiment.parameters or experiment.takes_any):
        raise ValueError(
            f"claim {id!r}: {size}, the size whose largest value is sought, must be a parameter of the sampler and none of the "
            f"law; the sampler takes {', '.join(experiment.parameters) or 'nothing'}, the law {', '.join(law.domain) or 'nothing'}"
        )
    for rest, members in groups_without([(dict(cell), None) for cell in grid], size):
        found = {cell[size] for cell, _ in members}
        if len(found) < 2 or any(isinstance(n, str) or n != int(n) or n < 1 for n in found):
            raise ValueError(
                f"claim {id!r} is a capacity, so it needs two or more values of {size}, whole numbers from 1 on, "
                f"{f'at {spell(rest)}' if rest else 'at every setting'}; got {', '.join(map(str, sorted(found)))}"
            )
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 < threshold < 1:
        raise ValueError(f"threshold must lie in (0, 1); got {threshold!r}")


def _checked_grid(id: str, grid: Sequence[Setting]) -> list[dict[str, Any]]:
    if not isinstance(grid, Sequence) or not all(isinstance(cell, Mapping) for cell in grid):
        raise ValueError(
            f"grid of claim {id!r} must be a list of settings, such as [{{'n': 4}}, {{'n': 8}}]; got {grid!r}"
        )
    if not grid:
        raise ValueError(f"grid of claim {id!r} is empty; give at least one setting, such as {{'n': 4}}")
    return [dict(cell) for cell in grid]


def _check_sizes(id: str, kind: str, variable: str, cells: list[dict[str, Any]]) -> None:
    """Raise ValueError if an exponent could never be fitted: too few sizes. Those of a capacity differ from group to group."""
    every = [(cell, None) for cell in cells]
    groups = groups_without(every, variable) if kind == Rate.kind else [({}, every)]
    for rest, members in groups:
        sizes = {float(cell[variable]) for cell, _ in members}
        if len(sizes) < FEWEST_SIZES:
            where = f" at {', '.join(f'{k}={v}' for k, v in rest.items())}" if rest else ""
            raise ValueError(
                f"claim {id!r} is a {kind} in {variable}, which needs at least {FEWEST_SIZES} sizes of it; got {len(sizes)}{where}"
            )
        if min(sizes) <= 0:
            raise ValueError(f"claim {id!r} is a {kind} in {variable}, whose sizes must be above 0; got {min(sizes):g}")


def _checked_parameters(
    id: str, law: Law, experiment: Experiment, size: str | None, cells: list[dict[str, Any]] | None
) -> dict[str, Any]:
    """The sampler's own parameters at their defaults; ValueError unless it and the law take what the other gives.

    A parameter that the law does not know needs a default, or a value in every setting; the size of a capacity has some.
    """
    takes = experiment.parameters
    declared = {p.name: p.default for p in list(signature(experiment.sample).parameters.values())[1:]}
    own = {name: declared[name] for name in takes if name not in law.domain and name != size}
    without = [n for n, v in own.items() if v is Parameter.empty and not all(n in cell for cell in cells or [{}])]
    lacking = [name for name in law.domain if name not in takes]
    if without or (lacking and not experiment.takes_any):
        raise ValueError(
            f"claim {id!r}: the experiment takes {', '.join(takes) or 'nothing'} "
            f"and the law {', '.join(law.domain)}; the experiment must take what the law does, and what it takes besides needs "
            f"a default or values in the grid ({', '.join(without + lacking)})"
        )
    return {name: value for name, value in own.items() if value is None or isinstance(value, int | float | str)}
