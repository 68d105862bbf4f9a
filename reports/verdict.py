"""Verdicts: what came out, part by part, with the numbers behind it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from asymp.theory import Erratum

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Cell", "Judgement", "Outcome", "PartVerdict", "Verdict"]

Outcome = Literal["supported", "refuted", "inconclusive"]


@dataclass(frozen=True)
class Cell:
    """One measured point of a part: its parameters, what the law says there, and the estimate with its interval."""

    params: dict[str, Any]
    predicted: float
    mean: float
    low: float
    high: float
    level: float
    replicas: int

    @property
    def ratio(self) -> float:
        """Measured over predicted."""
        return self.mean / self.predicted if self.predicted else float("nan")


@dataclass(frozen=True)
class Judgement:
    """What a test says of a part before the budget is shared: is it shown, and how small is the p-value against it."""

    shown: bool
    p_value: float
    cells: tuple[Cell, ...]
    words: str
    seen: float
    unit: str
    wanted: float
    needed: int | None
    could_refute: bool = True
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PartVerdict:
    """The outcome of one part with its triad: the assertion, the smallest discrepancy seen, the samples needed."""

    name: str
    kind: str
    statement: str
    outcome: Outcome
    expected: str
    margin: float
    judgement: Judgement
    budget: float
    law: str
    erratum: Erratum | None = None

    @property
    def as_expected(self) -> bool:
        """Whether the outcome is the expected one, or leaves it open, or nothing was expected at these settings."""
        return self.expected == "open" or self.outcome in (self.expected, "inconclusive")

    def _repr_html_(self) -> str:
        from asymp.reports.notebook import part_html

        return part_html(self)


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim: its outcome is that of what the source says, else of the sharp form."""

    claim: str
    outcome: Outcome
    parts: dict[str, PartVerdict]
    preset: str
    seed: int
    budget: float
    settings: dict[str, Any]
    seconds: float
    missing: tuple[str, ...] = ()
    origins: tuple[dict[str, Any], ...] = ()

    @property
    def as_expected(self) -> bool:
        """Whether every part came out as expected, or open."""
        return all(p.as_expected for p in self.parts.values())

    @property
    def inconclusive(self) -> bool:
        """Whether any part was left open."""
        return any(p.outcome == "inconclusive" for p in self.parts.values())

    def plot(self, part: str | None = None) -> "Figure":
        """The figure of one part, the leading one if none is named: measured beside the law, the ratio below."""
        from asymp.reports.notebook import verdict_plot

        return verdict_plot(self, part)

    def _repr_html_(self) -> str:
        from asymp.reports.notebook import verdict_html

        return verdict_html(self)

    def _repr_latex_(self) -> str:
        from asymp.reports.notebook import verdict_latex

        return verdict_latex(self)

    def __repr__(self) -> str:
        parts = ", ".join(f"{p.name} {p.outcome}" for p in self.parts.values())
        return f"<Verdict {self.claim}: {self.outcome} ({parts})>"

    def __str__(self) -> str:
        lines = [f"{self.claim}: {self.outcome}"]
        lines += [f"  {p.name}: {p.outcome}. {p.judgement.words}" for p in self.parts.values()]
        return "\n".join(lines)
