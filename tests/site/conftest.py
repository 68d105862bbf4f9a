"""A browser for the pages, and what every page must be in it."""

import os
import shutil

import pytest

FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --window-size=1280,900"""


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium. Without one the test is skipped, or fails if ASYMP_REQUIRE_BROWSER is set."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        message = "no Chromium here; `apt-get install chromium chromium-driver` lifts this"
        if os.environ.get("ASYMP_REQUIRE_BROWSER"):
            pytest.fail(message)
        pytest.skip(message)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture
def show(browser):
    """A function that opens a page (or, without one, leaves the one that is open) at a width and in a theme."""

    def opened(page=None, *, width=1280, theme="light"):
        features = [{"name": "prefers-color-scheme", "value": theme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        if page is not None:
            browser.get(page.as_uri())
        return browser

    yield opened
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.fixture
def assert_sound(show):
    """A function: a page has no error, does not scroll sideways, and axe-core finds nothing serious in either theme."""
    from axe_core_python.selenium import Axe

    def sound(path, *, themes=("light", "dark")):
        page = show()
        page.get_log("browser")
        show(path)
        assert [e for e in page.get_log("browser") if e["level"] in ("SEVERE", "WARNING")] == []
        for width in (390, 1280):
            show(width=width)
            assert page.execute_script("return document.documentElement.scrollWidth") <= width
        for theme in themes:
            found = Axe().run(show(theme=theme))
            bad = [v for v in found["violations"] if v["impact"] in ("serious", "critical")]
            assert [(v["id"], v["nodes"][0]["html"][:200]) for v in bad] == []
            # A page whose style hides everything would pass too: the contrast of text is among what was looked at.
            assert len(found["passes"]) > 10 and "color-contrast" in {rule["id"] for rule in found["passes"]}

    return sound
