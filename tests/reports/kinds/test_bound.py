"""A bound names the settings that break it; up to a constant it is judged by its trend, whatever the constant is."""

from typing import Any

import numpy as np
import pytest
from support.own_claims import law_of_d, outcome_of, statement

from asymp.montecarlo import Estimate
from asymp.reports.kinds import Bound

SIZES = (16, 64, 256)


def outcome(slope: float, scale: float, relation: str = ">~", sizes: Any = SIZES, count: int = 4096) -> str:
    """Of 'the mean is at least (or at most) of the order 1/d', where it is scale d^-slope, give or take a fifth."""
    noise = np.random.default_rng(0).uniform(0.8, 1.2, count)
    measured = [({"d": d}, Estimate(values=scale * d**-slope * noise, kurtosis=3.0)) for d in sizes]
    return str(outcome_of(statement(Bound, law_of_d("1/d", relation), along="d"), measured).outcome)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 30.0])
def test_the_trend_decides_and_no_constant(scale: float) -> None:
    assert [outcome(slope, scale) for slope in (0.5, 1.0, 2.0)] == ["supported", "supported", "refuted"]
    assert [outcome(slope, scale, "<~") for slope in (0.5, 1.0, 2.0)] == ["refuted", "supported", "supported"]


def test_a_drift_of_less_than_the_factor_is_no_trend() -> None:
    # From 16 to 20 a slope of 2 is a drift of 1.25, which is within the factor 2; from 16 to 64 it is one of 4.
    assert outcome(2.0, 1.0, sizes=(16, 20)) == "supported"
    assert outcome(2.0, 1.0, sizes=(16, 64)) == "refuted"


def test_where_the_smallest_size_is_uncertain_nothing_is_decided() -> None:
    rare = np.zeros(64)
    rare[0] = 1.0
    measured = [
        ({"d": 16}, Estimate(values=rare, bounds=(0.0, 1.0))),
        ({"d": 64}, Estimate(values=rare / 256, bounds=(0.0, 1.0))),
    ]
    made = outcome_of(statement(Bound, law_of_d("1/d", ">~"), along="d"), measured)
    assert made.outcome == "inconclusive"


def test_settings_without_a_smaller_one_beside_them_cannot_break_a_trend() -> None:
    alone = [({"d": d, "c": d}, Estimate(values=np.full(64, d**-9.0), deterministic=True)) for d in SIZES]
    judged = outcome_of(statement(Bound, law_of_d("1/d", ">~"), along="d"), alone)
    assert judged.outcome == "inconclusive" and not judged.evidence.could_refute


def test_a_broken_bound_names_where_it_breaks_and_not_where_it_is_closest() -> None:
    """Of d = 16, 64, 256 the bound 1/d holds closely at 16 (by 1 %) and is broken by factors of 2 and 8 beyond."""
    means = {16: 0.99 / 16, 64: 2 / 64, 256: 8 / 256}
    noise = np.random.default_rng(0).uniform(0.99, 1.01, 4096)
    measured = [({"d": d}, Estimate(values=mean * noise, kurtosis=3.0)) for d, mean in means.items()]
    judged = outcome_of(statement(Bound, law_of_d("1/d", "<=")), measured)
    assert judged.outcome == "refuted"
    assert (
        "it is broken at 2: measured over bound is 8 at d=256, measured over bound is 2 at d=64;"
        in judged.evidence.words
    )
