"""One rule for a fit that decides nothing: no declared form describes it, or a law just outside the class says otherwise."""

from types import SimpleNamespace

import pytest
from scipy.stats import norm
from support.own_claims import law_of_d, statement

from asymp.reports.kinds import Capacity, Rate

LAW = law_of_d("d", "~")
KINDS = [statement(Rate, LAW, variable="d"), statement(Capacity, LAW, variable="d", size="n")]


def fitted(exponent, status="power", rival="", beyond=0.0, half=1e-3):
    """A fit with a small standard error: its intervals are normal."""

    def interval(level):
        wide = norm.ppf((1 + level) / 2) * half
        return exponent - wide, exponent + wide

    return SimpleNamespace(
        exponent=exponent,
        interval=interval,
        pieces=lambda level: (interval(level),),
        status=status,
        family="power",
        rival=lambda wanted, margin: rival,
        p_of_alternatives=lambda wanted: beyond,
    )


@pytest.mark.parametrize("one", KINDS, ids=lambda s: s.kind)
@pytest.mark.parametrize(
    ("fit", "shown", "refuted"),
    [
        (fitted(1.0), True, False),
        (fitted(1.5), False, True),
        (fitted(1.0, "misfit"), False, False),  # once in a hundred fits of a true power law
        (fitted(1.5, "misfit"), False, False),  # the truth may be outside the declared class: its interval says nothing
        (fitted(1.0, rival="two powers"), False, False),  # another exponent would do as well
        (fitted(1.5, beyond=0.3), False, False),  # the law's own exponent would do, by a law just outside the class
        (fitted(1.5, beyond=1e-9), False, True),
        (fitted(1.02, half=0.005), False, False),  # within the margin, but the 98 % interval excludes the law
    ],
)
def test_what_decides(one, fit, shown, refuted):
    group = one.group("d", {}, {"d": 2}, [1.0, 100.0], fit, 1e-6)
    assert group.shown == shown
    assert (group.p_value <= 1e-6) == refuted
    assert bool(group.doubt) == (fit.rival(1, 0) != "" or fit.p_of_alternatives(1) == 0.3)
