"""A pytest plugin: a run of the whole suite fails if a claim was not checked, or its properties had too few settings."""

import os
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
MISSING = pytest.StashKey[list[str]]()
# Different settings that a claim must have been tried at in the commit profile, all its parts together.
WANTED, WANTED_TRAINED = 20, 5


def wanted_settings(id):
    """How many different settings a claim must have been tried at: fewer if all of its parts train models."""
    from asymp.reports import claims

    hooks = [part.draw for part in claims[id].parts]
    return WANTED_TRAINED if all(hook is not None and hook.trained for hook in hooks) else WANTED


def recorded(reporter, name):
    """What tests have recorded under a name."""
    reports = (report for some in reporter.stats.values() for report in some)
    said = (pair for report in reports for pair in getattr(report, "user_properties", ()))
    return [value for told, value in said if told == name]


def settings_by_claim(reporter):
    """The different settings of each claim, all parts together: two parts at one setting count once."""
    found = {}
    for id, _, keys in recorded(reporter, "settings"):
        found.setdefault(id, set()).update(keys)
    return found


def pytest_terminal_summary(terminalreporter):
    """How many claims were checked, at how many settings the properties were tried, and what was left out."""
    say = terminalreporter.write_line
    checked, drawn = set(recorded(terminalreporter, "claim-check")), settings_by_claim(terminalreporter)
    if checked:
        say(f"claims checked: {len(checked)}")
    if drawn:
        from asymp.reports import claims
        from asymp.reports.testing.strategies import narrow

        say(f"properties: {sum(map(len, drawn.values()))} distinct settings of {len(drawn)} claims")
        say(f"distinct settings of each claim: {', '.join(f'{id} {len(found)}' for id, found in drawn.items())}")
        for id in drawn:
            if reason := claims[id].few_settings:
                say(f"fewer settings than others: {id} ({reason})")
        for id, size, (low, high), reason in narrow():
            if id in drawn:
                say(f"less than a factor of ten: {id}: {size} {low:g} to {high:g} ({reason})")
    skipped = (str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ()))
    for line in sorted(line for line in skipped if "not on a commit: " in line):
        say(f"negative controls {line.removeprefix('Skipped: ')}")
    for line in sorted(recorded(terminalreporter, "outside")):
        say(f"drawn outside a domain: {line}")
    for line in terminalreporter.config.stash.get(MISSING, []):
        say(f"MISSING: {line}", red=True)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """Have a run fail in which something did not run that should have."""
    config = session.config
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    narrowed = config.option.keyword or config.option.markexpr or config.option.collectonly or config.option.maxfail
    if reporter is None or hasattr(config, "workerinput") or narrowed:
        return
    lines = config.stash[MISSING] = _missing(reporter, config)
    if lines and session.exitstatus == 0:
        session.exitstatus = 1


def _missing(reporter, config):
    """All claims in a run of the whole suite or of tests/claims, else those whose properties were run."""
    whole = {os.path.abspath(arg) for arg in config.args} & {str(TESTS.parent), str(TESTS), str(TESTS / "claims")}
    drawn = settings_by_claim(reporter)
    if not whole and not (drawn and all(Path(arg).exists() for arg in config.args)):
        return []
    from asymp.reports import claims
    from asymp.reports.claims import index

    checked = set(recorded(reporter, "claim-check"))
    lines = [f"no check of the claim {id} ran" for id in index() if whole and id not in checked]
    for id in index():
        if (whole or id in drawn) and not claims[id].few_settings:  # those are listed with their reasons
            found, wanted = len(drawn.get(id, ())), wanted_settings(id)
            if found < wanted:
                lines.append(f"properties of the claim {id} were tried at {found} settings, fewer than {wanted}")
    return lines
