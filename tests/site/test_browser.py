"""The pages in a real browser: no request and no error, formulas and figures are there, the table filters, axe-core is content."""

import json
from statistics import median
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def report(quick_report):
    return quick_report.folder


@pytest.mark.parametrize(
    "name",
    [
        *("index.html", "errata.html", "not-measured.html", "notes.html", "figures.html", "sources.html"),
        *("sources/bietti2024.html", "claims/maximal-update.html"),
    ],
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
        "return [...document.querySelectorAll('.formula > math, dl.symbols math, .first svg.wide-figure')]"
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
    assert set(words) == {"holds", "fails"} and len(words) == 4


SHOWN = "return [...document.querySelectorAll('#claims tr[data-claim]')].filter(r => r.offsetHeight).map(r => r.dataset.claim)"
DRAWN = "return [...document.querySelectorAll('.picture .row')].filter(r => r.style.display !== 'none').map(r => r.dataset.claim)"


@pytest.fixture
def overview(show, quick_report):
    """The front page, and functions: put something into a field of the form, and what is shown."""
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    page = show(quick_report.folder / "index.html")

    def choose(name, value):
        field = page.find_element(By.NAME, name)
        if field.tag_name == "select":
            Select(field).select_by_value(value)
        else:
            field.clear()
            field.send_keys(value)
        return set(page.execute_script(SHOWN))

    return SimpleNamespace(page=page, choose=choose, told=lambda: page.find_element(By.ID, "shown").text)


def test_picture_and_table_filter_by_section_source_and_verdict(overview, quick_report):
    page, choose = overview.page, overview.choose
    outcomes = {v.claim: [p.outcome for p in v.parts.values()] for v in quick_report.verdicts}
    assert set(page.execute_script(SHOWN)) == set(outcomes) and overview.told() == "6 of 6 claims"
    assert choose("section", "1") == {"score-variance", "maximal-update"} and overview.told() == "2 of 6 claims"
    # A section without a row that is shown takes its heading away.
    titles = "return [...document.querySelectorAll('#claims th.section')].filter(r => r.offsetHeight).map(r => r.textContent)"
    assert page.execute_script(titles) == ["1. Scores and interference"]
    choose("section", "")
    words = "return [...document.querySelectorAll('.found li')].filter(r => r.offsetHeight).map(r => r.dataset.today)"
    for outcome in ("supported", "refuted", "inconclusive"):
        # "refuted" lists whatever was refuted, also in claims whose leading statement holds.
        found = choose("verdict", outcome)
        assert found == {id for id in outcomes if outcome in outcomes[id]}
        assert page.execute_script(words) == [o for parts in outcomes.values() for o in parts if o == outcome]
        assert set(page.execute_script(DRAWN)) == found
    choose("verdict", "")
    assert page.execute_script(words) == []
    assert choose("source", "bietti2024") == {"maximal-update"}
    page.find_element("css selector", ".filters button").click()
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert set(page.execute_script(SHOWN)) == set(outcomes)


@pytest.mark.parametrize(
    ("words", "some"),
    [
        ("INFINITE memory", "missing-mass"),
        ("Proposition 1", "missing-mass"),
        ("Zipf", "missing-mass"),
        ("Cabannes", "missing-mass"),
        ("T^(-1 + 1/alpha)", "missing-mass"),
        ("\u03b1", "missing-mass"),
        ("variance of a score", "score-variance"),
        ("maximal-update:", "maximal-update"),
    ],
)
def test_search_finds_titles_places_sources_formulas_and_laws(overview, words, some):
    assert some in overview.choose("words", words)
    assert overview.choose("words", words + " no such thing") == set()


def test_the_state_is_in_the_address(overview, quick_report, show):
    overview.choose("verdict", "refuted")
    wanted = overview.choose("words", "learn")
    address = overview.page.current_url
    assert "verdict=refuted" in address and "words=learn" in address
    overview.page.get("about:blank")
    overview.page.get(address)
    assert set(overview.page.execute_script(SHOWN)) == wanted


def test_columns_sort_and_the_header_stays(overview, quick_report):
    page, ids = overview.page, [verdict.claim for verdict in quick_report.verdicts]
    button = page.find_element("css selector", "#claims th[data-sort=verdict] button")
    button.click()
    fails = {v.claim: sum(p.outcome == "refuted" for p in v.parts.values()) for v in quick_report.verdicts}
    sorted_ids = page.execute_script(SHOWN)
    assert [fails[id] for id in sorted_ids] == sorted(fails.values(), reverse=True)
    assert page.find_element("css selector", "#claims th[data-sort=verdict]").get_attribute("aria-sort") == "descending"
    button.click()
    assert [fails[id] for id in page.execute_script(SHOWN)] == sorted(fails.values())
    button.click()
    assert page.execute_script(SHOWN) == ids
    page.execute_script(
        "document.querySelector('#claims tbody:last-of-type tr:last-child').scrollIntoView({block: 'start'}); scrollBy(0, -80)"
    )
    assert 0 <= page.execute_script("return document.querySelector('#claims thead th').getBoundingClientRect().y") < 5


def test_a_mark_tells_its_numbers_and_leads_to_its_statement(overview, quick_report):
    from selenium.webdriver import ActionChains

    page = overview.page
    mark = page.find_element("css selector", ".row[data-claim=missing-mass] .today .mark.lead")
    ActionChains(page).move_to_element(mark).perform()
    tip = page.find_element("css selector", ".tip")
    part = next(v for v in quick_report.verdicts if v.claim == "missing-mass").parts["source"]
    assert tip.is_displayed() and part.evidence.summary().measured.replace("-", "\u2212") in tip.text.replace(
        "-", "\u2212"
    )
    # It stands where its distance from the law is, in margins: 1 is at the edge of the band.
    band, at = page.execute_script(
        "const b = document.querySelector('.picture .band').getBoundingClientRect(), m = arguments[0].querySelector('.dot')"
        ".getBoundingClientRect(); return [[b.left, b.right], m.left + m.width / 2];",
        mark,
    )
    margins = part.evidence.summary().margins[0]
    assert at == pytest.approx((band[0] + band[1]) / 2 + margins * (band[1] - band[0]) / 2, abs=1)
    mark.click()
    assert page.current_url.endswith("claims/missing-mass.html#part-source")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 800)])
