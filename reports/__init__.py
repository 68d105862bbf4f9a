"""Theory beside measurement: the claims, the verdicts, the pages, the command line.

Names are imported when first used, so that the command line can list claims without loading SymPy or torch.
"""

from importlib import import_module
from typing import Any

__all__ = ["Claim", "Part", "Verdict", "check", "check_many", "claim", "claims", "write_report"]

WHERE = {
    "Claim": "asymp.reports.declare",
    "Part": "asymp.reports.declare",
    "claim": "asymp.reports.declare",
    "Verdict": "asymp.reports.verdict",
    "check": "asymp.reports.run",
    "check_many": "asymp.reports.run",
    "claims": "asymp.reports.claimbook",
    "write_report": "asymp.reports.report",
}


def __getattr__(name: str) -> Any:
    if name in WHERE:
        return getattr(import_module(WHERE[name]), name)
    raise AttributeError(f"module 'asymp.reports' has no attribute {name!r}")
