"""figures.html: every figure with its caption in our words, its picture, and what its caption says, checked."""

import re
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.declare import FAILS, HOLDS, OPEN, How
from asymp.reports.gallery.index import INDEX, Entry
from asymp.reports.gallery.run import Made, chosen, kept, make

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["KINDS", "gallery_files", "gallery_text", "list_text"]

KINDS = ("svg", "png", "pdf", "json")
# The colours of the report's verdicts.
CLASSES = {HOLDS: "supported", FAILS: "refuted", OPEN: "inconclusive"}
INTRODUCTION = (
    "Figures of the sources, measured again. Beside each picture stands what its caption says, sentence by sentence, "
    "checked on the picture's own data at 99.9 %; a note says where it does not come out. Intervals in the pictures "
    "are at 95 %, over runs."
)


def gallery_files(
    names: Iterable[str], *, preset: str, how: How, folder: str | Path, tell: Callable[[str], None] | None = None
) -> tuple[list[Made], dict[str, str | bytes]]:
    """Measure the named figures; every file of theirs by its path in the report's folder.

    Other figures are shown if the store has their data, and named with the command that makes them otherwise.
    """
    wanted = set(chosen(names))
    made: dict[str, Made] = {}
    for name in INDEX:
        found = make(name, preset=preset, how=how, tell=tell) if name in wanted else kept(name, preset=preset, how=how)
        if found is not None:
            made[name] = found
    pages: dict[str, str | bytes] = {}
    articles = []
    for name, entry in INDEX.items():
        if name in made:
            text, own = _article(made[name])
            pages.update(own)
        else:
            text = _absent(entry, preset)
        articles.append(text)
    pages["figures.html"] = _page(articles, list(made.values()), Path(folder))
    return [made[name] for name in INDEX if name in wanted], pages


def _page(articles: list[str], made: list[Made], folder: Path) -> str:
    from asymp.reports.pages.layout import page

    contents = "".join(f'<li><a href="#{entry.name}">{escape(entry.title)}</a></li>' for entry in INDEX.values())
    counts = _counts(made)
    body = (
        f'<h1>The sources\' figures</h1>\n<p class="lead">{escape(counts)}</p>\n<p>{escape(INTRODUCTION)}</p>\n'
        f'<nav aria-label="Figures"><ul>{contents}</ul></nav>\n' + "\n".join(articles)
    )
    text = page("Figures", body, current="figures.html")

    def link(found: re.Match[str]) -> str:
        return found[0] if found[1] == "figures.html" or (folder / found[1]).exists() else found[2]

    # Written alone, the page links to no page that is not there.
    head, rest = text.split("</header>", 1)
    return re.sub(r'<a href="([a-z-]+\.html)"[^>]*>([^<]*)</a>', link, head) + "</header>" + rest


def _counts(made: list[Made]) -> str:
    findings = [f for m in made for f in m.findings]
    if not findings:
        return "No figure has been measured yet: asymp report --figures all"
    numbers = {outcome: sum(f.outcome == outcome for f in findings) for outcome in (HOLDS, FAILS, OPEN)}
    return (
        f"{len(made)} of {len(INDEX)} figures, {len(findings)} statements: {numbers[HOLDS]} hold, {numbers[FAILS]} fail, "
        f"{numbers[OPEN]} cannot be decided from the data."
    )


def _article(made: Made) -> tuple[str, dict[str, str | bytes]]:
    """A figure's part of the page, and its files."""
    from asymp.reports.describe import spell_source
    from asymp.reports.gallery.style import file_bytes, inline_svg, styled
    from asymp.reports.serialise import dumps

    name, declared = made.entry.name, made.figure
    with styled():
        drawing: Drawing = declared.draw(made.data)
    data = made.to_json()
    svg = inline_svg(drawing, prefix=f"gallery-{name}", label=declared.alt)
    own: dict[str, str | bytes] = {f"gallery/{name}.{kind}": content for kind, content in file_bytes(drawing).items()}
    own[f"gallery/{name}.json"] = dumps(data) + "\n"
    downloads = ", ".join(f'<a href="gallery/{name}.{kind}">{kind.upper()}</a>' for kind in KINDS)
    rows = "".join(
        f'<li><span class="badge {CLASSES[s["outcome"]]}">{s["outcome"]}</span> '
        f"{'<i>Instead:</i> ' if s['said_by'] == 'asymp' else ''}{escape(s['text'])} "
        f'<span class="meta">{escape(s["words"])}</span></li>'
        for s in data["statements"]
    )
    broken = [s for s in data["statements"] if s["outcome"] == FAILS and s["said_by"] == "source"]
    note = (
        f'<p class="erratum"><b>Note.</b> {"A sentence" if len(broken) == 1 else f"{len(broken)} sentences"} of the source '
        f"{'does' if len(broken) == 1 else 'do'} not come out here: "
        f"{' '.join(escape(s['text']) for s in broken)}</p>"
        if broken
        else ""
    )
    notes = "".join(f"<p><b>Chosen here.</b> {escape(text)}</p>" for text in declared.notes)
    text = (
        f'<section class="claim" aria-labelledby="{name}"><h2 id="{name}">{escape(made.entry.title)}</h2>'
        f'<p class="meta"><code>{name}</code> &middot; source: {escape(spell_source(made.entry.source))} &middot; '
        f"settings: {made.preset} &middot; seed {made.seed} &middot; {downloads}</p>"
        f"<figure>{svg}<figcaption>{escape(declared.caption)}</figcaption></figure>{note}"
        f'<h3>What the source says</h3><ul class="statements">{rows}</ul>{notes}'
        f'<pre tabindex="0" aria-label="Command to repeat {name}"><code>{escape(data["repeat"])}</code></pre></section>'
    )
    return text, own


def _absent(entry: Entry, preset: str) -> str:
    from asymp.reports.describe import spell_source

    return (
        f'<section class="claim" aria-labelledby="{entry.name}"><h2 id="{entry.name}">{escape(entry.title)}</h2>'
        f'<p class="meta"><code>{entry.name}</code> &middot; source: {escape(spell_source(entry.source))}</p>'
        "<p>Not measured in this report. "
        f"<code>asymp report --figures {entry.name} --preset {escape(preset)}</code> does.</p></section>"
    )


def gallery_text(made: list[Made], *, as_json: bool = False) -> str:
    """What the command line says about figures that were made."""
    if as_json:
        from asymp.reports.serialise import dumps

        return dumps([{k: v for k, v in m.to_json().items() if k != "data"} for m in made])
    lines = []
    for m in made:
        lines.append(f"{m.entry.name}: {m.entry.title}")
        for s, f in zip(m.figure.statements, m.findings, strict=True):
            lines += [f"  {f.outcome}: {s.text}", f"    {f.words}"]
    return "\n".join([*lines, _counts(made)])


def list_text(*, as_json: bool = False) -> str:
    """The figures' names, titles and sources."""
    if as_json:
        import json

        rows: list[dict[str, Any]] = [{"name": e.name, "title": e.title, "source": e.source} for e in INDEX.values()]
        return json.dumps(rows, indent=2)
    return "\n".join(f"{e.name:<20} {e.title} [{e.source}]" for e in INDEX.values())
