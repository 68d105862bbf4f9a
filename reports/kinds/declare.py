"""A user's statement: one law beside one experiment, with the kind named by a word. Every mistake is said in a sentence."""

from collections.abc import Sequence
from typing import Any

from asymp.montecarlo import Experiment
from asymp.reports.design import default_grid
from asymp.reports.grid import Grid, Setting
from asymp.reports.kinds import KINDS, Bound, Capacity, Order, Rate, Statement
from asymp.theory import Law
from asymp.theory.names import unknown_name


def declare(
    kind: str,
    *,
    id: str,
    law: Law,
    experiment: Experiment,
    text: str,
    variable: str | None,
    margin: float | None,
    grid: Sequence[Setting] | None,
    families: tuple[str, ...],
    size: str | None,
    threshold: float,
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
    chosen = KINDS[kind]
    more: dict[str, Any] = {"law": law}
    if chosen is Capacity:
        if size is None or grid is None or any(size not in cell for cell in grid):
            raise ValueError(
                f"claim {id!r} is a capacity, so it needs size=, the parameter whose largest value is sought, and a grid= with "
                "several of its values around the capacity at every setting"
            )
        if not 0 < threshold < 1:
            raise ValueError(f"threshold must lie in (0, 1); got {threshold!r}")
        more |= {"size": size, "threshold": threshold, "variable": variable, "families": families}
    _check_names(id, law, experiment, variable, more.get("size"))
    if chosen is Rate:
        if variable is None:
            raise ValueError(f"claim {id!r} is a rate, so it needs variable=, the size it is a rate in")
        if variable not in law.typical:
            raise ValueError(f"claim {id!r} is a rate in {variable}, so its law needs a typical range of {variable}")
        law.exponent(variable)
        more |= {"variable": variable, "families": families}
    if chosen in (Bound, Order) and law.relation not in ("<=", ">="):
        what = "a bound" if chosen is Bound else "an order"
        raise ValueError(f"claim {id!r} is {what}, so its law's relation must be <= or >=; it is {law.relation!r}")
    largest = chosen.largest_margin
    within = largest if margin is None else margin
    if not isinstance(within, int | float) or not 0 < within <= largest:
        raise ValueError(
            f"margin must be a number above 0 and at most {largest} for a claim of kind {kind}; got {margin!r}"
        )
    if chosen is Order:
        more = {"below" if law.relation == "<=" else "above": law}
    elif chosen is not Bound:
        more["margin"] = float(within)
    cells = list(grid) if grid is not None else default_grid(law, variable if chosen is Rate else None)
    for cell in cells:
        law.validate(**{k: v for k, v in cell.items() if k in law.domain})
    return chosen("source", text, experiment=experiment, grid=Grid(cells), x_axis=variable, **more)


def _check_names(id: str, law: Law, experiment: Experiment, variable: str | None, size: str | None) -> None:
    """Raise ValueError unless law and experiment take the same parameters; the size of a capacity is the experiment's own."""
    if variable is not None:
        law.check_names([variable])
    takes = experiment.parameters
    unknown = any(name not in law.domain and name != size for name in takes)
    if not experiment.takes_any and (unknown or any(name not in takes for name in law.domain)):
        raise ValueError(
            f"claim {id!r}: the experiment takes {', '.join(takes) or 'nothing'} "
            f"and the law {', '.join(law.domain)}; they must take the same parameters"
        )
