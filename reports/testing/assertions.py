"""One-line assertions for test suites: a law against an experiment, at a stated rate of false failures.

Each is a test with three sides: it fails if the measurement refutes the law at `false_failure_rate`; it returns what it
could have seen (`.seen`) and the replicas that it would need to see the margin (`.needed`); and it does not pass where
nothing could have failed: then it raises `CouldNotFail`. A right law fails with probability at most `false_failure_rate`,
under what the experiment declares of its values: `bounds`, `kurtosis` or `deterministic`. An equality or a bound of which
nothing is declared raises a ValueError that says so.
Randomness comes from `seed` and the parameters, so that a failure is repeated by running the test again.

Under pytest the rate and the seed are the running test's, unless they are given: `asymp.reports.testing.plugin` shares one
budget over a whole suite.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Self

import numpy as np

from asymp.montecarlo import Experiment
from asymp.montecarlo.experiment import ExperimentError
from asymp.montecarlo.exponent.fit import FAMILIES
from asymp.montecarlo.independence import dependence, too_few_blocks
from asymp.montecarlo.running.series import Series
from asymp.montecarlo.running.sweep import measure
from asymp.reports.check import check
from asymp.reports.claim import Claim
from asymp.reports.claims import claims, registered
from asymp.reports.grid import Grid, Setting
from asymp.reports.kinds import Bound, Constant, Evidence, Rate, Statement
from asymp.reports.kinds.evidence import samples_needed
from asymp.reports.testing import budget
from asymp.reports.verdict import Verdict
from asymp.theory import Law

DETECT = 1.0
"""What an equality or a rate must at least have seen: a law wrong by a factor of 2, an exponent wrong by 1."""
Settings = Setting | Sequence[Setting]
"""One setting, or several."""


class CouldNotFail(AssertionError):
    """The check would have passed whatever the truth: more replicas, or another grid, are needed."""


@dataclass(frozen=True)
class Assertion:
    """What a passed assertion found: the p-value against the law, what it could have seen, and the replicas for more.

    `p_value`: against the law. `seen`: the smallest discrepancy that would have failed, in the `unit` given. `needed`:
    replicas that would see the declared margin. `shown`: whether the law was shown to hold within the margin. `words`:
    the evidence in sentences.
    """

    p_value: float
    seen: float
    unit: str
    needed: int | None
    shown: bool
    words: str

    @classmethod
    def of(cls, found: Evidence) -> Self:
        """The same figures of some evidence."""
        return cls(*(getattr(found, field.name) for field in fields(cls)))


def assert_equal(
    law: Law,
    experiment: Experiment,
    *,
    at: Settings,
    margin: float | None = None,
    replicas: int = 512,
    seed: int | None = None,
    false_failure_rate: float | None = None,
    detect: float | None = DETECT,
) -> Assertion:
    """Assert that the experiment's mean is what the law says at one setting or several.

    An exact law (relation =) is tested as it stands; one that holds to leading order (~) fails only beyond `margin`, a
    share of the predicted value (default 10 %).

    `at`: the setting, or a list of them. `replicas`: how many are drawn at each. `seed`: of the draws; by default the test's.
    `false_failure_rate`: the probability that a true law fails; by default the test's share of the suite's budget, or 1e-6.
    `detect`: the discrepancy, as a share of the value, that must have been seen: without that the test fails, too.
    """
    __tracebackhide__ = True
    _check_law(law)
    if law.relation not in ("=", "~"):
        raise ValueError(f"the relation of an equality must be = or ~; that of law {law.id!r} is {law.relation!r}")
    largest = Constant.largest_margin
    chosen = largest if margin is None else margin
    if isinstance(chosen, bool) or not isinstance(chosen, int | float) or not 0 < chosen <= largest:
        raise ValueError(f"margin must be a number above 0 and at most {largest}; got {margin!r}")
    kind = partial(Constant, margin=float(chosen))
    return _assert(kind, law, experiment, at, replicas=replicas, seed=seed, rate=false_failure_rate, detect=detect)


def assert_bound(
    law: Law,
    experiment: Experiment,
    *,
    at: Settings,
    constant: float = 1.0,
    replicas: int = 512,
    seed: int | None = None,
    false_failure_rate: float | None = None,
    detect: float | None = None,
) -> Assertion:
    """Assert that the experiment's mean is on the law's side (<= or >=), with the hidden `constant` of <~ and >~.

    `at`: the setting, or a list of them. `replicas`: how many are drawn at each. `seed`: of the draws; by default the test's.
    `false_failure_rate`: the probability that a true law fails; by default the test's share of the suite's budget, or 1e-6.
    `detect`: the discrepancy, as a share of the value, that must have been seen: without that the test fails, too.
    """
    __tracebackhide__ = True
    _check_law(law)
    if isinstance(constant, bool) or not isinstance(constant, int | float) or not 0 < constant < float("inf"):
        raise ValueError(f"constant must be a number above 0; got {constant!r}")
    if law.relation not in ("<=", ">=", "<~", ">~"):
        raise ValueError(
            f"the relation of a bound must be <=, >=, <~ or >~; that of law {law.id!r} is {law.relation!r}"
        )
    kind = partial(Bound, constant=constant)
    return _assert(kind, law, experiment, at, replicas=replicas, seed=seed, rate=false_failure_rate, detect=detect)


def assert_rate(
    law: Law,
    experiment: Experiment,
    *,
    variable: str,
    sizes: Sequence[float],
    at: Setting | None = None,
    families: Sequence[str] = FAMILIES,
    replicas: int = 512,
    seed: int | None = None,
    false_failure_rate: float | None = None,
    detect: float | None = DETECT,
) -> Assertion:
    """Assert that the experiment's mean grows in `variable` with the law's exponent, `families` being what it may be.

    `sizes`: the values of `variable`. `at`: the other parameters. `replicas`: how many are drawn at each size. `seed`,
    `false_failure_rate`: as in `assert_equal`. `detect`: the difference of exponents that must have been seen.
    """
    __tracebackhide__ = True
    _check_law(law)
    law.check_names([variable])
    kind = partial(Rate, variable=variable, families=tuple(families))
    settings = [{**(at or {}), variable: size} for size in sizes]
    return _assert(
        kind, law, experiment, settings, replicas=replicas, seed=seed, rate=false_failure_rate, detect=detect
    )


def assert_claim(
    claim: str | Claim,
    *,
    rounds: int | None = None,
    settings: Setting | None = None,
    seed: int | None = None,
    false_failure_rate: float | None = None,
    detect: float | None = None,
) -> dict[str, Assertion]:
    """Assert that no part of a claim comes out against what is expected: a law refuted, or a known erratum supported.

    The parts share `false_failure_rate` (Holm). A law is refuted by chance at most that often. That an erratum, which is
    wrong, comes out supported has probability at most 1 %, or far less where it is far off.

    `rounds`: the most that a statement may have, each of which doubles its values; 5 for a claim of the ledger, 8, from
    smaller blocks, for one of your own. `settings`: values of parameters, put
    into the claim's grid. `seed`, `false_failure_rate`: as in `assert_equal`. `detect`: the discrepancy of the leading
    statement that must have been seen.
    """
    __tracebackhide__ = True
    false_failure_rate, seed = budget.terms(false_failure_rate, seed)
    chosen = claims[claim] if isinstance(claim, str) else claim
    if not isinstance(chosen, Claim):
        raise ValueError(f"claim must be the id of a claim, or one made by asymp.reports.claim(...); got {claim!r}")
    _check_seed(seed)
    rate = _checked_rate(false_failure_rate)
    verdict = _checked(
        chosen, rounds=rounds or (8 if chosen.id in registered else 5), settings=settings, seed=seed, budget=rate
    )
    problems = []
    for part in verdict.parts.values():
        found = part.evidence
        if part.erratum and part.outcome == "supported":
            problems.append(f"{part.name}: recorded as an erratum, but supported. {found.words}")
        elif not part.erratum and part.outcome == "refuted":
            problems.append(f"{part.name}: refuted. {found.words}")
    if problems:
        raise AssertionError(f"claim {chosen.id!r}, seed {seed}: " + " ".join(problems))
    judged = {name: part.evidence for name, part in verdict.parts.items()}
    leading = judged[chosen.leading.name]
    if not any(j.could_refute for j in judged.values()):
        raise CouldNotFail(f"claim {chosen.id!r}: {next(iter(judged.values())).words}")
    _check_seen(leading, f"claim {chosen.id!r}", detect, min((p.replicas for p in leading.points), default=1))
    return {name: Assertion.of(found) for name, found in judged.items()}


def _assert(
    kind: Callable[..., Statement],
    law: Law,
    experiment: Experiment,
    at: Settings,
    *,
    replicas: int,
    seed: int | None,
    rate: float | None,
    detect: float | None,
) -> Assertion:
    """Judge the statement of a kind at the settings, once everything that was given is what it should be."""
    __tracebackhide__ = True
    rate, seed = budget.terms(rate, seed)
    rate = _checked_rate(rate)
    _check_seed(seed)
    if not isinstance(experiment, Experiment):
        raise ValueError(
            f"experiment must be made by asymp.montecarlo.experiment(...); got {type(experiment).__name__}"
        )
    cells = [at] if isinstance(at, Mapping) else list(at) if isinstance(at, Sequence) else None
    if not cells or not all(isinstance(cell, Mapping) for cell in cells):
        raise ValueError(f"at must be a setting such as {{'d': 8}} or a list of at least one; got {at!r}")
    takes = experiment.parameters
    for cell in cells:
        law.validate(**{k: v for k, v in cell.items() if k in law.domain})
        for name in cell:
            if name not in takes and not experiment.takes_any:
                raise ValueError(f"experiment {experiment.id!r} takes {', '.join(takes) or 'nothing'}; got {name!r}")
    if isinstance(replicas, bool) or not isinstance(replicas, int) or replicas < 1:
        raise ValueError(f"replicas must be an integer >= 1; got {replicas!r}")
    only = kind("assertion", law.id, law=law, experiment=experiment, grid=Grid([dict(cell) for cell in cells]))
    series = [Series(experiment, dict(cell), seed) for cell in cells]
    measured = measure([(one, replicas) for one in series])
    found = only.judge([(s.params, e) for s, e in zip(series, measured, strict=True)], level=rate)
    if found.could_refute and found.p_value <= rate:
        doubt = _doubt(series, [e.values for e in measured])
        raise AssertionError(f"law {law.id!r} is refuted at the rate {rate:g}: {found.words}{doubt}")
    if not found.could_refute or found.seen == float("inf"):
        raise CouldNotFail(f"law {law.id!r}: nothing could have failed here. {found.words}")
    _check_seen(found, f"law {law.id!r}", detect, replicas)
    return Assertion.of(found)


def _doubt(series: Sequence[Series], values: Sequence[np.ndarray]) -> str:
    """A failure is not the law's if replicas of a user's sampler are not independent: an error, or a doubt if few blocks tell."""
    __tracebackhide__ = True
    for one, drawn in zip(series, values, strict=True):
        block = one.experiment.block
        if one.experiment.users and (wrong := dependence(drawn, block, one.stream)):
            raise ExperimentError(f"{one}: {wrong}")
        if one.experiment.users and np.ptp(drawn) and too_few_blocks(drawn, block, len(series)):
            return (
                f" Or replicas of one block share randomness, which {len(drawn)} values in blocks of {block} are too few to tell:"
                " give more replicas, or the experiment a smaller block."
            )
    return ""


def _check_seen(found: Evidence, what: str, detect: float | None, replicas: int) -> None:
    """Raise CouldNotFail if the discrepancy that was to be seen could not have been; else note what could."""
    __tracebackhide__ = True
    if detect is not None and (isinstance(detect, bool) or not isinstance(detect, int | float) or not detect > 0):
        raise ValueError(f"detect must be a number above 0, or None; got {detect!r}")
    if detect is not None and found.seen > detect:
        needed = samples_needed(replicas, found.seen, detect, found.noise)
        more = f"; about {needed} replicas a point would" if needed is not None else ""
        raise CouldNotFail(
            f"{what}: a discrepancy of {detect:g} could not have been seen with {replicas} replicas a point, only one of "
            f"{found.seen:.3g} ({found.unit}){more}"
        )
    budget.passed(found.seen, found.unit)


def _check_law(law: Any) -> None:
    if not isinstance(law, Law):
        raise ValueError(f"law must be made by asymp.theory.law(...), or one of laws[...]; got {type(law).__name__}")


def _check_seed(seed: Any) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ValueError(f"seed must be an integer; got {seed!r}")


def _checked(claim: Claim, **how: Any) -> Verdict:
    """The verdict; what could not be measured is an error here, not an open question."""
    verdict = check(claim, **how)
    if verdict.missing:
        raise ExperimentError(verdict.missing[0])
    return verdict


def _checked_rate(rate: Any) -> float:
    # p-values are computed down to 1e-11 (exponents) and 1e-12 (means)
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 1e-11 <= rate <= 0.5:
        shared = "; raise --asymp-budget, or make fewer examples" if budget.current else ""
        raise ValueError(f"false_failure_rate must be a number from 1e-11 to 0.5; got {rate!r}{shared}")
    return float(rate)
