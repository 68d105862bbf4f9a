"""The reference run: the verdicts of one long run, which come with the package, to be shown beside those of today.

`asymp reference` makes it again. It also tells a new run what to expect: what a first round of a statement costs, and how
many rounds its decision took.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from asymp.reports.claims import claims
from asymp.reports.verdict import StatementVerdict

FILE = "reference.json"


@dataclass(frozen=True)
class Reference:
    """What the reference run found of a statement.

    `round`: the one that decided it, or the last one, if it stayed open. `first_round`: seconds of one processor that its
    first round took. `measured`, `interval`: its number, as text. `version`: that of its experiment.
    """

    outcome: str
    round: int | None
    first_round: float | None
    measured: str
    interval: str
    version: int

    @property
    def seconds(self) -> float | None:
        """Seconds of one processor until it was decided; None if it was not."""
        if self.outcome == "inconclusive" or self.round is None or self.first_round is None:
            return None
        return float(self.first_round * 2**self.round)


@cache
def reference_run() -> dict[str, Any]:
    """The file: when, where, with which seed and versions it was made, and its statements."""
    file = files("asymp.reports").joinpath(FILE)
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else {"statements": {}}


def reference_of(claim: str, statement: str) -> Reference | None:
    """What the reference run found of a statement, if it was there."""
    found = reference_run()["statements"].get(f"{claim} {statement}")
    return None if found is None else Reference(**found)


def beside(claim: str, verdict: StatementVerdict) -> str:
    """What the reference run said, what differs, and whether it is stale, in a sentence; nothing where it has nothing."""
    found = reference_of(claim, verdict.name)
    if found is None or claim not in claims:
        return ""
    words = f"Reference run (seed {reference_run()['seed']}): {found.outcome}"
    if found.round is not None:
        words += f" after round {found.round}"
    if found.measured:
        words += f", measured {found.measured}" + (f" ({found.interval})" if found.interval else "")
    part = next((p for p in claims[claim].parts if p.name == verdict.name), None)
    if part is not None and part.experiment.version != found.version:
        return f"{words}; stale: its experiment was another version ({found.version}, now {part.experiment.version})."
    decided = {found.outcome, verdict.outcome} - {"inconclusive"}
    return f"{words}; today's verdict differs." if len(decided) == 2 else f"{words}."
