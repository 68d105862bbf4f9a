"""Write the reference from the declarations: claims, laws with rendered formulas, errata, commands, Python, messages."""

import importlib
import inspect
import re
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path

import click
from messages import families, group, messages

from asymp.reports.claims import SECTIONS, claims, index
from asymp.reports.cli.main import cli
from asymp.reports.page.formulas import too_long
from asymp.theory import errata, laws
from asymp.theory.bibliography import spell_source
from asymp.theory.law import Law

PUBLIC = {
    "asymp.theory": "what the papers say: no torch needed",
    "asymp.montecarlo": "how it is measured",
    "asymp.reports": "theory beside measurement",
}
LONGEST = 20_000  # characters of MathML that are shown beside other text
FILLS_SCREENS = 100_000  # characters of MathML that are not shown at all
SPELT = {"asymp": "derived here"}


def write_reference(folder: Path) -> None:
    """All pages of the reference, and the list of messages beside it."""
    folder.mkdir(exist_ok=True)
    pages = {
        "claims.md": claims_index(),
        **{f"claims-{section}.md": claims_of(section) for section in SECTIONS},
        "laws.md": laws_index(),
        **{f"laws-{section}.md": laws_of(section) for section in SECTIONS},
        "errata.md": errata_page(),
        "commands.md": commands_page(),
        "python.md": python_page(),
    }
    for name, text in pages.items():
        write(folder / name, text)
    write(folder.parent / "messages.md", messages_page())


def write(file: Path, text: str) -> None:
    """Only what changed, so that a second build has less to do."""
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def plain(text: str) -> str:
    """Text as it stands: nothing in a note is markup, but what stands in backticks is code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        pieces = [text.replace("`", "'")]
    return "".join(f"`{piece}`" if i % 2 else _escaped(piece) for i, piece in enumerate(pieces))


def _escaped(text: str) -> str:
    for character in "\\*_{}[]<>#|~^$":
        text = text.replace(character, "\\" + character)
    return text


def sentence(text: str) -> str:
    """With a capital letter and one full stop."""
    return plain(f"{text[:1].upper()}{text[1:]}".removesuffix(".") + ".") if text else ""


def formula(law: Law) -> list[str]:
    """A law's formula; a long one scrolls, with the keyboard too."""
    name = escape(f"formula of {law.id}", quote=True)
    attributes = f'style="overflow-x: auto; margin-bottom: 1em" tabindex="0" role="group" aria-label="{name}"'
    shown = mathml(law.id)
    if len(shown) > FILLS_SCREENS:
        return [plain(too_long(law.id)), ""]
    return ["```{raw} html", f"<div {attributes}>{shown}</div>", "```", ""]


@cache
def mathml(id: str) -> str:
    """A law's formula in MathML, typeset once: it stands on several pages."""
    return laws[id].mathml()


def short_formula(law: Law) -> list[str]:
    """A law's formula, if it is one that can be read; the laws' own page has all of them."""
    return formula(law) if len(mathml(law.id)) < LONGEST else ["(The formula is long: it stands with the law.)", ""]


def toctree(names: Iterable[str]) -> str:
    return "```{toctree}\n:hidden:\n" + "\n".join(names) + "\n```\n"


def of_section(section: int) -> list[str]:
    return [id for id, entry in index().items() if entry.section == section]


def anchor(id: str) -> str:
    """The target of a law or claim; laws and claims share ids, so each kind has a prefix."""
    return id.replace(":", "-").lower()


def claims_index() -> str:
    lines = ["# Claims", "", "What is checked, by section. `asymp show ID` prints the same.", ""]
    for section, title in SECTIONS.items():
        lines += [f"## {section}. {title}", "", "| id | kind | title |", "|---|---|---|"]
        lines += [f"| [{i}](#claim-{i}) | {index()[i].kind} | {plain(index()[i].title)} |" for i in of_section(section)]
        lines.append("")
    return "\n".join(lines) + "\n" + toctree(f"claims-{s}" for s in SECTIONS)


def claims_of(section: int) -> str:
    lines = [f"# Claims: {SECTIONS[section].lower()}", ""]
    for id in of_section(section):
        claim = claims[id]
        source = spell_source(claim.source)
        lines += [
            f"(claim-{id})=",
            f"## {id}",
            "",
            f"{sentence(claim.title)} {sentence(SPELT.get(source, source))}",
            "",
        ]
        lines += [f"*Simulation.* {plain(claim.simulated)}", ""]
        shown: set[str] = set()
        for part in claim.parts:
            word = " (an erratum: expected to be refuted)" if part.erratum else ""
            law = part.formula  # an order needs none
            link = f" Law [{law.id}](#law-{anchor(law.id)})." if law else ""
            lines += [f"**{part.name}**, {part.kind}, margin {part.margin:g}{word}: {plain(part.text)}{link}", ""]
            if law and law.id not in shown:
                shown.add(law.id)
                lines += short_formula(law)
        lines += ["", *(f"{plain(note)}\n" for note in claim.notes), "```", f"asymp check {id}", "```", ""]
    return "\n".join(lines)


