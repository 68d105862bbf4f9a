"""A Statement: what is said, the experiment that measures it, where, and how that is judged, shown and spoilt.

Each kind of statement is a final subclass with a file of its own in this folder. Everything that depends on the kind is
asked of the statement, so that nothing outside this folder has to know which kind it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary

from asymp.montecarlo import Experiment
from asymp.reports.design import Values, grid_of
from asymp.reports.grid import Grid, Setting, spread
from asymp.reports.kinds.drawing import Draw
from asymp.reports.kinds.evidence import LOOKS, SUPPORT_LEVEL, Evidence, Measured
from asymp.reports.kinds.on_draws import Ratio, on_draws
from asymp.reports.numbers import spell
from asymp.theory import Erratum, Law, laws

# The largest margin of an exact law, relative to its value. Bounds and orders have no other.
LARGEST_MARGIN = 0.02

CALIBRATED_BLOCKS = 4
"""A calibration, which judges thousands of times, takes so many blocks of a setting at most: blocks of costly ones are small."""

_VALUES: "WeakKeyDictionary[Law, dict[str, float]]" = WeakKeyDictionary()


def law_value(law: Law, values: Setting) -> float:
    """A law's value, computed once, since some take seconds: a claim's statements, corrections and wrong laws share them."""
    known = _VALUES.setdefault(law, {})
    key = repr(sorted(values.items()))
    if key not in known:
        known[key] = float(law(**values))
    return known[key]


@dataclass(frozen=True)
class Look:
    """How the figure of a statement looks.

    `law`: what the line beside the points is called. `open_constant`: the law is known up to a factor, which is fitted.
    `beside`: the curves of other statements are drawn. `of_mean`: what is drawn is the mean of the experiment, which lies
    between its bounds. `rows`: settings are rows also where they differ in a size.
    """

    law: str = "law"
    open_constant: bool = False
    beside: bool = False
    of_mean: bool = True
    rows: bool = False


@dataclass(frozen=True)
class WrongLaw:
    """A negative control: `how` the law is wrong, and the statement with the wrong law, once something is measured."""

    how: str
    statement: Callable[[Measured], "Statement"]


@dataclass(frozen=True, eq=False)
class Statement(ABC):
    """One statement of a claim, with its experiment, where it is measured and how it is judged.

    `name`: within its claim; the source's statement is called 'source'. `text`: the statement in words. `grid`: the settings.
    `to_law`: the law's parameters from a setting, where they are not the same. `erratum`: for a statement that is wrong and
    should be refuted. `x_axis`: the parameter along which its figure is drawn. `draw`: how settings are drawn for property
    tests, where not as usual.

    A margin is declared only where it differs from the statistics contract's. Each kind has the contract's as its default,
    so that no statement can lack one and none is wider than the contract allows; None, or words, are a type error.
    """

    name: str
    text: str
    _: KW_ONLY
    experiment: Experiment
    grid: Grid
    to_law: Callable[[Setting], Setting] | None = None
    erratum: Erratum | None = None
    x_axis: str | None = None
    draw: Draw | None = None

    kind: ClassVar[str]
    """The kind in one word, for lists and JSON."""
    options: ClassVar[tuple[str, ...]] = ()
    """What a user's statement of this kind takes besides its law, its experiment and its grid."""
    of_a_mean: ClassVar[bool] = False
    """Whether a mean is judged, of which nothing can be said before something is known of its values."""
    relations: ClassVar[tuple[str, ...]] = ()
    """The relations of which the law of a user's must have one; none, if it may have any."""
    usual_relation: ClassVar[str] = "="
    """What is meant by a formula that begins with no relation."""
    largest_margin: ClassVar[float] = LARGEST_MARGIN
    """The largest margin that the statistics contract allows."""
    not_generated: ClassVar[Mapping[str, str]] = {}
    """Wrong laws that statements of this kind may lack, with the reason."""
    wrong_points: ClassVar[int | None] = None
    """At how many of its settings a wrong law must be refuted; None for all."""
    fewest: ClassVar[int] = 3
    several: ClassVar[int] = 4
    """How many settings a calibration takes: of the size of the test, of its power."""

    # -- the kind ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def judge(self, measured: Measured, *, level: float, support: float = SUPPORT_LEVEL) -> Evidence:
        """What the measurement shows at one look.

        `level`: the probability with which the look may refute a true statement. `support`: with which it may support one
        that is wrong by its margin.
        """

    @abstractmethod
    def predicted(self, params: Setting) -> float:
        """What the statement says of the mean at one setting: the law's value, or the limit of an order."""

    @abstractmethod
    def rule(self) -> str:
        """How the statement is judged, in plain words."""

    def look(self) -> Look:
        """How its figure looks."""
        return Look()

    @abstractmethod
    def wrong_laws(self) -> Iterator[WrongLaw]:
        """Negative controls: wrong laws that the same test has to refute.

        A wrong law that says almost the same as the right one at every setting (a swap of words that changes nothing, a
        term below the margin) is no control and is not generated: `not_generated` has the reasons. This asks the law at a
        few settings, which may take seconds. An erratum is wrong as it stands: those of `right` are asked for.
        """

    @abstractmethod
    def with_law(self, law: Law) -> "Statement":
        """The same statement about another law."""

    @property
    def formula(self) -> Law | None:
        """The law whose formula the statement is about, if there is one."""
        return None

    @property
    def relation(self) -> str:
        """How the measured mean is said to relate to the prediction: =, <=, >=, ~, <~ or >~."""
        return "="

    @property
    def speaks_of(self) -> Collection[str]:
        """The parameters of which the statement speaks; others only say which experiment is meant."""
        return ()

    @property
    def source(self) -> str:
        """Where it is stated."""
        return ""

    def described(self) -> dict[str, str]:
        """What is said instead of a law's formula, where there is no law."""
        return {"quantity": "", "expression": "", "latex": "", "mathml": "", "conventions": ""}

    @property
    def margin(self) -> float:
        """The discrepancy within which the statement counts as true, declared before the run."""
        return LARGEST_MARGIN

    @property
    def factor(self) -> float:
        """The constant by which the law is multiplied, where the source hides it."""
        return 1.0

    @property
    def variable_name(self) -> str | None:
        """The size in which an exponent is judged, if one is."""
        return None

    @property
    def across(self) -> str | None:
        """The parameter whose values are judged together: of a rate its sizes, of a capacity the numbers stored."""
        return None

    @property
    def needs_all_groups(self) -> bool:
        """Whether a drawn setting has to have all groups of the grid."""
        return False

    def moved(self, sizes: Sequence[float], new: Setting, old: Setting) -> list[float]:
        """Where the sizes of a group lie at a new setting, given those at an old one."""
        return list(sizes)

    def check_free(self, name: str, claim: str) -> None:
        """Raise ValueError if the user of a claim may not set a parameter, because it needs a range of values."""
        return

    def without_law_values(self) -> "Statement":
        """The same statement where the law's values, which may take seconds, are not needed for judging."""
        return self

    def reduced(self) -> list[dict[str, Any]]:
        """A few settings of the grid, at which a calibration judges thousands of times."""
        return spread(self.cells("quick", {}), self.fewest)

    def calibration_replicas(self, cell: Setting) -> int:
        """How many replicas such a calibration takes at a setting.

        Student's statistic needs some values to be trusted; a bounded quantity's interval holds at any number of them.
        """
        return min(100 if self.experiment.bounds else 256, CALIBRATED_BLOCKS * self.experiment.block)

    def some_cells(self, preset: str) -> list[dict[str, Any]]:
        """The settings at which the power against wrong laws is measured."""
        return spread(self.cells(preset, {}), self.several)

    @classmethod
    def of_law(cls, law: Law) -> "type[Statement]":
        """The kind of a user's statement about this law, who asked for this one."""
        return cls

    @classmethod
    def settings_over(cls, values: Mapping[str, Values], law: Law, options: Setting) -> list[dict[str, Any]]:
        """Where a user's statement is measured, over ranges, lists and single values of its parameters."""
        return grid_of(values, law.domain, None)

    # -- the same for all kinds --------------------------------------------------------------------------------------

    @property
    def expected(self) -> str:
        """How this statement should come out: an erratum is a statement of the source that should be refuted."""
        return "refuted" if self.erratum else "supported"

    def expected_at(self, preset: str, overrides: Setting) -> str:
        """How it should come out with the user's values put in: 'open' at settings for which nothing was declared."""
        declared = all(cell in self.grid for cell in self.cells(preset, overrides))
        return self.expected if declared else "open"

    def unit(self, params: Setting) -> float:
        """What a difference from the prediction is a share of: the predicted value, unless a scale is declared."""
        return abs(self.predicted(params))

    def law_values(self, params: Setting) -> dict[str, Any]:
        """The law's parameters at one setting; none without a law."""
        law = self.formula
        if law is None:
            return {}
        values = params if self.to_law is None else self.to_law(params)
        return {name: value for name, value in values.items() if name in law.domain}

    def validate(self, params: Setting) -> None:
        """Raise ValueError if a setting lies outside the domain of the law; of one of arrays only the conditions speak of it."""
        law = self.formula
        if law is not None and not law.of_arrays:
            law.validate(**self.law_values(params))
        for condition in law.conditions if law is not None and law.of_arrays else ():
            if not condition.holds(dict(params)):
                raise ValueError(f"{condition.message}; got {spell(params)}")

    def cells(self, preset: str, overrides: Setting) -> list[dict[str, Any]]:
        """The settings of a preset with the user's values put in; equal ones appear once."""
        cells: list[dict[str, Any]] = []
        for params in self.grid[preset]:
            cell = {**params, **{k: v for k, v in overrides.items() if k in params}}
            if cell not in cells:
                cells.append(cell)
        return cells

    def replicas_at(self, round: int, cell: Setting) -> int:
        """How many replicas a setting has after a round: the blocks of the first one are doubled in each further."""
        return int(self.experiment.block * self.grid.weight_of(cell) * 2**round)

    def share_of_look(self, round: int) -> float:
        """The share of both error rates that the look after a round may spend; those of all rounds add up to at most 1."""
        return 1 / LOOKS

    @property
    def right(self) -> "Statement":
        """The statement itself, or, for an erratum, the one with the corrected law."""
        return self.with_corrected_law() if self.erratum else self

    def with_corrected_law(self) -> "Statement":
        """The same statement with the corrected law in the source's place: it should then be supported."""
        if self.erratum is None:
            raise ValueError(f"part {self.name!r} is no erratum: it has no corrected law")
        return replace(self.with_law(laws[self.erratum.corrected_by]), erratum=None)

    def at_cells(self, cells: Sequence[Setting]) -> Self:
        """The same statement measured at other settings."""
        return replace(self, grid=self.grid.at(cells))


