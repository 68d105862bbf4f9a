"""The reference run: the verdicts of one long run, which come with the package, to be shown beside those of today.

`asymp reference` makes it again, and `asymp reference --stale` says which of its statements, or what measures them, have
changed since. It also tells a new run what to expect: what a first round of a statement costs, and how many rounds its
decision took.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from asymp.lazy import Lazy
from asymp.reports.claims import claims
from asymp.reports.verdict import StatementVerdict

if TYPE_CHECKING:
    from asymp.montecarlo.running import source
    from asymp.reports.kinds import Statement
else:
    source = Lazy("asymp.montecarlo.running.source")

FILE = "reference.json"


@dataclass(frozen=True)
class Reference:
    """What the reference run found of a statement.

    `round`: the one that decided it, or the last one, if it stayed open. `first_round`: seconds of one processor that its
    first round took. `measured`, `interval`: its number, as text. `version`: that of its experiment. `declared`, `code`:
    hashes of its law, margin and settings, and of the code that simulates it; "" where none was noted.
    `margins`: how far the number is from the law in units of the margin, with the ends of its interval, where that is known.
    """

    outcome: str
    round: int | None
    first_round: float | None
    measured: str
    interval: str
    version: int
    declared: str = ""
    code: str = ""
    margins: tuple[float, float, float] | None = None

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
    why = stale(found, next((p for p in claims[claim].parts if p.name == verdict.name), None))
    if why:
        return f"{words}; stale: {why}."
    decided = {found.outcome, verdict.outcome} - {"inconclusive"}
    return f"{words}; today's verdict differs." if len(decided) == 2 else f"{words}."


def stale(found: Reference, part: "Statement | None") -> str:
    """Why what the reference run found of a statement may not hold any more, in a few words; nothing if it does."""
    if part is None:
        return "there is no such statement any more"
    if part.experiment.version != found.version:
        return f"its experiment was another version ({found.version}, now {part.experiment.version})"
    if found.declared and declared_hash(part) != found.declared:
        return "its law, its margin or its settings have changed since"
    if found.code and (now := code_of(part)) and now != found.code:
        return "the code that simulates it has changed since"
    return ""


def declared_hash(part: "Statement") -> str:
    """A hash of what a statement is judged by: its kind, relation, numbers, law and settings. Its words may be put better."""
    law = part.formula
    said = None if law is None else (law.id, law.relation, law.expression if isinstance(law.expression, str) else "")
    numbers = sorted((name, value) for name, value in vars(part).items() if isinstance(value, int | float))
    settings = [sorted(setting.items()) for setting in part.grid.settings]
    whole = repr((part.kind, part.relation, part.margin, numbers, said, settings))
    return hashlib.sha256(whole.encode()).hexdigest()[:12]


def code_of(part: "Statement") -> str:
    """A hash of the code that simulates a statement; "" where it cannot be known."""
    return source.source_hash(part.experiment.sample) or ""


def stale_text() -> str:
    """Which statements of the reference are stale, and why, and which it does not have, a line each."""
    run = reference_run()
    known = run["statements"]
    parts = {f"{claim.id} {part.name}": part for claim in claims.values() for part in claim.parts}
    whys = {name: stale(Reference(**found), parts.get(name)) for name, found in known.items()}
    whys |= {name: "it is not in the reference" for name in parts if name not in known}
    lines = [f"{name}: {why}" for name, why in whys.items() if why]
    made = f"made {run['made']}, seed {run['seed']}, commit {run.get('machine', {}).get('commit')}" if known else "none"
    return "\n".join([f"reference: {made}; {len(lines)} of {len(whys)} statements are stale", *lines])
