"""The documentation: it builds without a warning, its links lead somewhere, its examples run, its list of errors is whole."""

import re
import shlex
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCKING = {"serious", "critical"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site built from a copy, so that nothing is written beside the sources."""
    import shutil

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


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.targets, self.headings = [], set(), 0

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.headings += tag == "h1"
        if "id" in given:
            self.targets.add(given["id"])
        for name in ("href", "src"):
            if given.get(name):
                self.links.append(given[name])


def read(page):
    parser = Links()
    parser.feed(page.read_text())
    return parser


def test_every_link_leads_somewhere(site):
    pages = {page: read(page) for page in site.rglob("*.html")}
    assert len(pages) >= 25
    broken, outside = [], []
    for page, found in pages.items():
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                outside.append(link)
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.exists() or (
                parts.fragment and target in pages and parts.fragment not in pages[target].targets
            ):
                broken.append((page.name, link))
    assert broken == []
    assert [link for link in outside if not link.startswith("data:")] == []


def test_the_reference_has_every_law_and_claim(site):
    from asymp.reports.claims import index
    from asymp.theory import laws

    targets = {target for page in (site / "reference").glob("*.html") for target in read(page).targets}
    assert {f"law-{id.replace(':', '-').lower()}" for id in laws} <= targets
    assert {f"claim-{id}" for id in index()} <= targets


LOOKED_AT = ("index", "tutorial", "howto/own-claim", "errors", "reference/claims-1", "reference/laws-1")


@pytest.mark.browser
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_in_a_browser(site, browser, name):
    from axe_core_python.selenium import Axe

    browser.get_log("browser")
    try:
        for width in (390, 1280):
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            browser.get((site / f"{name}.html").as_uri())
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        sizes = browser.execute_script(
            "return [...document.querySelectorAll('math, main img')].map(e => e.getBoundingClientRect().width)"
        )
        assert all(size > 0 for size in sizes) and (sizes or not name.startswith("reference"))
        assert [e for e in browser.get_log("browser") if e["level"] in ("SEVERE", "WARNING")] == []
        found = Axe().run(browser)
        assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"] if v["impact"] in BLOCKING] == []
        assert "color-contrast" in {rule["id"] for rule in found["passes"]}
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture(scope="module")
def told():
    """docs/messages.py, which reads the messages out of the source and the patterns out of the page."""
    sys.path.insert(0, str(DOCS))
    try:
        import messages
    finally:
        sys.path.remove(str(DOCS))
    return messages


def test_the_page_of_errors_knows_every_message(told):
    found = list(told.messages())
    assert len(found) > 400
    assert [(file, text) for file, text in found if told.group(text) is None] == []


def test_the_page_of_errors_knows_no_message_that_is_not_there(told):
    texts = [text for _, text in told.messages()]
    assert [p for _, p in told.families() if not any(told.matches(p, text) for text in texts)] == []


def test_every_group_of_messages_has_a_cause_and_a_cure(told):
    sections = re.split(r"^## ", (DOCS / "errors.md").read_text(), flags=re.MULTILINE)[1:]
    bare = [s.splitlines()[0] for s in sections if "- `" in s and not ("*Cause.*" in s and "*Cure.*" in s)]
    assert bare == []


def test_the_reader_of_messages_finds_errors_and_warnings(told):
    import ast

    def found(code):
        return [text for node in ast.walk(ast.parse(code)) for text in told.said(node)]

    assert found('raise ValueError(f"n must be 1; got {n}")') == ["n must be 1; got …"]
    assert found('self._note("a sentence")') == found('click.echo("a sentence", err=True)') == ["a sentence"]
    assert found('click.echo("a result")') == found('raise KeyError("x")') == []
    assert found('def f():\n    "A warning."\n    return (f"{x} is few",)') == ["… is few"]


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
def test_every_command_shown_can_be_typed(line):
    """Its verb and its options are there; what it prints is checked where output is shown (test_readme)."""
    from asymp.reports.cli.main import cli

    command, words = cli, shlex.split(line)[1:]
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    assert not hasattr(command, "commands") or words in ([], ["--help"]), f"{words[0]} is no verb"
    if words != ["--help"]:
        command.make_context(line, words)
