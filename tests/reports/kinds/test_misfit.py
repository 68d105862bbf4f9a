"""One rule for a fit that no declared form describes: it supports nothing, and refutes unless it is beyond chance."""

from types import SimpleNamespace

import pytest
from scipy.stats import norm

from asymp.montecarlo import experiment
from asymp.reports.grid import Grid
from asymp.reports.kinds import Capacity, Rate
from asymp.theory import Param, law, real

LAW = law("linear", "d", relation="~", params={"d": Param(real(1), (1, 100))})
SHARED = {
    "law": LAW,
    "experiment": experiment("nothing", lambda draw, *, d: None),
    "grid": Grid([{"d": 2}], replicas=8),
}
KINDS = [Rate("only", "", variable="d", **SHARED), Capacity("only", "", variable="d", size="n", **SHARED)]


def fitted(exponent, goodness, status="misfit"):
    """A fit with the standard error 0.001: its intervals are normal."""

    def interval(level):
        half = norm.ppf((1 + level) / 2) * 1e-3
        return exponent - half, exponent + half

    known = {"power": SimpleNamespace(p=goodness)}
    return SimpleNamespace(exponent=exponent, interval=interval, goodness=known, status=status, family="power")


@pytest.mark.parametrize("statement", KINDS, ids=lambda s: s.kind)
@pytest.mark.parametrize(
    ("fit", "shown", "refuted"),
    [
        (fitted(1.0, 0.5, "power"), True, False),
        (fitted(1.0, 0.005), False, False),  # once in a hundred fits of a true power law
        (fitted(1.5, 0.005), False, True),  # the interval covers whatever the goodness of fit
        (fitted(1.5, 1e-5), False, False),  # the truth is outside the declared class: its interval says nothing
    ],
)
def test_a_misfit_supports_nothing_and_refutes_unless_hopeless(statement, fit, shown, refuted):
    group = statement.group("d", {}, {"d": 2}, [1.0, 100.0], fit, 1e-5)
    assert group.shown == shown
    assert (group.p_value < 1e-5) == refuted
    assert group.p_value == 1.0 or refuted
