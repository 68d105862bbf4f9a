"""A Claim puts laws beside experiments and names the test that joins them, part by part."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from asymp.montecarlo import Experiment
from asymp.reports.design import default_grid, default_replicas
from asymp.reports.index import INDEX
from asymp.theory import Erratum, Law, laws
from asymp.theory.names import unknown_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["KINDS", "PRESETS", "Claim", "Part", "claim", "part", "registered", "said"]

Kind = Literal["identity", "bound", "rate", "constant", "capacity", "order"]
KINDS = ("identity", "bound", "rate", "constant", "capacity", "order")
PRESETS = ("quick", "standard", "paper")

# The largest margins that the statistics contract allows, by kind: an exponent's is absolute, the others relative. An
# order has none: it holds in a run or it does not.
LARGEST_MARGIN = {"identity": 0.02, "bound": 0.02, "rate": 0.05, "constant": 0.10, "capacity": 0.10, "order": 0.02}

Params = Mapping[str, Any]

_SAID: "WeakKeyDictionary[Law, dict[str, float]]" = WeakKeyDictionary()


def said(law: Law, values: Params) -> float:
    """What a law says, asked once: parts of a claim, its corrections and its negative controls ask for the same values."""
    known = _SAID.setdefault(law, {})
    key = repr(sorted(values.items()))
    if key not in known:
        known[key] = float(law(**values))
    return known[key]


@dataclass(frozen=True)
class Part:
    """One statement of a claim with its law, its experiment, where it is measured and how it is judged.

    `variable`: the size in which an exponent is judged. `families`, `kappa`, `omega`: the class of truths over which its
    interval holds, with the size and the exponent of a correction at the smallest size.
    `size`, `threshold`: a capacity is the largest `size` at which the mean of the experiment is at least `threshold`.
    `counted`: what of a capacity is a power of the variable, such as N log N, from the other parameters and N.
    `resolution`: the relative error of the simulation's own arithmetic, such as an integrator's, or of the law's own
    value where that is a published measurement; else rounding.
    """

    name: str
    kind: Kind
    law: Law
    experiment: Experiment
    statement: str
    grid: Mapping[str, Sequence[Params]]
    replicas: Mapping[str, int | Callable[[Params], int]]
    variable: str | None = None
    margin: float = 0.02
    constant: float = 1.0
    to_law: Callable[[Params], Params] | None = None
    erratum: Erratum | None = None
    x_axis: str | None = None
    scale: Callable[[Params], float] | None = None
    families: tuple[str, ...] = ("power", "corrected", "floor", "log")
    kappa: tuple[float, float] = (-0.5, 3.0)
    omega: tuple[float, float] = (0.3, 1.0)
    size: str | None = None
    threshold: float = 0.5
    counted: Callable[[Params, float], float] | None = None
    resolution: float | Callable[[Params], float] = 1e-12
    _known: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def expected(self) -> str:
        """How this part should come out: an erratum is a statement of the source that should be refuted."""
        return "refuted" if self.erratum else "supported"

    def expected_at(self, preset: str, overrides: Params) -> str:
        """How this part should come out with the user's values put in: 'open' where nothing was declared.

        An exact law holds wherever it is defined; anything else is declared for the cells of the grids only.
        """
        if self.kind == "identity" and self.erratum is None:
            return self.expected
        declared = all(any(cell in grid for grid in self.grid.values()) for cell in self.cells(preset, overrides))
        return self.expected if declared else "open"

    def law_values(self, params: Params) -> dict[str, Any]:
        """The law's parameters at one cell of the grid."""
        values = params if self.to_law is None else self.to_law(params)
        return {name: value for name, value in values.items() if name in self.law.domain}

    def predicted(self, params: Params) -> float:
        """What the law says at one cell, the declared constant included. Some laws take seconds: each cell is asked once."""
        key = repr(sorted(params.items()))
        if key not in self._known:
            self._known[key] = said(self.law, self.law_values(params))
        return self.constant * self._known[key]

    def unit(self, params: Params) -> float:
        """What the margin of an equality is a share of: the predicted value, or the declared scale where that may be 0."""
        return abs(self.predicted(params)) if self.scale is None else abs(self.scale(params))

    def resolved(self, params: Params) -> float:
        """The relative error of what is compared at one cell, however many replicas there are."""
        return self.resolution(params) if callable(self.resolution) else self.resolution

    def cells(self, preset: str, overrides: Params) -> list[dict[str, Any]]:
        """The cells of a preset with the user's values put in; equal cells appear once."""
        cells: list[dict[str, Any]] = []
        for params in self.grid[preset]:
            cell = {**params, **{k: v for k, v in overrides.items() if k in params}}
            if cell not in cells:
                cells.append(cell)
        return cells

    def replicas_at(self, preset: str, cell: Params) -> int:
        """How many replicas a preset takes at one cell."""
        count = self.replicas[preset]
        return count(cell) if callable(count) else count

    def with_corrected_law(self) -> "Part":
        """The same part with the corrected law in the source's place: it should then be supported."""
        if self.erratum is None:
            raise ValueError(f"part {self.name!r} is no erratum: it has no corrected law")
        law = laws[self.erratum.corrected_by]
        # What was stated as an equality may have to be corrected to an inequality: then it is judged as a bound.
        kind: Kind = "bound" if self.kind == "constant" and law.relation in ("<=", ">=") else self.kind
        return replace(self, law=law, kind=kind, erratum=None)


