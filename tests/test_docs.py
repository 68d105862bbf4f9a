"""The documentation: it builds without a warning, its links lead somewhere, its examples run, its list of errors is whole."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
DOCS = Path(__file__).resolve().parents[1] / "docs"


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
    from asymp.reports.index import INDEX
    from asymp.theory import laws

    targets = {target for page in (site / "reference").glob("*.html") for target in read(page).targets}
    assert {f"law-{id.replace(':', '-').lower()}" for id in laws} <= targets
    assert {f"claim-{id}" for id in INDEX} <= targets


def families():
    """The patterns of the page of errors, as regular expressions."""
    told = re.findall(r"^- `(.*)`$", (DOCS / "errors.md").read_text(), flags=re.MULTILINE)
    return [re.compile(".*".join(map(re.escape, pattern.split("…"))), re.DOTALL) for pattern in told]


def raised():
    sys.path.insert(0, str(DOCS))
    try:
        from messages import messages
    finally:
        sys.path.remove(str(DOCS))
    return list(messages())


def test_the_page_of_errors_knows_every_message():
    known = families()
    found = raised()
    assert len(found) > 300
    assert [(file, text) for file, text in found if not any(pattern.fullmatch(text) for pattern in known)] == []


def test_the_page_of_errors_knows_no_message_that_is_not_there():
    texts = [text for _, text in raised()]
    assert [pattern.pattern for pattern in families() if not any(pattern.fullmatch(text) for text in texts)] == []
