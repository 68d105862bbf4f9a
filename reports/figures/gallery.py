"""The figures of a report: measured, or found in the store; their data and pictures are kept by what they depend on."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from asymp.montecarlo.draws import pick_device
from asymp.montecarlo.running.pools import Pool
from asymp.montecarlo.running.store import Derived
from asymp.reports.figures.declare import INDEX, Data, Drawing, Figure, How, chosen
from asymp.reports.figures.style import drawn, file_bytes
from asymp.reports.page.figure import Files, drawn_by, files_of_pictures
from asymp.reports.page.render import macro
from asymp.reports.page.view import FigureView, SentenceView
from asymp.reports.serialise import clean
from asymp.reports.verdict import Verdict

KIND = "gallery"
"""Under which name figures' data are kept beside the store's cells."""
PACKAGES = ("theory", "models", "montecarlo")
MEASURE = ("declare.py", "training.py", "induction.py")
"""What figures share when they measure; other files here only draw and write."""
FOLDER = Path(__file__).parent


def figure(name: str) -> Figure:
    """The declaration of a figure: FIGURE in the module of its name."""
    (known,) = chosen([name])
    declared = import_module(f"asymp.reports.figures.{known.replace('-', '_')}").FIGURE
    assert isinstance(declared, Figure)
    return declared


@dataclass(frozen=True)
class Made:
    """A figure with its data; `seconds`: the time that measuring took, None if the data were kept from before."""

    figure: Figure
    preset: str
    seed: int
    data: Data
    seconds: float | None

    def plot(self) -> Drawing:
        """The picture, as a matplotlib figure."""
        return drawn(self.figure, self.data)

    def view(self, verdicts: Sequence[Verdict] = ()) -> FigureView:
        """What is said of it, with the verdicts on its sentences."""
        own = self.figure
        judged = {(verdict.claim, name): part for verdict in verdicts for name, part in verdict.parts.items()}
        sentences = []
        for said in own.sentences:
            part = judged.get((said.claim, said.statement))
            found = {"outcome": part.outcome, "words": part.evidence.words} if part else {}
            sentences.append(SentenceView(**vars(said), **found))
        return FigureView(
            figure=own.name,
            title=own.title,
            source=own.source,
            caption=own.caption,
            notes=own.notes,
            version=own.version,
            preset=self.preset,
            seed=self.seed,
            settings=clean(own.settings[self.preset]),
            sentences=tuple(sentences),
            repeat=f"asymp report --figures {own.name} --preset {self.preset} --seed {self.seed}",
            alt=own.alt,
        )

    def to_json(self, verdicts: Sequence[Verdict] = ()) -> dict[str, Any]:
        """Everything but the picture: the same text from the same settings, seed, code and verdicts."""
        return {**clean(self.view(verdicts)), "data": self.data}

    def _repr_html_(self) -> str:
        return macro("notebook.html", "figure", self.figure)


def make(name: str, *, preset: str = "quick", how: How | None = None) -> Made:
    """Measure the figure `name` at the settings of a preset, or take its data from the store.

    `how`: seed, device, store. `standard` takes the settings of `quick`: between them and the published ones is nothing.
    """
    how, declared, settled = how or How(), figure(name), _settled(preset)
    seconds = None

    def measured() -> Data:
        nonlocal seconds
        started = time.perf_counter()
        found: Data = clean(declared.measure(declared.settings[settled], how))
        seconds = time.perf_counter() - started
        return found

    data = Derived(how.store).data(KIND, _depends_on(declared, settled, how), measured, code=PACKAGES)
    return Made(declared, settled, how.seed, data, seconds)


def is_kept(name: str, *, preset: str = "quick", how: How) -> bool:
    """Whether the store has the figure's data, at the same settings, seed and code."""
    if how.store is None:
        return False
    return Derived(how.store).has(KIND, _depends_on(figure(name), _settled(preset), how), code=PACKAGES)


def _settled(preset: str) -> str:
    return "paper" if preset == "paper" else "quick"


def _depends_on(declared: Figure, preset: str, how: How) -> list[object]:
    """What determines a figure's data, beside the code of the packages that measure."""
    own = [(FOLDER / file).read_text(encoding="utf-8") for file in (_source(declared.name), *MEASURE)]
    device = str(pick_device(how.device))
    return [declared.name, declared.version, clean(declared.settings[preset]), how.seed, device, own]


def _source(name: str) -> str:
    return f"{name.replace('-', '_')}.py"


def collect(
    names: Iterable[str],
    *,
    preset: str = "quick",
    how: How,
    tell: Callable[[str], None] | None = None,
    within: float | None = None,
) -> tuple[Made, ...]:
    """Measure the named figures; others are there too if the store has their data.

    `within`: none is begun after so many seconds, without which all are.
    """
    wanted, found = set(chosen(names)), []
    begun = time.monotonic()
    for name in INDEX:
        in_time = within is None or time.monotonic() - begun < within
        if (name in wanted and in_time) or is_kept(name, preset=preset, how=how):
            made = make(name, preset=preset, how=how)
            found.append(made)
            if tell is not None and made.seconds is not None:
                tell(f"{name}: measured in {made.seconds:.1f} s")
    return tuple(found)


def pictures(gallery: Sequence[Made], kept: Derived, pool: Pool) -> dict[str, Callable[[], Files]]:
    """By name, what gives a figure's files when it is called; `pool` begins at once with those that are not `kept`."""
    tasks = {}
    for made in gallery:
        name = made.figure.name
        task = name, made.data
        tasks[name] = [*task, drawn_by(FOLDER / _source(name), FOLDER / "style.py")], _draw, task
    return files_of_pictures(tasks, kept, pool)


def _draw(task: tuple[str, Data]) -> Files:
    name, data = task
    return file_bytes(drawn(figure(name), data))


def more_text(gallery: Sequence[Made]) -> list[str]:
    """What is left to be made, in a sentence; nothing if nothing is."""
    here = f", {len(gallery)} of which are here" if gallery else ""
    return [f"--figures all makes the sources' {len(INDEX)} figures{here}."] if len(gallery) < len(INDEX) else []
