"""What a figure of the sources is: what is said of it (a Markdown file of its name), how it is measured and drawn.

Its data are plain JSON: settings, measured series with their intervals, the curves of laws. Listing the figures loads
neither SymPy nor torch.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from asymp.theory.laws import paragraphs
from asymp.theory.lazy import np
from asymp.theory.names import UnknownName, unknown_name

if TYPE_CHECKING:
    import matplotlib.figure

    from asymp.montecarlo.estimate import Estimate
    from asymp.montecarlo.running.store import Store

Data = dict[str, Any]
Settings = Mapping[str, Any]
"""Sizes and numbers of runs, by name."""
Drawing: TypeAlias = "matplotlib.figure.Figure"
LEVEL = 0.95
"""The level of the intervals that are drawn."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of the caption, and the statement of a claim that says the same: there it is judged."""

    text: str
    claim: str
    statement: str


@dataclass(frozen=True)
class Entry:
    """What is said of a figure, from the file <name>.md: under its title the source, then paragraphs under headings."""

    name: str

    @cached_property
    def _prose(self) -> dict[str, tuple[str, ...]]:
        return paragraphs(Path(__file__).parent / f"{self.name.replace('-', '_')}.md")

    @property
    def title(self) -> str:
        """What it is called on pages and in lists."""
        return next(iter(self._prose))

    @property
    def source(self) -> str:
        """Where it stands, in keys of the bibliography."""
        return self._prose[self.title][0]

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


INDEX: dict[str, Entry] = {
    name: Entry(name)
    for name in (
        *("figure-1", "figure-2", "figure-3", "figure-4", "figure-5", "memory-matrices", "step-size", "batch-size"),
        *("adam", "layer-norm", "learned-embeddings", "oscillations", "hallucination", "induction-attention"),
        *("induction-probes", "factual-recall", "capacity", "learnability"),
    )
}


def chosen(names: Iterable[str]) -> list[str]:
    """The names asked for in the order of the index, "all" spelt out; a misspelt one is answered in one sentence."""
    wanted = set(names)
    for name in sorted(wanted - {"all", *INDEX}):
        raise UnknownName(unknown_name("figure", name, ["all", *INDEX]))
    return [name for name in INDEX if name in wanted or "all" in wanted]


class Point(TypedDict):
    """A mean over a number of runs, with its interval."""

    mean: float
    low: float
    high: float
    replicas: int


class Series(TypedDict):
    """A measured curve; `panel` says where it is drawn."""

    name: str
    panel: str
    x: list[float]
    points: list[Point]


class Line(TypedDict):
    """A curve of a law; it is drawn with the series of its name."""

    name: str
    x: list[float]
    y: list[float]
    law: str


def point(estimate: "Estimate") -> Point:
    """The mean of an estimate with its interval, that of the estimate itself."""
    low, high = estimate.interval(LEVEL)
    return {"mean": float(estimate.mean), "low": float(low), "high": float(high), "replicas": estimate.replicas}


def points_of(values: "np.ndarray", bounds: tuple[float, float] | None = None) -> list[Point]:
    """The points of a trajectory, values (replicas, steps)."""
    from asymp.montecarlo.estimate import Estimate

    return [point(Estimate(values=column, bounds=bounds)) for column in np.asarray(values, dtype=float).T]


def series(name: str, x: Sequence[float], points: Sequence[Point], *, panel: str = "") -> Series:
    """A measured curve over x."""
    return {"name": name, "panel": panel, "x": list(x), "points": list(points)}


def line(name: str, x: Sequence[float], y: Iterable[float], *, law: str) -> Line:
    """A curve over x of the law with that id."""
    return {"name": name, "x": list(x), "y": [float(value) for value in y], "law": law}


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
class Figure(Entry):
    """A figure of a source.

    settings  sizes for `quick` and for `paper` (the published ones where they are known)
    measure   settings and How to plain data; draw: plain data to a matplotlib figure
    version   changes when the data's meaning does
    """

    settings: Mapping[str, Settings]
    measure: Callable[[Settings, How], Data]
    draw: Callable[[Data], Drawing]
    version: int = 1

    def __post_init__(self) -> None:
        if set(self.settings) != {"quick", "paper"}:
            raise ValueError(
                f"figure {self.name!r} must have settings for quick and paper; got {sorted(self.settings)}"
            )
