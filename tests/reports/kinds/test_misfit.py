"""One rule for a fit that decides nothing: no declared form describes it, or a law just outside the class says otherwise."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm
from support.own_claims import law_of_d, statement

from asymp.montecarlo import Estimate
from asymp.montecarlo.exponent.data import Tails
from asymp.reports.kinds import Capacity, Rate

LAW = law_of_d("d", "~")
KINDS = [statement(Rate, LAW, variable="d"), statement(Capacity, LAW, variable="d", size="n")]


def fitted(exponent, status="power", rival="", beyond=0.0, half=1e-3, heavy=""):
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
        tails=Tails(0.5, heavy),
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
        (fitted(1.0, heavy="one value"), False, False),  # means of values with such tails are not normal
        (fitted(1.5, heavy="one value"), False, False),
        (fitted(1.02, half=0.005), False, False),  # within the margin, but the 98 % interval excludes the law
    ],
)
def test_what_decides(one, fit, shown, refuted):
    group = one.group("d", {}, {"d": 2}, [1.0, 100.0], fit, 1e-6)
    assert group.shown == shown
    assert (group.p_value <= 1e-6) == refuted
    assert bool(group.doubt) == (fit.rival(1, 0) != "" or fit.p_of_alternatives(1) == 0.3)


SIZES = (16, 64, 256, 1024, 4096, 16384)


def rows(spike):
    """Uniform values with an exponent of 0.8 at six sizes; at the first one of them is larger by a factor."""
    rng = np.random.default_rng(0)
    found = [size**0.8 * rng.uniform(0.8, 1.2, 64) for size in SIZES]
    found[0][7] *= spike
    return [({"d": size}, Estimate(row)) for size, row in zip(SIZES, found, strict=True)]


def test_a_value_that_carries_the_spread_leaves_an_exponent_open_and_is_named():
    one = statement(Rate, LAW, variable="d", families=("power",))
    wrong, heavy = (one.judge(rows(spike), level=1e-6) for spike in (1, 4))
    assert wrong.p_value < 1e-6 and not wrong.obstacle and "one value carries 6 % of the spread" in wrong.assumption
    assert heavy.p_value == 1 and not heavy.shown and heavy.why_open(1) == "single values carry too much of the spread"
    assert "one of the 64 values at size 16 carries 9" in heavy.words
    assert "too rare to be seen could move the exponent" in wrong.assumption


def test_wrong_exponents_are_refuted_also_where_the_law_fits_as_it_stands():
    """A law whose own formula fits is not refuted; a wrong law must not borrow the right one's values."""
    one = statement(Rate, law_of_d("3*d/(1 + 1/d)", "~"), variable="d", cells=[{"d": size} for size in SIZES])
    rng = np.random.default_rng(4)
    found = [({"d": d}, Estimate(3 * d / (1 + 1 / d) * rng.uniform(0.8, 1.2, 4096), bounds=(0, 4 * d))) for d in SIZES]
    assert one.judge(found, level=1e-6).p_value > 0.01
    wrong = {control.how: control.statement(found).judge(found, level=1e-6) for control in one.wrong_laws()}
    assert set(wrong) == {
        "exponent + twice the margin",
        "exponent - twice the margin",
        "wrong variable: no growth in d",
    }
    assert all(e.p_value <= 1e-6 for e in wrong.values()), {how: e.words for how, e in wrong.items()}


def test_exponents_of_values_with_rare_spikes_are_not_refuted():
    """A straight line through 400 studies of 1/x; without a word on tails about one in a hundred refutes it."""
    rng = np.random.default_rng(18)
    one = statement(Rate, law_of_d("1/d", "~"), variable="d", families=("power",))
    for _ in range(400):
        rows = [rng.uniform(0.4, 0.6, 4096) + 500 * (rng.random(4096) < 1e-3) for _ in SIZES]
        found = one.judge([({"d": d}, Estimate(row / d)) for d, row in zip(SIZES, rows, strict=True)], level=1e-3 / 16)
        assert found.p_value > 1e-3 / 16
