"""The documentation: it builds without a warning, its links lead somewhere, its examples run, its list of errors is whole."""

import re
import shlex
import shutil
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site built from a copy, so that nothing is written beside the sources."""
    from sphinx.cmd.build import main

    source = tmp_path_factory.mktemp("docs")
    shutil.copytree(DOCS, source / "docs", ignore=shutil.ignore_patterns("reference", "messages.md"))
    shutil.copytree(DOCS.parent / "examples", source / "examples")
    shutil.copy(DOCS.parent / "README.md", source)
    built = source / "site"
    before = list(sys.path)
    try:
        assert main(["-q", "-W", "--keep-going", "-b", "html", str(source / "docs"), str(built)]) == 0
    finally:
        sys.path[:] = before
    return built


def test_every_link_leads_somewhere_and_the_reference_has_every_law_and_claim(site):
    from asymp.reports.claims import index
    from asymp.theory import laws

    texts = {page: page.read_text() for page in site.rglob("*.html")}
    targets = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    assert len(texts) >= 25
    broken, outside = [], []
    for page, text in texts.items():
        for link in map(unescape, re.findall(r'\b(?:href|src)="([^"]+)"', text)):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                outside.append(link)
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            known = targets.get(target, {parts.fragment})
            if not target.exists() or (parts.fragment and parts.fragment not in known):
                broken.append((page.name, link))
    assert broken == []
    assert [link for link in outside if not link.startswith("data:")] == []
    reference = {target for page, found in targets.items() if page.parent.name == "reference" for target in found}
    assert {f"law-{id.replace(':', '-').lower()}" for id in laws} <= reference
    assert {f"claim-{id}" for id in index()} <= reference


LOOKED_AT = ("index", "tutorial", "howto/own-claim", "errors", "reference/claims-1", "reference/laws-1")


@pytest.mark.browser
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_in_a_browser(site, browser, assert_sound, name):
    assert_sound(site / f"{name}.html", themes=["light"])
    sizes = browser.execute_script(
        "return [...document.querySelectorAll('math, main img')].map(e => e.getBoundingClientRect().width)"
    )
    assert all(size > 0 for size in sizes) and (sizes or not name.startswith("reference"))


def test_the_page_of_errors_knows_every_message_no_other_and_its_cause_and_cure(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import messages as told  # it reads the messages out of the source, warnings too, and the patterns out of the page

    found = list(told.messages())
    assert len(found) > 400
    assert [(file, text) for file, text in found if told.group(text) is None] == []
    assert [p for _, p in told.families() if not any(told.matches(p, text) for _, text in found)] == []
    sections = re.split(r"^## ", (DOCS / "errors.md").read_text(), flags=re.MULTILINE)[1:]
    bare = [s.splitlines()[0] for s in sections if "- `" in s and not ("*Cause.*" in s and "*Cure.*" in s)]
    assert bare == []


def commands():
    """Every command line in the documentation: in blocks, and in the running text."""
    for page in [DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]:
        if page.parent.name == "reference" or page.name == "messages.md":
            continue
        text = page.read_text()
        blocks = re.findall(r"^```(?:console|text)?\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
        found = re.findall(r"^(?:\$ |\.venv/bin/)?(asymp [^\n#]*)", "\n".join(blocks), flags=re.MULTILINE)
        for line in map(str.strip, found + re.findall(r"`(asymp [^`]+)`", text)):
            if not re.search(r"\.\.\.|\||\$\(", line):
                yield pytest.param(line, id=f"{page.stem}: {line}")


@pytest.mark.parametrize("line", list(commands()))
def test_every_command_shown_can_be_typed(line, monkeypatch):
    """Its verb and its options are there; what it prints is checked where output is shown (test_readme)."""
    from asymp.reports.cli.main import cli

    command, words = cli, shlex.split(line)[1:]
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    assert not hasattr(command, "commands") or words in ([], ["--help"]), f"{words[0]} is no verb"
    if words != ["--help"]:
        # a file that a reader has stands for an example
        words = ["examples/my_rate.py" if word in ("FILE", "my-paper/my_paper") else word for word in words]
        monkeypatch.chdir(DOCS.parent)
        command.make_context(line, words)
