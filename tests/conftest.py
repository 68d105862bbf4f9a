"""Shared pieces: the command line run in this process, and a browser."""

import os
import pickle

# One thread a process, before anything loads BLAS: the suite runs on all cores already, and two threads on each would fight.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parents[1]
SUPPORT = ROOT / "tests" / "support"
sys.path.insert(0, str(SUPPORT))  # what several test files share
pytest.register_assert_rewrite("ledger_checks", "property_checks")

# Hypothesis: `commit` draws the same settings every time; `nightly` draws new ones, many, and keeps those that failed.
hypothesis.settings.register_profile("commit", derandomize=True, deadline=None, database=None, max_examples=50)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=1000, print_blob=True)
PROFILE = os.environ.get("ASYMP_HYPOTHESIS_PROFILE", "commit")
hypothesis.settings.load_profile(PROFILE)


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


@pytest.fixture(scope="session", autouse=True)
def own_store(tmp_path_factory):
    """No test writes to the user's own store."""
    os.environ["ASYMP_STORE"] = str(tmp_path_factory.mktemp("store"))


@pytest.fixture
def asymp(capsys, monkeypatch, tmp_path):
    """Run `asymp ARGS` in this process, through the same entry point as the console script, with a store of its own."""
    from asymp.reports.command.cli import main

    monkeypatch.setenv("ASYMP_STORE", str(tmp_path / "asymp-store"))

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
def measurements(tmp_path_factory, worker_id):
    """Cells measured once for all tests and all workers."""
    from asymp.reports.calibrate.measured import Measurements

    root = tmp_path_factory.getbasetemp()
    return Measurements(folder=(root if worker_id == "master" else root.parent) / "measured")


class LazyVerdicts(Mapping):
    """The verdicts of the ledger's claims by id; a claim is checked when it is first asked for."""

    def __init__(self, measurements):
        self._measurements = measurements
        self._known = {}

    def __getitem__(self, id):
        from asymp.reports import claims

        if id not in self._known:
            self._known[id] = self._found(id) or self._judged(claims[id])
        return self._known[id]

    def _found(self, id):
        """The verdict that another worker has come to; judging some takes seconds."""
        file = self._file(id)
        return pickle.loads(file.read_bytes()) if file.exists() else None

    def _judged(self, claim):
        verdict = self._measurements.verdict(claim)
        unfinished = self._file(claim.id).with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(pickle.dumps(verdict))
        unfinished.replace(self._file(claim.id))
        return verdict

    def _file(self, id):
        return self._measurements.folder / f"{id}.verdict"

    def __iter__(self):
        from asymp.reports.index import INDEX

        return iter(INDEX)

    def __len__(self):
        return sum(1 for _ in self)


@pytest.fixture(scope="session")
def quick_verdicts(measurements):
    """The verdicts of all claims of the ledger, each measured when first wanted and once for all tests."""
    return LazyVerdicts(measurements)


def pytest_generate_tests(metafunc):
    """The claims of a section, their errata and negative controls, for the files that say SECTION."""
    section = getattr(metafunc.module, "SECTION", None)
    if section is None:
        return
    if "claim_part" in metafunc.fixturenames:
        from property_checks import parts_of_section

        metafunc.parametrize("claim_part", parts_of_section(section))
    for name in ("id", "erratum", "spoilt"):
        if name in metafunc.fixturenames:
            from ledger_checks import settings_of_section

            metafunc.parametrize(name, settings_of_section(section)[name])


@pytest.fixture
def profile_name():
    """The profile of Hypothesis in use: commit or nightly."""
    return PROFILE


def pytest_terminal_summary(terminalreporter):
    """How many claims were checked, and at how many different settings the properties were tried."""
    told = [
        (name, value)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
    ]
    dearest = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "duration"):
                dearest[report.nodeid.partition("::")[0]] += report.duration
    if dearest:
        shown = ", ".join(f"{Path(file).stem} {seconds:.0f}" for file, seconds in dearest.most_common(30))
        terminalreporter.write_line(f"seconds of the dearest files, of {dearest.total():.0f}: {shown}")
    checked = {value for name, value in told if name == "claim-check"}
    drawn = settings_by_claim(value for name, value in told if name == "settings")
    if checked:
        terminalreporter.write_line(f"claims checked: {len(checked)}")
    if drawn:
        total = sum(map(len, drawn.values()))
        terminalreporter.write_line(f"properties: {total} distinct settings of {len(drawn)} claims, profile {PROFILE}")
        counts = ", ".join(f"{id} {len(found)}" for id, found in drawn.items())
        terminalreporter.write_line(f"distinct settings of each claim: {counts}")
        from asymp.reports.properties.exceptions import FEWER
        from asymp.reports.properties.spans import narrow

        for id, reason in FEWER.items():
            if id in drawn:
                terminalreporter.write_line(f"fewer settings than others: {id} ({reason})")
        for id, size, (low, high), reason in narrow():
            if id in drawn:
                terminalreporter.write_line(f"less than a factor of ten: {id}: {size} {low:g} to {high:g} ({reason})")
    left = sorted(
        report.longrepr[2]
        for report in terminalreporter.stats.get("skipped", ())
        if "has not the power" in report.longrepr[2]
    )
    for line in left:
        terminalreporter.write_line(f"control not refuted at quick: {line}")
    for line in sorted(value for name, value in told if name == "outside"):
        terminalreporter.write_line(f"drawn outside a domain: {line}")
    missing = terminalreporter.config.stash.get(MISSING, [])
    for line in missing:
        terminalreporter.write_line(f"MISSING: {line}", red=True)


MISSING = pytest.StashKey[list[str]]()


def settings_by_claim(told):
    """The different settings of each claim, all parts together: two parts at one setting count once."""
    found = {}
    for id, _, keys in told:
        found.setdefault(id, set()).update(keys)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """A run fails in which a claim was not checked (of the whole suite) or its properties had too few settings."""
    config = session.config
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    narrowed = config.option.keyword or config.option.markexpr or config.option.collectonly or config.option.maxfail
    if reporter is None or hasattr(config, "workerinput") or narrowed:
        return
    lines = _missing(reporter, config)
    config.stash[MISSING] = lines
    if lines and session.exitstatus == 0:
        session.exitstatus = 1


def _missing(reporter, config):
    """What did not run that should have: all claims in a run of the whole suite, else those whose properties were run."""
    checked, told = set(), []
    for reports in reporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "claim-check":
                    checked.add(value)
                elif name == "settings":
                    told.append(value)
    whole = set(map(os.path.abspath, config.args or ())) <= {str(ROOT), str(ROOT / "tests")}
    files = all(Path(arg).is_file() or Path(arg).is_dir() for arg in config.args)
    if not whole and not (told and files):
        return []
    from property_checks import wanted_settings

    from asymp.reports.index import INDEX
    from asymp.reports.properties.exceptions import FEWER

    drawn = settings_by_claim(told)
    lines = [f"no check of the claim {id} ran" for id in INDEX if whole and id not in checked]
    for id in INDEX:
        if id not in FEWER and (whole or id in drawn):  # those are listed with their reasons
            found, wanted = len(drawn.get(id, ())), wanted_settings(id)
            if found < wanted:
                lines.append(f"properties of the claim {id} were tried at {found} settings, fewer than {wanted}")
    return lines


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
