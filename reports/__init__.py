"""Theory beside measurement: the claims, the verdicts, the pages, the command line.

Names are imported when first used, so that the command line can list claims without loading SymPy or torch.
"""

from importlib import import_module
from typing import Any

__all__ = [
    "Assertion",
    "Claim",
    "CouldNotFail",
    "Part",
    "Verdict",
    "assert_bound",
    "assert_claim",
    "assert_equal",
    "assert_rate",
    "check",
    "check_many",
    "claim",
    "claims",
    "drawn_cells",
    "parameters",
    "write_report",
]

WHERE = {
    "Claim": "asymp.reports.declare",
    "Part": "asymp.reports.declare",
    "claim": "asymp.reports.declare",
    "Verdict": "asymp.reports.verdict",
    "check": "asymp.reports.running.run",
    "check_many": "asymp.reports.running.run",
    "claims": "asymp.reports.claimbook",
    "write_report": "asymp.reports.pages.report",
    "Assertion": "asymp.reports.properties.assertions",
    "CouldNotFail": "asymp.reports.properties.assertions",
    "assert_bound": "asymp.reports.properties.assertions",
    "assert_claim": "asymp.reports.properties.assertions",
    "assert_equal": "asymp.reports.properties.assertions",
    "assert_rate": "asymp.reports.properties.assertions",
    "parameters": "asymp.reports.properties.strategies",
    "drawn_cells": "asymp.reports.properties.strategies",
}


def __getattr__(name: str) -> Any:
    if name in WHERE:
        return getattr(import_module(WHERE[name]), name)
    raise AttributeError(f"module 'asymp.reports' has no attribute {name!r}")
