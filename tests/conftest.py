"""Shared pieces: the command line run in this process, and a browser."""

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

ROOT = __import__("pathlib").Path(__file__).resolve().parents[1]


# The files of `make fast`: they test the machinery; the files left out test the laws and the claims one by one.
FAST = {
    "test_cli",
    "test_estimate",
    "test_exponent_fit",
    "test_formulas",
    "test_intervals",
    "test_law",
    "test_packaging",
    "test_score_moments",
    "test_train_kernels",
    "test_verdicts",
    "test_zipf",
}


def pytest_collection_modifyitems(items):
    """Tests outside the files of the fast tier count as slow."""
    for item in items:
        if item.path.stem.startswith("test_") and item.path.stem not in FAST:
            item.add_marker(pytest.mark.slow)


@dataclass(frozen=True)
class Ran:
    """What a command did: its exit code and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def asymp(capsys, monkeypatch):
    """Run `asymp ARGS` in this process, through the same entry point as the console script."""
    from asymp.reports.cli import main

    def run(*args: str) -> Ran:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["asymp", *map(str, args)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture(autouse=True)
def no_claims_left_over() -> Iterator[None]:
    """A test's own claims do not reach the next test."""
    yield
    declare = sys.modules.get("asymp.reports.declare")
    if declare is not None:
        declare.registered.clear()


@pytest.fixture(scope="session")
def quick_verdicts():
    """The verdicts of all claims of the ledger, measured once for all tests."""
    from asymp.reports import check_many
    from asymp.reports.index import INDEX

    return {verdict.claim: verdict for verdict in check_many(list(INDEX))}


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
