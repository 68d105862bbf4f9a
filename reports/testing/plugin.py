"""The pytest plugin: one budget of chance failures for a whole suite, shared over its tests, with seeds from their ids.

    pytest --asymp-budget 1e-6

Every test owns a share that depends on which tests there are and on nothing else: not on their order, on workers, on which
of them run. A right suite fails by chance with probability at most the budget, however many assertions it makes. Whoever
gives `false_failure_rate=` or `seed=` to an assertion has what is given; the summary counts it.
"""

from collections.abc import Iterator
from math import isfinite
from typing import Any

import pytest

from asymp.reports.testing import budget

SHARES = pytest.StashKey[dict[str, float]]()
PROPERTY = "asymp"
"""The name under which a test's report carries what was asserted in it, from xdist's workers too."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """--asymp-budget, on the command line or in the configuration."""
    words = "probability with which asymp's assertions may fail a right suite, shared over its tests (default: 1e-6)"
    parser.getgroup("asymp").addoption("--asymp-budget", type=probability, default=None, metavar="P", help=words)
    parser.addini("asymp_budget", words, default="1e-6")


def probability(text: str) -> float:
    """A budget as it is given; a usage error if it is none."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 0.5:
        raise pytest.UsageError(f"the budget of asymp must be a probability above 0 and at most 0.5; got {text!r}")
    return value


def total(config: pytest.Config) -> float:
    """The budget of the whole suite."""
    given = config.getoption("--asymp-budget")
    return probability(str(config.getini("asymp_budget"))) if given is None else float(given)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Share the budget, before any test is deselected: half over tests of modules that import asymp, half over the others."""
    uses = [_imports_asymp(item) for item in items]
    config.stash[SHARES] = {
        item.nodeid: total(config) / 2 / max(1, uses.count(use)) for item, use in zip(items, uses, strict=True)
    }


def _imports_asymp(item: pytest.Item) -> bool:
    names = vars(getattr(item, "module", None) or object).values()
    homes = (getattr(v, "__name__" if type(v).__name__ == "module" else "__module__", None) or "" for v in names)
    return any(str(home).partition(".")[0] == "asymp" for home in homes)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Have the test's assertions find its share, and its report carry what they found."""
    share = budget.TestShare(item.nodeid, item.config.stash[SHARES].get(item.nodeid, 0.0), _examples(item))
    budget.current.append(share)
    try:
        return (yield)
    finally:
        budget.current.remove(share)
        if share.spent:
            seen = [(size, unit) for size, unit in share.passed if isfinite(size)]
            item.user_properties.append((PROPERTY, [share.spent, sum(share.calls.values()), seen]))


def _examples(item: pytest.Item) -> int:
    """How many times Hypothesis runs a test; once, if it does not."""
    function = getattr(item, "obj", None)
    settings = getattr(function, "_hypothesis_internal_use_settings", None)
    return int(settings.max_examples) if settings is not None and hasattr(function, "hypothesis") else 1


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """One line: what was spent of the budget, and the smallest discrepancies that could have been seen."""
    reports = [r for kind in ("passed", "failed") for r in terminalreporter.stats.get(kind, ()) if r.when == "call"]
    found = [value for r in reports for name, value in getattr(r, "user_properties", ()) if name == PROPERTY]
    if not found:
        return
    spent = sum(one[0] for one in found)
    words = (
        f"asymp: {len(found)} {'test' if len(found) == 1 else 'tests'} with assertions; a right suite fails by chance with "
        f"probability at most {spent:.2g} (budget {total(config):.2g})"
    )
    for unit in sorted({unit for one in found for _, unit in one[2]}):
        sizes = sorted(size for one in found for size, of in one[2] if of == unit)
        words += f"; discrepancies that would have been seen ({unit}): {sizes[0]:.2g} to {sizes[-1]:.2g}"
    terminalreporter.write_line(words)
