"""Every exponent of the ledger beside the local slope of the exact law at the largest sizes.

The local slope of f at size x is log(f(x)/f(x/r))/log r. The values come from the finite-size laws: closed forms and sums where
they exist, else the numerically exact recall error, whose cost does not grow with d. An exponent survives where the slope is
within 0.05 of it (the margin of the rate claims), on the allowed side for a bound. Where the exact law has a logarithm beside
the power, (log x)^b, that moves the slope by b/log x (0.05 at 1e9): it is taken off before the verdict, and named. Cases are in
slope_cases.
"""

import math
from dataclasses import dataclass

from asymp.theory.exponents.slope_cases import Case, slope_cases

MARGIN = 0.05
"""How far the local slope may be from the exponent."""


@dataclass(frozen=True)
class Slope:
    """A row of the table: the exponent as stated, the local slope with its numerical uncertainty, and whether it survives."""

    law: str
    variable: str
    setting: str
    relation: str
    stated: float
    found: float
    uncertainty: float
    size: float
    logs: float
    verdict: str
    note: str = ""

    @property
    def difference(self) -> float:
        """The local slope less the exponent as stated."""
        return self.found - self.stated


def measure_slope(case: Case) -> Slope:
    """The local slope of a case between size/factor and size."""
    logs, errors = [], []
    for size in (case.size / case.factor, case.size):
        value = case.value(size)
        number, error = value if isinstance(value, tuple) else (value, 0.0)
        logs.append(math.log(number))
        errors.append(error / number)
    found = (logs[1] - logs[0]) / math.log(case.factor)
    uncertainty = math.hypot(*errors) / math.log(case.factor)
    log_part = case.logs * math.log(math.log(case.size) / math.log(case.size / case.factor)) / math.log(case.factor)
    above, below = found - log_part - case.stated, case.stated - found + log_part
    off = {"<~": above, "<=": above, ">~": below, ">=": below}.get(case.relation, abs(above))
    return Slope(
        law=case.law,
        variable=case.variable,
        setting=case.setting,
        relation=case.relation,
        stated=case.stated,
        found=found,
        uncertainty=uncertainty,
        size=case.size,
        logs=case.logs,
        verdict="survives" if off <= MARGIN + uncertainty else "does not survive",
        note=case.note,
    )


def slope_table() -> list[Slope]:
    """All cases, measured: about a minute."""
    return [measure_slope(case) for case in slope_cases()]


def slope_text(*, rows: list[Slope] | None = None) -> str:
    """The table as text, one line a row; measured now unless rows are given."""
    header = ("law", "setting", "in", "stated", "slope", "+-", "off", "at", "verdict", "")
    lines = [header]
    for row in slope_table() if rows is None else rows:
        lines.append(
            (
                row.law,
                row.setting,
                row.variable,
                f"{row.relation} {row.stated:.4f}",
                f"{row.found:.4f}",
                f"{row.uncertainty:.0e}" if row.uncertainty else "0",
                f"{row.difference:+.4f}",
                f"{row.size:.2g}",
                row.verdict,
                "; ".join(w for w in (f"with (log {row.variable})^{row.logs:g}" if row.logs else "", row.note) if w),
            )
        )
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
