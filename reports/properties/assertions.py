"""One-line assertions for test suites: a law against an experiment, at a stated rate of false failures.

Each is a test with three sides: it fails if the measurement refutes the law at `false_failure_rate`; it returns what it
could have seen (`.seen`) and the replicas that it would need to see the margin (`.needed`); and it does not pass where
nothing could have failed: then it raises `CouldNotFail`. A right law fails with probability at most `false_failure_rate`
(exactly so for bounded values; for others as far as Student's statistic is right, so take some hundred replicas).
Values without bounds that are all equal are taken for a deterministic experiment: declare the bounds of a share that may
be 0 in every replica.
Randomness comes from `seed` and the parameters, so that a failure is repeated by running the test again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asymp.montecarlo import Experiment
from asymp.reports.claimbook import claims
from asymp.reports.declare import LARGEST_MARGIN, Claim, Part
from asymp.reports.judge import judge
from asymp.reports.running.run import Planned, plan
from asymp.reports.statistics import holm
from asymp.reports.verdict import Judgement
from asymp.theory import Law

__all__ = ["Assertion", "CouldNotFail", "assert_bound", "assert_claim", "assert_equal", "assert_rate"]

RATE = 1e-6


class CouldNotFail(AssertionError):
    """The check would have passed whatever the truth: more replicas, or another grid, are needed."""


@dataclass(frozen=True)
class Assertion:
    """What a passed assertion found: the p-value against the law, what it could have seen, and the replicas for more."""

    p_value: float
    seen: float
    unit: str
    needed: int | None
    shown: bool
    words: str


def assert_equal(
    law: Law,
    experiment: Experiment,
    *,
    at: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    margin: float | None = None,
    replicas: int = 512,
    seed: int = 0,
    false_failure_rate: float = RATE,
) -> Assertion:
    """Assert that the experiment's mean is what the law says at one setting or several.

    An exact law (relation =) is tested as it stands; one that holds to leading order (~) fails only beyond `margin`, a
    share of the predicted value (default 10 %).
    """
    _check_law(law)
    if law.relation not in ("=", "~"):
        raise ValueError(f"the relation of an equality must be = or ~; that of law {law.id!r} is {law.relation!r}")
    chosen = LARGEST_MARGIN["constant"] if margin is None else margin
    if isinstance(chosen, bool) or not isinstance(chosen, int | float) or not 0 < chosen <= LARGEST_MARGIN["constant"]:
        raise ValueError(f"margin must be a number above 0 and at most {LARGEST_MARGIN['constant']}; got {margin!r}")
    return _assert("constant", law, experiment, at, chosen, replicas, seed, false_failure_rate)


def assert_bound(
    law: Law,
    experiment: Experiment,
    *,
    at: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    constant: float = 1.0,
    replicas: int = 512,
    seed: int = 0,
    false_failure_rate: float = RATE,
) -> Assertion:
    """Assert that the experiment's mean is on the law's side (<= or >=), with the hidden `constant` of <~ and >~."""
    _check_law(law)
    if isinstance(constant, bool) or not isinstance(constant, int | float) or not 0 < constant < float("inf"):
        raise ValueError(f"constant must be a number above 0; got {constant!r}")
    if law.relation not in ("<=", ">=", "<~", ">~"):
        raise ValueError(
            f"the relation of a bound must be <=, >=, <~ or >~; that of law {law.id!r} is {law.relation!r}"
        )
    return _assert("bound", law, experiment, at, 0.02, replicas, seed, false_failure_rate, constant=constant)


def assert_rate(
    law: Law,
    experiment: Experiment,
    *,
    variable: str,
    sizes: Sequence[float],
    at: Mapping[str, Any] | None = None,
    families: Sequence[str] = ("power", "corrected", "floor", "log"),
    replicas: int = 512,
    seed: int = 0,
    false_failure_rate: float = RATE,
) -> Assertion:
    """Assert that the experiment's mean grows in `variable` with the law's exponent, `families` being what it may be."""
    _check_law(law)
    law.check_names([variable])
    cells = [{**(at or {}), variable: size} for size in sizes]
    return _assert(
        "rate",
        law,
        experiment,
        cells,
        LARGEST_MARGIN["rate"],
        replicas,
        seed,
        false_failure_rate,
        variable=variable,
        families=tuple(families),
    )


def assert_claim(
    claim: str | Claim,
    *,
    preset: str = "quick",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    false_failure_rate: float = RATE,
) -> dict[str, Assertion]:
    """Assert that no part of a claim comes out against what is expected: a law refuted, or a known erratum supported.

    The parts share `false_failure_rate` (Holm). A law is refuted by chance at most that often. That an erratum, which is
    wrong, comes out supported has probability at most 1 %, or far less where it is far off.
    """
    chosen = claims[claim] if isinstance(claim, str) else claim
    if not isinstance(chosen, Claim):
        raise ValueError(f"claim must be the id of a claim, or one made by asymp.reports.claim(...); got {claim!r}")
    _check_seed(seed)
    rate = _checked_rate(false_failure_rate)
    planned = plan(chosen, preset=preset, settings=settings)
    judged = [
        judge(part, [(cell.params, _run(cell, seed)) for cell in cells], level=rate / len(chosen.parts))
        for part, cells in zip(chosen.parts, planned, strict=True)
    ]
    refuted = holm([j.p_value if j.could_refute else 1.0 for j in judged], rate)
    problems = []
    for part, found, against in zip(chosen.parts, judged, refuted, strict=True):
        if part.erratum and found.shown and found.could_refute:
            problems.append(f"{part.name}: recorded as an erratum, but supported. {found.words}")
        elif not part.erratum and against:
            problems.append(f"{part.name}: refuted. {found.words}")
    if problems:
        raise AssertionError(f"claim {chosen.id!r} at {preset}, seed {seed}: " + " ".join(problems))
    if not any(j.could_refute for j in judged):
        raise CouldNotFail(f"claim {chosen.id!r}: {judged[0].words}")
    return {part.name: _told(found) for part, found in zip(chosen.parts, judged, strict=True)}


def _assert(
    kind: Any,
    law: Law,
    experiment: Experiment,
    at: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    margin: float,
    replicas: int,
    seed: int,
    false_failure_rate: float,
    **fields: Any,
) -> Assertion:
    rate = _checked_rate(false_failure_rate)
    _check_seed(seed)
    if not isinstance(experiment, Experiment):
        raise ValueError(
            f"experiment must be made by asymp.montecarlo.experiment(...); got {type(experiment).__name__}"
        )
    cells = _settings(at)
    takes = experiment.parameters
    for cell in cells:
        law.validate(**{k: v for k, v in cell.items() if k in law.domain})
        for name in cell:
            if name not in takes and not {"kwargs", "params"} & set(takes):
                raise ValueError(f"experiment {experiment.id!r} takes {', '.join(takes) or 'nothing'}; got {name!r}")
    part = Part(
        name="assertion",
        kind=kind,
        law=law,
        experiment=experiment,
        statement=f"{law.id}",
        grid={"quick": cells},
        replicas={"quick": replicas},
        margin=margin,
        **fields,
    )
    found = judge(part, [(cell, _run(Planned(experiment, cell, replicas), seed)) for cell in cells], level=rate)
    if found.could_refute and found.p_value <= rate:
        raise AssertionError(f"law {law.id!r} is refuted at the rate {rate:g}: {found.words}")
    if not found.could_refute or found.seen == float("inf"):
        raise CouldNotFail(f"law {law.id!r}: nothing could have failed here. {found.words}")
    return _told(found)


def _settings(at: Any) -> list[dict[str, Any]]:
    cells = [at] if isinstance(at, Mapping) else list(at) if isinstance(at, Sequence) else None
    if not cells or not all(isinstance(cell, Mapping) for cell in cells):
        raise ValueError(f"at must be a setting such as {{'d': 8}} or a list of at least one; got {at!r}")
    return [dict(cell) for cell in cells]


def _check_law(law: Any) -> None:
    if not isinstance(law, Law):
        raise ValueError(f"law must be made by asymp.theory.law(...), or one of laws[...]; got {type(law).__name__}")


def _check_seed(seed: Any) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ValueError(f"seed must be an integer; got {seed!r}")


def _run(cell: Planned, seed: int) -> Any:
    return cell.experiment.run(**cell.params, replicas=cell.replicas, seed=seed)


def _told(found: Judgement) -> Assertion:
    return Assertion(
        p_value=found.p_value,
        seen=found.seen,
        unit=found.unit,
        needed=found.needed,
        shown=found.shown,
        words=found.words,
    )


def _checked_rate(rate: Any) -> float:
    # p-values are computed down to 1e-11 (exponents) and 1e-12 (means)
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 1e-11 <= rate <= 0.5:
        raise ValueError(f"false_failure_rate must be a number from 1e-11 to 0.5; got {rate!r}")
    return float(rate)
