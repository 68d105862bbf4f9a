"""One rule for a fit that no declared form describes: it supports nothing, and refutes unless it is beyond chance."""

from types import SimpleNamespace

import pytest
from scipy.stats import norm
from support.own_claims import law_of_d, statement

from asymp.reports.kinds import Capacity, Rate

LAW = law_of_d("d", "~")
KINDS = [statement(Rate, LAW, variable="d"), statement(Capacity, LAW, variable="d", size="n")]


def fitted(exponent, goodness, status="misfit"):
    """A fit with the standard error 0.001: its intervals are normal."""

    def interval(level):
        half = norm.ppf((1 + level) / 2) * 1e-3
        return exponent - half, exponent + half

    known = {"power": SimpleNamespace(p=goodness)}
    return SimpleNamespace(exponent=exponent, interval=interval, goodness=known, status=status, family="power")


@pytest.mark.parametrize("one", KINDS, ids=lambda s: s.kind)
@pytest.mark.parametrize(
    ("fit", "shown", "refuted"),
    [
        (fitted(1.0, 0.5, "power"), True, False),
        (fitted(1.0, 0.005), False, False),  # once in a hundred fits of a true power law
        (fitted(1.5, 0.005), False, True),  # the interval covers whatever the goodness of fit
        (fitted(1.5, 1e-5), False, False),  # the truth is outside the declared class: its interval says nothing
    ],
)
def test_a_misfit_supports_nothing_and_refutes_unless_hopeless(one, fit, shown, refuted):
    group = one.group("d", {}, {"d": 2}, [1.0, 100.0], fit, 1e-5)
    assert group.shown == shown
    assert (group.p_value < 1e-5) == refuted
    assert group.p_value == 1.0 or refuted
