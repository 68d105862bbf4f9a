"""Write the reference from the declarations: claims, laws with rendered formulas, errata, commands, Python, messages.

What the pages say stands in the templates in `_templates/written`; here is what they are filled with.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import jinja2
from messages import families, group, messages

from asymp.reports.claims import claims, index, sections
from asymp.reports.cli.main import cli
from asymp.reports.page.formulas import too_long, with_marks
from asymp.reports.page.render import prose
from asymp.theory import errata, graded, laws
from asymp.theory.sources import MEANINGS, spell_source

TEMPLATES = Path(__file__).with_name("_templates") / "written"
PUBLIC = {
    "asymp.theory": "What the papers say: no torch needed.",
    "asymp.montecarlo": "How it is measured.",
    "asymp.reports": "Theory beside measurement.",
}
LONGEST = 20_000  # characters of MathML that are shown beside other text
FILLS_SCREENS = 100_000  # characters of MathML that are not shown at all


def write_reference(folder: Path) -> None:
    """All pages of the reference, and the list of messages beside it."""
    folder.mkdir(exist_ok=True)
    environment = _environment()

    def write(file: Path, template: str, **values: object) -> None:
        text = environment.get_template(template).render(**values).rstrip("\n") + "\n"
        # Only what changed, so that a second build has less to do.
        if not file.exists() or file.read_text() != text:
            file.write_text(text)

    for page in ("claims", "laws"):
        write(folder / f"{page}.md", f"{page}.md")
        for section in sections():
            write(folder / f"{page}-{section}.md", f"{page}-of.md", section=section)
    write(folder / "errata.md", "errata.md")
    write(folder / "commands.md", "commands.md", commands=list(commands(cli, "asymp")))
    write(folder / "python.md", "python.md")
    write(folder.parent / "messages.md", "all-messages.md", messages=grouped_messages(), count=len(messages()))


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=False,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
        extensions=["jinja2.ext.do"],
    )
    environment.filters.update(plain=plain, sentence=sentence, anchor=anchor, slug=slug)
    environment.globals.update(
        claims=claims,
        errata=errata,
        graded=graded,
        meanings=MEANINGS,
        fills_screens=FILLS_SCREENS,
        laws=laws,
        longest=LONGEST,
        mathml=mathml,
        of_section=lambda section: [(id, entry) for id, entry in index().items() if entry.section == section],
        offered=offered,
        public=PUBLIC,
        sections={number: title for number, (_, title) in sections().items()},
        spell_source=spell_source,
        too_long=too_long,
    )
    return environment


def plain(text: str) -> str:
    """A sentence in Markdown: nothing in it is markup but what stands in backticks, and its mathematics is typeset."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        pieces = [text.replace("`", "'")]
    return "".join(f"`{piece}`" if i % 2 else _escaped(piece) for i, piece in enumerate(pieces))


def _escaped(text: str) -> str:
    return re.sub(r"(</?(?:su[bp]|var)>|&[#\w]+;)|[\\*_{}\[\]#|~^$]", lambda m: m[1] or "\\" + m[0], prose(text))


def sentence(text: str) -> str:
    """With a capital letter and one full stop."""
    return plain(f"{text[:1].upper()}{text[1:]}".removesuffix(".") + ".") if text else ""


def anchor(id: str) -> str:
    """The target of a law; laws and claims share ids, so each kind has a prefix."""
    return id.replace(":", "-").lower()


def slug(title: str) -> str:
    """The target of a heading."""
    return re.sub(r"[^a-z ]", "", title.lower()).replace(" ", "-")


@cache
def mathml(id: str) -> str:
    """A law's formula in MathML, typeset once: it stands on several pages."""
    return with_marks(laws[id].mathml())


def commands(command: click.Command, path: str) -> Iterator[tuple[str, str]]:
    """A command and those below it, each with its help."""
    context = click.Context(command, info_name=path, max_content_width=100, terminal_width=100)
    yield path, command.get_help(context)
    if isinstance(command, click.Group):
        for name, child in sorted(command.commands.items()):
            yield from commands(child, f"{path} {name}")


def offered(module: str) -> Iterator[tuple[str, str, str]]:
    """The functions and classes that a module offers, each with its signature and docstring."""
    loaded = importlib.import_module(module)
    for name in loaded.__all__:
        thing = getattr(loaded, name)
        if callable(thing):
            yield name, signature(thing), inspect.getdoc(thing) or ""


def signature(thing: object) -> str:
    """The names of the arguments and their defaults, without types: those are in the source."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    shown = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
    words = str(found.replace(parameters=shown, return_annotation=inspect.Signature.empty))
    # A function as a default by its name: where it lies in memory is another place in every build.
    return re.sub(r"<function (\w+) at 0x\w+>", r"\1", words)


def grouped_messages() -> dict[str, list[tuple[str, str]]]:
    """Every message with its file, under the headings of the page of errors."""
    grouped: dict[str, list[tuple[str, str]]] = {title: [] for title, _ in families()}
    for file, text in messages():
        grouped[group(text) or "An argument has the wrong value"].append((file, text))
    return grouped
