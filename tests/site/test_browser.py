"""The pages in a real browser: no request and no error, formulas and figures are there, the table filters, axe-core is content."""

import json

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def report(quick_report):
    return quick_report.folder


@pytest.mark.parametrize(
    "name", ["index.html", "errata.html", "not-measured.html", "figures.html", "claims/maximal-update.html"]
)
def test_a_page_is_sound_and_asks_for_nothing(assert_sound, browser, report, name):
    browser.get_log("performance")
    assert_sound(report / name)
    entries = (json.loads(row["message"])["message"] for row in browser.get_log("performance"))
    requests = [e["params"]["request"]["url"] for e in entries if e["method"] == "Network.requestWillBeSent"]
    # A map of colours is a picture inside the page itself.
    outside = [url for url in requests if not url.startswith("data:image/png;base64,")]
    assert outside and all(url.startswith("file:") and url.endswith(name) for url in outside)


def test_axe_sees_what_is_wrong(show, report):
    # The negative control: light grey text on white and a picture without words.
    from axe_core_python.selenium import Axe

    page = show(report / "errata.html")
    page.execute_script(
        "document.querySelector('.lead').style.color = '#ddd';"
        "document.querySelector('main').append(document.createElement('img'));"
    )
    assert {"color-contrast", "image-alt"} <= {v["id"] for v in Axe().run(page)["violations"]}


def test_formulas_and_figures_have_size(show, report):
    page = show(report / "claims" / "maximal-update.html")
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
def test_the_sources_figures_are_seen_whole(show, report, width):
    page = show(report / "figures.html", width=width, theme="dark")
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


def test_the_table_filters_by_section_verdict_and_words(show, quick_report):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    page, outcomes = show(quick_report.folder / "index.html"), {v.claim: v.outcome for v in quick_report.verdicts}

    def choose(name, value):
        Select(page.find_element(By.NAME, name)).select_by_value(value)

    def told():
        return page.find_element(By.ID, "shown").text

    assert set(page.execute_script(SHOWN)) == set(outcomes) and told() == "6 of 6 claims shown"
    choose("section", "1")
    assert set(page.execute_script(SHOWN)) == {"score-variance", "maximal-update"} and told() == "2 of 6 claims shown"
    # A section without a row that is shown takes its heading away.
    titles = "return [...document.querySelectorAll('#claims th.section')].filter(r => r.offsetHeight).map(r => r.textContent)"
    assert page.execute_script(titles) == ["1. Scores and interference"]
    choose("section", "")
    for outcome in ("supported", "refuted", "inconclusive"):
        choose("verdict", outcome)
        assert set(page.execute_script(SHOWN)) == {id for id in outcomes if outcomes[id] == outcome}
    choose("verdict", "errata")
    assert set(page.execute_script(SHOWN)) == {"score-variance", "maximal-update", "sgd-map", "step-size"}
    choose("verdict", "")
    page.find_element(By.NAME, "words").send_keys("INFINITE memory")
    assert page.execute_script(SHOWN) == ["missing-mass"]
    page.find_element(By.CSS_SELECTOR, ".filters button").click()
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert set(page.execute_script(SHOWN)) == set(outcomes)


def test_links_lead_to_pages_and_the_keyboard_reaches_the_content_first(show, report):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    page = show(report / "index.html")
    page.switch_to.active_element.send_keys(Keys.TAB)
    first = page.switch_to.active_element
    assert first.text == "Skip to the content"
    first.send_keys(Keys.ENTER)
    assert page.execute_script("return document.activeElement.id") == "content"
    page.find_element(By.LINK_TEXT, "maximal-update").click()
    assert "Size of the first update" in page.find_element(By.TAG_NAME, "h1").text
    page.find_element(By.LINK_TEXT, "Errata").click()
    assert page.find_element(By.TAG_NAME, "h1").text == "Errata"


def test_in_print_all_rows_are_there_and_the_controls_are_not(show, quick_report):
    page = show(quick_report.folder / "index.html", theme="dark")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    try:
        assert page.execute_script("return document.querySelector('.filters').offsetHeight") == 0
        assert page.execute_script(SHOWN) == [verdict.claim for verdict in quick_report.verdicts]
        paper = page.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def test_the_overview_of_the_whole_ledger(browser, quick_verdicts, shared_store, tmp_path):
    # All claims that the suite has measured, without drawing their figures again.
    from asymp.montecarlo.running.store import Derived
    from asymp.reports.claims import index
    from asymp.reports.page.render import render
    from asymp.reports.page.view import report_view

    verdicts = [quick_verdicts[id] for id in index()]
    report = report_view(verdicts, Derived(shared_store))
    for name in ("index.html", "errata.html", "not-measured.html"):
        text = render(name, report=report, more=(), absent=(), footer="")
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert len(text.encode()) < 1_000_000
        browser.get((tmp_path / name).as_uri())
        assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    browser.get((tmp_path / "index.html").as_uri())
    assert len(browser.execute_script(SHOWN)) == len(verdicts)
    assert len(report.errata) >= 48