@dataclass(frozen=True)
class Claim:
    """A claim of the ledger or of a user: an id, and parts that are judged together under one budget.

    `unmeasured`: what the source says that no part measures, and why, in whole sentences.
    """

    id: str
    parts: tuple[Part, ...]
    title: str = ""
    section: int = 0
    source: str = ""
    simulation: str = ""
    conventions: str = ""
    notes: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    parameters: tuple[str, ...] = field(default=())

    @property
    def kind(self) -> str:
        """The kind of the leading part."""
        return self.leading.kind

    @property
    def leading(self) -> Part:
        """The part whose outcome is the claim's: what the source says, else the sharp form."""
        for name in ("source", "sharp"):
            for candidate in self.parts:
                if candidate.name == name:
                    return candidate
        return self.parts[0]

    def plot(self, part: str | None = None, **how: Any) -> "Figure":
        """Check the claim (`how` is passed to `check`: preset, seed, store) and draw its leading part, or the one named."""
        from asymp.reports.notebook import claim_plot

        return claim_plot(self, part, **how)

    def _repr_html_(self) -> str:
        from asymp.reports.notebook import claim_html

        return claim_html(self)


def part(name: str, **fields: Any) -> Part:
    """Declare a part of a claim."""
    kind = fields["kind"]
    if kind not in KINDS:
        raise ValueError(unknown_name("kind of claim", str(kind), KINDS))
    return Part(name=name, **fields)


# Claims declared in this process; declaring one again replaces it, as running a notebook's cell again should.
registered: dict[str, Claim] = {}


