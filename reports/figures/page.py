"""figures.html: every figure with its caption in our words, its picture, and what its source says, with the verdicts on that."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asymp.reports.figures.declare import How
from asymp.reports.figures.index import INDEX, chosen
from asymp.reports.figures.run import Made, kept, make
from asymp.reports.verdict import Verdict

KINDS = ("svg", "png", "pdf", "json")


@dataclass(frozen=True)
class Gallery:
    """The figures of a report: those that were made or kept, with which settings, and the report's verdicts."""

    made: tuple[Made, ...] = ()
    preset: str = "quick"
    seed: int = 0
    verdicts: tuple[Verdict, ...] = ()

    def data(self, made: Made) -> dict[str, Any]:
        """A figure as plain data, its sentences with the verdicts on the statements of claims that they are."""
        parts = {(verdict.claim, name): part for verdict in self.verdicts for name, part in verdict.parts.items()}
        data = made.to_json()
        for sentence in data["sentences"]:
            found = parts.get((sentence["claim"], sentence["statement"]))
            sentence |= {
                "outcome": found.outcome if found else "not checked",
                "words": found.evidence.words if found else "",
            }
        return data


def collect(
    names: Iterable[str],
    *,
    preset: str = "quick",
    how: How,
    verdicts: Sequence[Verdict] = (),
    tell: Callable[[str], None] | None = None,
) -> Gallery:
    """Measure the named figures; others are there too if the store has their data."""
    wanted = set(chosen(names))
    found = []
    for name in INDEX:
        made = make(name, preset=preset, how=how) if name in wanted else kept(name, preset=preset, how=how)
        if made is not None:
            found.append(made)
            if tell is not None and made.seconds is not None:
                tell(f"{name}: measured in {made.seconds:.1f} s")
    return Gallery(tuple(found), preset, how.seed, tuple(verdicts))


def gallery_data(gallery: Gallery) -> list[dict[str, Any]]:
    """The figures for report.json: everything but their data, which have files of their own."""
    return [{k: v for k, v in gallery.data(made).items() if k != "data"} for made in gallery.made]


def gallery_files(
    gallery: Gallery, pictures: Mapping[str, Mapping[str, bytes]], *, footer: str = ""
) -> dict[str, str | bytes]:
    """figures.html and the files of every figure, by their path in the report's folder."""
    from asymp.reports.page.figure import inline
    from asymp.reports.page.render import page_of, render
    from asymp.reports.serialise import dumps
    from asymp.theory.bibliography import spell_source

    files: dict[str, str | bytes] = {}
    articles = []
    for made in gallery.made:
        name, data = made.entry.name, gallery.data(made)
        files.update({f"gallery/{name}.{kind}": body for kind, body in pictures[name].items()})
        files[f"gallery/{name}.json"] = dumps(data) + "\n"
        for sentence in data["sentences"]:
            sentence["page"] = page_of(sentence["claim"], sentence["statement"])
        articles.append(
            {
                **data,
                "source": spell_source(made.entry.source),
                "settings": {key: _spell(value) for key, value in data["settings"].items()},
                "svg": inline(pictures[name]["svg"].decode(), prefix=f"gallery-{name}", label=made.figure.alt),
                "python": _python(made),
            }
        )
    options = f" --preset {gallery.preset}" if gallery.preset != "quick" else ""
    absent = [entry for name, entry in INDEX.items() if name not in {made.entry.name for made in gallery.made}]
    page = render(
        "figures.html",
        counts=counts_text(gallery),
        figures=articles,
        absent=[{"name": e.name, "title": e.title, "source": spell_source(e.source)} for e in absent],
        total=len(INDEX),
        options=options,
        kinds=KINDS,
        footer=footer,
    )
    return {"figures.html": page, **files}


def _spell(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False).replace('"', "")


def _python(made: Made) -> str:
    seed = f", how=How(seed={made.seed})" if made.seed else ""
    return (
        f"from asymp.reports.figures import {'How, ' if seed else ''}make\n\n"
        f'made = make("{made.entry.name}", preset="{made.preset}"{seed})\n'
        "made.data\nmade.plot()  # a matplotlib figure"
    )


def more_text(gallery: Gallery) -> list[str]:
    """What is left to be made, in a sentence; nothing if nothing is."""
    left = len(INDEX) - len(gallery.made)
    here = f", {len(gallery.made)} of which are here" if gallery.made else ""
    return [f"--figures all makes the sources' {len(INDEX)} figures{here}."] if left else []


def counts_text(gallery: Gallery) -> str:
    """How many figures there are, and how what their captions say comes out."""
    if not gallery.made:
        return "None of the figures is in this report."
    found = Counter(sentence["outcome"] for made in gallery.made for sentence in gallery.data(made)["sentences"])
    numbers = ", ".join(f"{found[outcome]} {outcome}" for outcome in ("supported", "refuted", "inconclusive"))
    left = f", {found['not checked']} of claims that were not checked" if found["not checked"] else ""
    return f"{len(gallery.made)} of {len(INDEX)} figures with {found.total()} statements: {numbers}{left}."
