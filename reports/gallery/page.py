"""figures.html: every figure with its caption in our words, its picture, and what its caption says, checked."""

import json
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from asymp.reports.gallery.declare import FAILS, HOLDS, OPEN, How
from asymp.reports.gallery.index import INDEX, chosen
from asymp.reports.gallery.run import Made, kept, make

__all__ = ["KINDS", "Gallery", "collect", "counts_text", "figures_page", "gallery_data", "gallery_files", "more_text"]

KINDS = ("svg", "png", "pdf", "json")
# The classes that colour the report's verdicts, and words that fit into a badge.
CLASSES = {HOLDS: "supported", FAILS: "refuted", OPEN: "inconclusive"}
WORDS = {HOLDS: "holds", FAILS: "fails", OPEN: "open"}


@dataclass(frozen=True)
class Gallery:
    """The figures of a report: those that were made or kept, and with which settings."""

    made: tuple[Made, ...] = ()
    preset: str = "quick"
    seed: int = 0


def collect(
    names: Iterable[str], *, preset: str = "quick", how: How, tell: Callable[[str], None] | None = None
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
    return Gallery(tuple(found), preset, how.seed)


def gallery_data(gallery: Gallery) -> list[dict[str, Any]]:
    """The figures for report.json: everything but their data, which have files of their own."""
    return [{k: v for k, v in made.to_json().items() if k != "data"} for made in gallery.made]


def gallery_files(
    gallery: Gallery, pictures: Mapping[str, Mapping[str, bytes]], *, present: Container[str], footer: str = ""
) -> dict[str, str | bytes]:
    """figures.html and the files of every figure, by their path in the report's folder."""
    from asymp.reports.serialise import dumps

    files: dict[str, str | bytes] = {}
    svgs = {}
    for made in gallery.made:
        name = made.entry.name
        drawn = pictures[name]
        svgs[name] = drawn["svg"].decode()
        files.update({f"gallery/{name}.{kind}": body for kind, body in drawn.items()})
        files[f"gallery/{name}.json"] = dumps(made.to_json()) + "\n"
    return {"figures.html": figures_page(gallery, svgs, present=present, footer=footer), **files}


def figures_page(gallery: Gallery, svgs: Mapping[str, str], *, present: Container[str], footer: str = "") -> str:
    """The page; it links to no page that is not `present`."""
    from asymp.reports.describe import spell_source
    from asymp.reports.pages.layout import page
    from asymp.reports.pages.render import render

    shown = {made.entry.name for made in gallery.made}
    options = f" --preset {gallery.preset}" if gallery.preset != "quick" else ""
    body = render(
        "figures.html",
        counts=counts_text(gallery),
        figures=[_article(made, svgs[made.entry.name], present) for made in gallery.made],
        absent=[
            {"name": e.name, "title": e.title, "source": spell_source(e.source)}
            for e in INDEX.values()
            if e.name not in shown
        ],
        total=len(INDEX),
        command=f"asymp report --figures all{options}",
        options=options,
        kinds=KINDS,
        classes=CLASSES,
        words=WORDS,
    )
    return page("Figures", body, current="figures.html", footer=footer, present=present)


def _article(made: Made, svg: str, present: Container[str]) -> dict[str, Any]:
    from asymp.reports.describe import spell_source
    from asymp.reports.pages.part_figures import inline

    data = made.to_json()
    for statement in data["statements"]:
        claim = f"claims/{statement['erratum'].partition(':')[0]}.html"
        statement["page"] = claim if statement["erratum"] and claim in present else ""
    return {
        **data,
        "source": spell_source(made.entry.source),
        "failed": [s for s in data["statements"] if s["outcome"] == FAILS],
        "settings": {name: _spell(value) for name, value in data["settings"].items()},
        "svg": inline(svg, prefix=f"gallery-{made.entry.name}", label=made.figure.alt),
        "python": _python(made),
    }


def _spell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False).replace('"', "")


def _python(made: Made) -> str:
    seed = f", how=How(seed={made.seed})" if made.seed else ""
    return (
        f"from asymp.reports.gallery import {'How, ' if seed else ''}make\n\n"
        f'made = make("{made.entry.name}", preset="{made.preset}"{seed})\n'
        'made.data, made.to_json()["statements"]\nmade.plot()  # a matplotlib figure'
    )


def more_text(gallery: Gallery) -> list[str]:
    """What is left to be made, in a sentence; nothing if nothing is."""
    left = len(INDEX) - len(gallery.made)
    here = f", {len(gallery.made)} of which are here" if gallery.made else ""
    return [f"--figures all makes the sources' {len(INDEX)} figures{here}."] if left else []


def counts_text(gallery: Gallery) -> str:
    """How many figures there are, and how their statements come out."""
    findings = [f for made in gallery.made for f in made.findings]
    if not findings:
        return "None of the figures is in this report."
    numbers = {outcome: sum(f.outcome == outcome for f in findings) for outcome in (HOLDS, FAILS, OPEN)}
    return (
        f"{len(gallery.made)} of {len(INDEX)} figures with {len(findings)} statements: {numbers[HOLDS]} hold, "
        f"{numbers[FAILS]} fail, {numbers[OPEN]} cannot be decided from the data."
    )