def laws_index() -> str:
    lines = ["# Laws", "", "Every law is importable by its id, with underscores, and by `laws[id]`.", ""]
    for section, title in SECTIONS.items():
        lines += [f"## {section}. {title}", "", "| id | title |", "|---|---|"]
        lines += [
            f"| [{law.id}](#law-{anchor(law.id)}) | {plain(law.title)} |"
            for i in of_section(section)
            for law in laws.of(i)
        ]
        lines.append("")
    return "\n".join(lines) + "\n" + toctree(f"laws-{s}" for s in SECTIONS)


def laws_of(section: int) -> str:
    lines = [f"# Laws: {SECTIONS[section].lower()}", ""]
    for id in of_section(section):
        for law in laws.of(id):
            lines += law_lines(law)
    return "\n".join(lines)


def law_lines(law: Law) -> list[str]:
    lines = [
        f"(law-{anchor(law.id)})=",
        f"## {law.id}",
        "",
        f"{sentence(law.title)} {sentence(spell_source(str(law.source)))}",
        "",
    ]
    lines += formula(law)
    for name, domain in law.domain.items():
        meaning = f"{plain(law.params[name].meaning)}, " if law.params[name].meaning else ""
        typical = law.typical.get(name)
        drawn = f"; typically {typical[0]:g} to {typical[1]:g}" if typical else ""
        lines.append(f"- `{name}`: {meaning}{plain(domain.describe())}{drawn}")
    lines.append("")
    conventions = " ".join((law.conventions, *law.definitions)).strip()
    if conventions:
        lines += [f"*Conventions.* {plain(conventions)}", ""]
    lines += [f"{plain(note)}\n" for note in law.notes]
    for erratum in law.errata:
        lines += [
            f"*Erratum.* {plain(erratum.regime)} {plain(erratum.discrepancy)} See {law_link(erratum.corrected_by)}.",
            "",
        ]
    return lines


def law_link(id: str) -> str:
    return f"[{id}](#law-{anchor(id)})" if id in laws else f"`{id}`"


def errata_page() -> str:
    lines = [
        "# Where the sources are wrong",
        "",
        "In the ledger's order: the law as the source states it, where it fails, and what replaces it. `asymp check CLAIM`",
        "judges the statement and its correction on the same data; `asymp list --errata --json` is for programs.",
        "",
    ]
    for id, erratum in errata():
        lines += [
            f"## {id}",
            "",
            sentence(spell_source(str(laws[id].source))),
            "",
            *short_formula(laws[id]),
            f"*Where.* {plain(erratum.regime)}",
            "",
            f"*By how much.* {plain(erratum.discrepancy)}",
            "",
            f"*Instead.* {law_link(erratum.corrected_by)}",
            "",
            *(short_formula(laws[erratum.corrected_by]) if erratum.corrected_by in laws else ()),
        ]
    return "\n".join(lines)


def commands_page() -> str:
    lines = ["# Commands", "", "Every verb takes `--json`.", ""]
    lines += command_lines(cli, "asymp", 2)
    return "\n".join(lines)


def command_lines(command: click.Command, path: str, depth: int) -> list[str]:
    context = click.Context(command, info_name=path, max_content_width=100, terminal_width=100)
    lines = [f"{'#' * depth} {path}", "", "```text", command.get_help(context), "```", ""]
    if isinstance(command, click.Group):
        for name, child in sorted(command.commands.items()):
            lines += command_lines(child, f"{path} {name}", depth + 1)
    return lines


def python_page() -> str:
    lines = [
        "# Python",
        "",
        "Every law of the ledger is a name of `asymp.theory` too.",
        "",
    ]
    for module, words in PUBLIC.items():
        lines += [f"## {module}", "", f"{words[0].upper()}{words[1:]}.", ""]
        loaded = importlib.import_module(module)
        for name in loaded.__all__:
            thing = getattr(loaded, name)
            if callable(thing):
                lines += [
                    f"### {name}",
                    "",
                    "```text",
                    f"{name}{signature(thing)}",
                    "",
                    inspect.getdoc(thing) or "",
                    "```",
                    "",
                ]
    return "\n".join(lines)


def signature(thing: object) -> str:
    """The names of the arguments and their defaults, without types: those are in the source."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    shown = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=shown, return_annotation=inspect.Signature.empty))


def messages_page() -> str:
    found = list(messages())
    lines = [
        "# All messages",
        "",
        f"{len(found)} errors and warnings under the headings of the [page with causes and cures](errors.md), each with the file",
        "that gives it. Three dots stand for what varies.",
        "",
    ]
    grouped: dict[str, list[tuple[str, str]]] = {title: [] for title, _ in families()}
    for file, text in found:
        grouped[group(text) or "An argument has the wrong value"].append((file, text))
    for title, entries in grouped.items():
        slug = re.sub(r"[^a-z ]", "", title.lower()).replace(" ", "-")
        lines += [f"## {title}", "", f"[Cause and cure](errors.md#{slug})", "", "```{raw} html", "<ul>"]
        lines += [f"<li>{escape(text)} <small><code>{escape(file)}</code></small></li>" for file, text in entries]
        lines += ["</ul>", "```", ""]
    return "\n".join(lines)