def test_the_first_picture_of_a_claims_page_is_above_the_fold(browser, report, width, height):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    pages = sorted((report / "claims").glob("*.html"))
    assert len(pages) == 6
    for page in pages:
        browser.get(page.as_uri())
        box, wide = browser.execute_script(
            "return [document.querySelector('main figure svg').getBoundingClientRect().toJSON(),"
            "document.documentElement.scrollWidth]"
        )
        # More than half of it is on the first screen.
        assert box["top"] + box["height"] / 2 < height and box["right"] <= width and wide <= width, page.name
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_half_of_the_claims_pages_have_fewer_than_900_words_above_the_folds(show, report):
    # Figures and formulas are no words.
    words = (
        "for (const one of document.querySelectorAll('svg, math')) one.remove();"
        "return document.querySelector('main').innerText.split(/\\s+/).length"
    )
    counts = [show(page).execute_script(words) for page in sorted((report / "claims").glob("*.html"))]
    assert 100 < median(counts) < 900


def test_a_link_to_a_statement_opens_it_and_blocks_of_code_can_be_copied(show, report):
    page = show(report / "claims" / "maximal-update.html")
    assert page.execute_script("return document.querySelectorAll('details.statement[open]').length") == 0
    page.find_element("css selector", ".statements tbody tr:nth-child(2) a").click()
    page.execute_async_script("setTimeout(arguments[0], 50)")
    opened = page.execute_script("return [...document.querySelectorAll('details.statement[open]')].map(e => e.id)")
    assert opened == [page.current_url.partition("#")[2]]
    page.find_element("css selector", "button[aria-label='copy Command']").click()
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert page.find_element("css selector", "button[aria-label='copy Command']").text == "copied"


def test_links_lead_to_pages_and_the_keyboard_reaches_the_content_first(show, report):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    page = show(report / "index.html")
    page.switch_to.active_element.send_keys(Keys.TAB)
    first = page.switch_to.active_element
    assert first.text == "Skip to the content"
    first.send_keys(Keys.ENTER)
    assert page.execute_script("return document.activeElement.id") == "content"
    page.find_element(By.CSS_SELECTOR, "#claims tr[data-claim=maximal-update] a").click()
    assert "Size of the first update" in page.find_element(By.TAG_NAME, "h1").text
    page.find_element(By.LINK_TEXT, "Where sources fail").click()
    assert page.current_url.endswith("errata.html")


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
    from asymp.reports.page.overview import rows
    from asymp.reports.page.render import render
    from asymp.reports.page.view import report_view

    verdicts = [quick_verdicts[id] for id in index()]
    report = report_view(verdicts, Derived(shared_store))
    more = {"rows": rows(report), "highlights": (), "figures_here": False, "in_reference": None}
    for name in ("index.html", "errata.html", "not-measured.html"):
        text = render(name, report=report, more=(), absent=(), footer="", **more)
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert len(text.encode()) < 1_000_000
        browser.get((tmp_path / name).as_uri())
        assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    browser.get((tmp_path / "index.html").as_uri())
    assert len(browser.execute_script(SHOWN)) == len(verdicts)
    assert len(report.errata) >= 48
