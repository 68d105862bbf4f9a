"""Every exponent of the ledger beside the local slope of the exact law at the largest sizes.

The local slope of f at size x is log(f(x)/f(x/r))/log r. The values come from the finite-size laws: closed forms and sums where
they exist, else the numerically exact recall error, whose cost does not grow with d. An exponent survives where the slope is
within 0.05 of it (the margin of the rate claims), on the allowed side for a bound. Where the exact law has a logarithm beside
the power, (log x)^b, that moves the slope by b/log x (0.05 at 1e9): it is taken off before the verdict, and named. Cases are in
slope_cases.csv: the law that states an exponent, the variable and the setting; what is exact there, and its parameters, which
may depend on the variable; the size (else 1e9) and the factor r (else 10); the exponent and the relation, where they are
not those of the law; b and a note.
"""

import csv
import math
from dataclasses import dataclass
from pathlib import Path

from asymp.theory.formula import parsed
from asymp.theory.laws import laws

MARGIN = 0.05
"""How far the local slope may be from the exponent."""

BEYOND = 1e12
"""Another size of a setting that is at least this stands for infinity, where the law allows it."""

RECALL, STOPPING, LOGARITHM = "recall error", " of the best stopping", "log of "
"""What may be exact besides a law."""


@dataclass(frozen=True)
class Case:
    """An exponent to look at: the law that states it, the setting, and what is exact at which parameters."""

    law: str
    variable: str
    setting: str
    exact: str
    values: dict[str, str]
    size: float
    factor: float
    stated: float
    relation: str
    logs: float
    note: str

    def value(self, size: float) -> tuple[float, float]:
        """What is exact, at a size, and its numerical uncertainty."""
        if self.exact == RECALL:
            from asymp.theory.exact_recall.exact import recall_error

            words = {name: text for name, text in self.values.items() if name == "outputs"}
            found = recall_error(rel_error=2e-3, **self._numbers(round(size), words), **words)  # type: ignore[arg-type]
            return found.value, found.error
        if self.exact.endswith(STOPPING):
            from asymp.theory.functions.sgd.stopping_time import best_stopping

            found_time = best_stopping(**self._numbers(size))  # type: ignore[arg-type]
            return float(getattr(found_time, self.exact.removesuffix(STOPPING))), 0.0
        law = laws[self.exact.removeprefix(LOGARITHM)]
        words = {name: text for name, text in self.values.items() if name in law.words}
        numbers = {name: v for name, v in self._numbers(size, words).items() if name in law.params}
        value = float(law(**numbers, **words))
        return (math.log(value) if self.exact.startswith(LOGARITHM) else value), 0.0

    def _numbers(self, size: float, words: dict[str, str] | None = None) -> dict[str, float]:
        """The parameters that are numbers, at a size; each may depend on those before it."""
        found = {self.variable: size}
        for name, text in self.values.items():
            if name not in (words or {}):
                found[name] = float(parsed(text, {}, found, f"slope case {self.law!r}").subs(found))
        return found


def slope_cases() -> list[Case]:
    """All cases, section by section."""
    with Path(__file__).with_name("slope_cases.csv").open(encoding="utf-8", newline="") as file:
        return [_case(row) for row in csv.DictReader(file)]


def _case(row: dict[str, str]) -> Case:
    law, variable = laws[row["law"]], row["variable"]
    values = dict(entry.split("=") for entry in row["values"].split())
    # The law's own exponent is that at its parameters which do not grow.
    fixed = {
        name: parsed(text, {}, {variable, *values}, f"slope case {law.id!r}")
        for name, text in values.items()
        if name in law.symbols and name != variable
    }
    numbers = {name: float(value) for name, value in fixed.items() if value.is_number}
    # A size far beyond the variable stands for infinity.
    numbers |= {n: math.inf for n, v in numbers.items() if v >= BEYOND and law.domain[n].infinite}
    return Case(
        law=law.id,
        variable=variable,
        setting=row["setting"],
        exact=row["exact"],
        values=values,
        size=float(row["size"] or 1e9),
        factor=float(row["factor"] or 10),
        stated=float(row["stated"] or law.exponent(variable, **numbers)),
        relation=row["relation"] or law.relation,
        logs=float(row["logs"] or 0),
        note=row["note"],
    )


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
        number, error = case.value(size)
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
