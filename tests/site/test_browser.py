"""The pages in a real browser: no request and no error, formulas and figures are there, the table filters, axe-core is content."""

import json

import pytest

from asymp.reports import write_report

pytestmark = pytest.mark.browser

# A bound, rates with an erratum and without, an order: every kind of panel.
FEW = ("score-variance", "maximal-update", "missing-mass", "finite-memory-lower", "sgd-map", "step-size")
PAGES = ("index.html", "errata.html", "not-measured.html", "figures.html", "claims/maximal-update.html")
BLOCKING = {"serious", "critical"}


@pytest.fixture(scope="module")
def report(quick_verdicts, tmp_path_factory):
    from asymp.reports.figures import How
    from asymp.reports.figures.page import collect

    folder = tmp_path_factory.mktemp("report")
    verdicts = [quick_verdicts[id] for id in FEW]
    gallery = collect(["figure-5", "memory-matrices"], how=How(), verdicts=verdicts)
    write_report(verdicts, folder, gallery=gallery)
    return folder


@pytest.fixture
def show(browser, report):
    """Open a page of the report at a width and in a theme."""

    def opened(name, *, width=1280, theme="light"):
        features = [{"name": "prefers-color-scheme", "value": theme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get((report / name).as_uri())
        return browser

    yield opened
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("name", PAGES)
def test_no_error_and_no_request(show, browser, name):
    browser.get_log("performance")
    browser.get_log("browser")
    page = show(name)
    assert [e for e in page.get_log("browser") if e["level"] in ("SEVERE", "WARNING")] == []
    requests = [
        entry["message"]["params"]["request"]["url"]
        for entry in (json.loads(row["message"]) for row in page.get_log("performance"))
        if entry["message"]["method"] == "Network.requestWillBeSent"
    ]
    assert requests
    # A map of colours is a picture inside the page itself.
    outside = [url for url in requests if not url.startswith("data:image/png;base64,")]
    assert outside and all(url.startswith("file:") and url.endswith(name) for url in outside)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(show, name, theme):
    from axe_core_python.selenium import Axe

    found = Axe().run(show(name, theme=theme))
    assert len(found["passes"]) > 10
    # A page whose style hides everything would pass too: the contrast of text is among what was looked at.
    assert "color-contrast" in {rule["id"] for rule in found["passes"]}
    bad = [(v["id"], v["impact"], v["nodes"][0]["html"][:200]) for v in found["violations"] if v["impact"] in BLOCKING]
    assert bad == []


def test_axe_sees_what_is_wrong(show):
    # The negative control: light grey text on white and a picture without words.
    from axe_core_python.selenium import Axe

    page = show("errata.html")
    page.execute_script(
        "document.querySelector('.lead').style.color = '#ddd';"
        "document.querySelector('main').append(document.createElement('img'));"
    )
    assert {"color-contrast", "image-alt"} <= {v["id"] for v in Axe().run(page)["violations"]}


def test_formulas_and_figures_have_size(show):
    page = show("claims/maximal-update.html")
    sizes = page.execute_script(
        "return [...document.querySelectorAll('.formula > math, dl.symbols math, figure svg')]"
        ".map(e => { const b = e.getBoundingClientRect(); return [e.tagName, b.width, b.height]; })"
    )
    assert {name.lower() for name, *_ in sizes} == {"math", "svg"}
    assert all(width > 3 and height > 3 for _, width, height in sizes)
    assert all(width > 300 and height > 200 for name, width, height in sizes if name == "svg")
    # MathML is laid out and not only listed: a fraction is higher than its letters.
    high = page.execute_script("return document.querySelector('.formula mfrac').getBoundingClientRect().height")
    low = page.execute_script("return document.querySelector('.formula mfrac mi').getBoundingClientRect().height")
    assert high > 1.5 * low > 0


@pytest.mark.parametrize("width", [1280, 390])
def test_the_sources_figures_are_seen_whole(show, width):
    page = show("figures.html", width=width, theme="dark")
    sizes = page.execute_script(
        "return [...document.querySelectorAll('figure svg')].map(e => e.getBoundingClientRect().toJSON())"
    )
    assert len(sizes) == 2 and all(s["width"] > 300 and s["height"] > 300 and s["right"] <= width for s in sizes)
    # On dark paper the ink is light, and the figure has no paper of its own.
    ink = "return getComputedStyle(document.querySelector('figure svg')).color"
    assert page.execute_script(ink) == "rgb(230, 237, 243)"
    assert not page.execute_script(
        "return document.querySelector('figure svg').innerHTML.includes('fill: #ffffff; stroke')"
    )
    words = page.execute_script("return [...document.querySelectorAll('.statements .badge')].map(e => e.textContent)")
    assert set(words) == {"supported", "refuted"} and len(words) == 4


ROWS = "[...document.querySelectorAll('#claims tr[data-verdict]')]"
SHOWN = f"return {ROWS}.filter(r => r.offsetHeight).map(r => r.querySelector('a').textContent)"


def test_the_table_filters_by_section_verdict_and_words(show, quick_verdicts):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    page = show("index.html")

    def choose(name, value):
        Select(page.find_element(By.NAME, name)).select_by_value(value)

    def told():
        return page.find_element(By.ID, "shown").text

    assert set(page.execute_script(SHOWN)) == set(FEW) and told() == "6 of 6 claims shown"
    choose("section", "1")
    assert set(page.execute_script(SHOWN)) == {"score-variance", "maximal-update"} and told() == "2 of 6 claims shown"
    # A section without a row that is shown takes its heading away.
    titles = "return [...document.querySelectorAll('#claims th.section')].filter(r => r.offsetHeight).map(r => r.textContent)"
    assert page.execute_script(titles) == ["1. Scores and interference"]
    choose("section", "")
    for outcome in ("supported", "refuted", "inconclusive"):
        choose("verdict", outcome)
        wanted = {id for id in FEW if quick_verdicts[id].outcome == outcome}
        assert set(page.execute_script(SHOWN)) == wanted
    choose("verdict", "errata")
    assert set(page.execute_script(SHOWN)) == {"score-variance", "maximal-update", "sgd-map", "step-size"}
    choose("verdict", "")
    page.find_element(By.NAME, "words").send_keys("INFINITE memory")
    assert page.execute_script(SHOWN) == ["missing-mass"]
    page.find_element(By.CSS_SELECTOR, ".filters button").click()
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert set(page.execute_script(SHOWN)) == set(FEW)


def test_links_lead_to_pages(show):
    from selenium.webdriver.common.by import By

    page = show("index.html")
    page.find_element(By.LINK_TEXT, "maximal-update").click()
    assert "Size of the first update" in page.find_element(By.TAG_NAME, "h1").text
    page.find_element(By.LINK_TEXT, "Errata").click()
    assert page.find_element(By.TAG_NAME, "h1").text == "Errata"


def test_the_keyboard_reaches_the_content_first(show):
    from selenium.webdriver.common.keys import Keys

    page = show("index.html")
    page.switch_to.active_element.send_keys(Keys.TAB)
    first = page.switch_to.active_element
    assert first.text == "Skip to the content"
    first.send_keys(Keys.ENTER)
    assert page.execute_script("return document.activeElement.id") == "content"


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways(show, name, width):
    inside = show(name, width=width).execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
    assert inside[0] <= inside[1]


def test_in_print_all_rows_are_there_and_the_controls_are_not(show):
    page = show("index.html", theme="dark")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    try:
        assert page.execute_script("return document.querySelector('.filters').offsetHeight") == 0
        assert set(page.execute_script(SHOWN)) == set(FEW)
        paper = page.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def test_the_overview_of_the_whole_ledger(browser, quick_verdicts, shared_store, tmp_path):
    # All claims that the suite has measured, without drawing their figures again.
    from asymp.montecarlo.running.store import Derived
    from asymp.reports.page.render import render
    from asymp.reports.page.view import report_view

    verdicts = list(quick_verdicts.values())
    report = report_view(verdicts, Derived(shared_store))
    for name in ("index.html", "errata.html", "not-measured.html"):
        text = render(name, report=report, more=(), figures="", footer="")
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert len(text.encode()) < 1_000_000
        browser.get((tmp_path / name).as_uri())
        assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    browser.get((tmp_path / "index.html").as_uri())
    assert len(browser.execute_script(SHOWN)) == len(verdicts)
    assert len(report.errata) >= 48
