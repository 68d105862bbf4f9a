"""A browser for the pages."""

import os
import shutil

import pytest


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
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1280,900",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()