def claim(
    id: str,
    *,
    law: Law,
    experiment: Experiment,
    kind: str,
    variable: str | None = None,
    margin: float | None = None,
    title: str = "",
    grid: Sequence[Params] | None = None,
    replicas: int | Mapping[str, int] | None = None,
    families: Sequence[str] = ("power", "corrected", "floor", "log"),
    size: str | None = None,
    threshold: float = 0.5,
) -> Claim:
    """Declare a claim of your own: one law beside one experiment, judged by kind.

    `kind` is 'rate' (the exponent in `variable`), 'identity' or 'constant' (equality within a relative margin at every
    point of the grid), 'bound' (the law's relation, <= or >=), 'order' (the same, run by run) or 'capacity' (the largest
    `size` of the grid at which the experiment's mean is at least `threshold`, or its exponent in `variable`). Without a
    grid, sizes are spread over the typical range of `variable` with the others in the middle of theirs. `families` is the
    class of laws over which an exponent's interval holds.
    """
    if not isinstance(id, str) or not id:
        raise ValueError(f"a claim's id must be a non-empty string; got {id!r}")
    if id in INDEX:
        raise ValueError(f"{id!r} is a claim of the ledger; give yours another id")
    if kind not in KINDS:
        raise ValueError(unknown_name("kind of claim", str(kind), KINDS))
    if not isinstance(law, Law):
        raise ValueError(f"law must be made by asymp.theory.law(...); got {type(law).__name__}")
    if not isinstance(experiment, Experiment):
        raise ValueError(
            f"experiment must be made by asymp.montecarlo.experiment(...); got {type(experiment).__name__}"
        )
    if kind == "capacity":
        _check_capacity(id, size, threshold, grid)
    _check_names(id, law, experiment, extra=(size,) if size else ())
    _check_variable(id, kind, law, variable)
    if kind in ("bound", "order") and law.relation not in ("<=", ">="):
        what = {"bound": "a bound", "order": "an order"}[kind]
        raise ValueError(f"claim {id!r} is {what}, so its law's relation must be <= or >=; it is {law.relation!r}")
    chosen = LARGEST_MARGIN[kind] if margin is None else margin
    if not isinstance(chosen, int | float) or not 0 < chosen <= LARGEST_MARGIN[kind]:
        raise ValueError(
            f"margin must be a number above 0 and at most {LARGEST_MARGIN[kind]} for a claim of kind {kind}; got {margin!r}"
        )
    cells = list(grid) if grid is not None else default_grid(law, variable if kind == "rate" else None)
    for cell in cells:
        law.validate(**{k: v for k, v in cell.items() if k in law.domain})
    counts = replicas if isinstance(replicas, Mapping) else default_replicas(replicas)
    only = Part(
        name="source",
        kind=kind,  # type: ignore[arg-type]
        law=law,
        experiment=experiment,
        statement=title or f"{law.quantity} {law.relation} {law.expression if isinstance(law.expression, str) else id}",
        grid=dict.fromkeys(PRESETS, cells),
        replicas=counts,
        variable=variable,
        margin=float(chosen),
        x_axis=variable,
        families=tuple(families),
        size=size,
        threshold=threshold,
    )
    made = Claim(id=id, parts=(only,), title=title or id, source=str(law.source), parameters=tuple(law.domain))
    registered[id] = made
    return made


def _check_names(id: str, law: Law, experiment: Experiment, *, extra: tuple[str, ...] = ()) -> None:
    takes = experiment.parameters
    if "kwargs" in takes or "params" in takes:
        return
    unknown = [name for name in takes if name not in law.domain and name not in extra]
    missing = [name for name in law.domain if name not in takes]
    if unknown or missing:
        raise ValueError(
            f"claim {id!r}: the experiment takes {', '.join(takes) or 'nothing'} "
            f"and the law {', '.join(law.domain)}; they must take the same parameters"
        )


def _check_capacity(id: str, size: str | None, threshold: float, grid: Sequence[Params] | None) -> None:
    if size is None or grid is None or any(size not in cell for cell in grid):
        raise ValueError(
            f"claim {id!r} is a capacity, so it needs size=, the parameter whose largest value is sought, and a grid= with "
            "several of its values around the capacity at every setting"
        )
    if not 0 < threshold < 1:
        raise ValueError(f"threshold must lie in (0, 1); got {threshold!r}")


def _check_variable(id: str, kind: str, law: Law, variable: str | None) -> None:
    if variable is not None:
        law.check_names([variable])
    if kind == "rate":
        if variable is None:
            raise ValueError(f"claim {id!r} is a rate, so it needs variable=, the size it is a rate in")
        if variable not in law.typical:
            raise ValueError(f"claim {id!r} is a rate in {variable}, so its law needs a typical range of {variable}")
        law.exponent(variable)
