"""A figure of the sources as a declaration: how it is measured and drawn. What is said of it stands in a Markdown file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from asymp.reports.figures.data import Point, Series, point, series
from asymp.theory.laws import paragraphs

if TYPE_CHECKING:
    import matplotlib.figure

    from asymp.montecarlo.estimate import Estimate
    from asymp.montecarlo.running.store import Store

Data = dict[str, Any]
"""Plain JSON: settings, series with intervals, theory lines with their constants."""
Settings = Mapping[str, Any]
"""Sizes and numbers of runs, by name."""
Drawing: TypeAlias = "matplotlib.figure.Figure"


@dataclass(frozen=True)
class Sentence:
    """A sentence of the caption, and the statement of a claim that says the same: there it is judged."""

    text: str
    claim: str
    statement: str


@dataclass(frozen=True)
class How:
    """With which random numbers, on which device and with which store a figure is measured."""

    seed: int = 0
    device: str = "auto"
    store: "Store | None" = None

    def estimate(self, id: str, replicas: int, **params: Any) -> "Estimate":
        """The estimate of the experiment `id` at one setting; its cells are kept in the store, and found again."""
        from asymp.montecarlo import experiments
        from asymp.montecarlo.running.series import Series as Blocks
        from asymp.montecarlo.running.sweep import measure

        (found,) = measure([(Blocks(experiments[id], params, self.seed, self.device), replicas)], store=self.store)
        return found

    def point(self, id: str, replicas: int, **params: object) -> Point:
        """The mean of the experiment `id` at one setting, with its interval."""
        return point(self.estimate(id, replicas, **params))

    def curve(
        self, name: str, id: str, replicas: int, variable: str, x: Sequence[float], *, panel: str = "", **params: object
    ) -> Series:
        """The series `name`: the means of the experiment `id` at the values x of a variable."""
        return series(name, x, [self.point(id, replicas, **params, **{variable: at}) for at in x], panel=panel)


@dataclass(frozen=True)
class Figure:
    """A figure of a source.

    settings  sizes for `quick` and for `paper` (the published ones where they are known)
    measure   settings and How to plain data; draw: plain data to a matplotlib figure
    version   changes when the data's meaning does

    The file <name>.md next to its own has, under headings, the caption in our words, the text for a reader who cannot see
    the picture, what the source says of it, and notes: what the source does not say and we had to choose.
    """

    name: str
    settings: Mapping[str, Settings]
    measure: Callable[[Settings, How], Data]
    draw: Callable[[Data], Drawing]
    version: int = 1

    def __post_init__(self) -> None:
        if set(self.settings) != {"quick", "paper"}:
            raise ValueError(
                f"figure {self.name!r} must have settings for quick and paper; got {sorted(self.settings)}"
            )

    @cached_property
    def _prose(self) -> dict[str, tuple[str, ...]]:
        return paragraphs(Path(__file__).parent / f"{self.name.replace('-', '_')}.md")

    @property
    def caption(self) -> str:
        """What is drawn, in our words."""
        return " ".join(self._prose["Caption"])

    @property
    def alt(self) -> str:
        """What a reader sees who cannot see it."""
        return " ".join(self._prose["Alternative text"])

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """What the source says of it: in the file each paragraph begins with `claim:statement`."""
        said = (paragraph[1:].split("` ", 1) for paragraph in self._prose["What the source says"])
        return tuple(Sentence(text, *statement.split(":")) for statement, text in said)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the source does not say and we had to choose."""
        return self._prose.get("Notes", ())

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims whose statements its sentences are, each once."""
        return tuple(dict.fromkeys(sentence.claim for sentence in self.sentences))
