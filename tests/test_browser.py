"""The page in a real browser: it loads with no request and no error, formulas and figures are there, both themes read."""

import json

import pytest

from asymp.reports import write_report

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(browser, quick_verdicts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_report(list(quick_verdicts.values()), folder)
    browser.get_log("performance")
    browser.get((folder / "index.html").as_uri())
    return browser


def test_no_error_and_no_request(page):
    assert [e for e in page.get_log("browser") if e["level"] in ("SEVERE", "WARNING")] == []
    requests = [
        entry["message"]["params"]["request"]["url"]
        for entry in (json.loads(row["message"]) for row in page.get_log("performance"))
        if entry["message"]["method"] == "Network.requestWillBeSent"
    ]
    assert all(url.startswith("file:") and url.endswith("index.html") for url in requests)


def test_formulas_and_figures_have_size(page):
    sizes = page.execute_script(
        "return [...document.querySelectorAll('article > .wide > math, figure > svg')]"
        ".map(e => { const b = e.getBoundingClientRect(); return [e.tagName, b.width, b.height]; })"
    )
    assert {name.lower() for name, *_ in sizes} == {"math", "svg"}
    assert all(width > 20 and height > 10 for _, width, height in sizes)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_never_scrolls_sideways(page, width):
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    inside = page.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert inside[0] <= inside[1]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out_in_both_themes(page, theme):
    # WCAG's contrast ratio, from its definition, for the body, the small print and the verdicts: at least 4.5.
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
    colours = page.execute_script(
        "const c = e => getComputedStyle(e).color;"
        "return [getComputedStyle(document.body).backgroundColor,"
        " ...[...document.querySelectorAll('p, .meta, .badge, a, figcaption, summary')].map(c)]"
    )

    def luminance(text):
        parts = [int(float(v)) / 255 for v in text[text.index("(") + 1 : -1].split(",")[:3]]
        r, g, b = (v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    paper = luminance(colours[0])
    assert (paper < 0.1) == (theme == "dark")
    for colour in set(colours[1:]):
        light, dark = sorted((luminance(colour), paper), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, colour