@dataclass(frozen=True, eq=False, kw_only=True)
class LawStatement(Statement):
    """A statement about a law.

    A law of arrays is evaluated on what the experiment drew, and the statement is about measured over predicted.
    """

    law: Law

    def __post_init__(self) -> None:
        self.check_margin(self.largest_margin)
        if self.law.of_arrays:
            object.__setattr__(self, "experiment", on_draws(self.experiment, self.law, Ratio))

    @property
    def formula(self) -> Law | None:
        """The law."""
        return self.law

    @property
    def relation(self) -> str:
        """The law's relation."""
        return self.law.relation

    @property
    def speaks_of(self) -> Collection[str]:
        """The law's parameters."""
        return self.law.domain

    @property
    def source(self) -> str:
        """The law's source."""
        return str(self.law.source)

    def predicted(self, params: Setting) -> float:
        """What the law says at one setting, the declared constant included."""
        return self.factor if self.law.of_arrays else self.factor * law_value(self.law, self.law_values(params))

    def with_law(self, law: Law) -> Statement:
        """The same statement about another law."""
        return replace(self, law=law)

    def check_margin(self, largest: float) -> None:
        """Raise ValueError for a margin that is no number above 0, or more than the contract allows."""
        margin = self.margin
        if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 < margin <= largest:
            raise ValueError(
                f"margin must be a number above 0 and at most {largest} for a statement of kind {self.kind}; got {margin!r}"
            )
