"""The backtest: a form that is wrong must be widened until it covers, one that is right hardly."""

import numpy as np

from asymp.montecarlo.fit.backtest import Backtest, fit_forms, student
from asymp.montecarlo.fit.forms import JOINT, SINGLE
from asymp.montecarlo.fit.table import Table

X = np.geomspace(1e4, 1e7, 30)[:, None]
AHEAD = np.array([[1.5e7], [2e7]])


def truth(x):
    return 1.0 + 40 * x[:, 0] ** -0.35


def fitted(name):
    rng = np.random.default_rng(2)
    return fit_forms(Table(("x",), "loss", X, truth(X) * np.exp(0.003 * rng.normal(size=30))), [SINGLE[name]])


def test_a_wrong_form_is_widened_until_it_covers_and_would_not_have_covered():
    wrong = fitted("power")
    _, low, high = wrong.predict(AHEAD, 0.95, simultaneous=False)
    new = np.log(truth(AHEAD))
    assert ((low <= new) & (new <= high)).all()
    near, far = wrong.backtests["power"].factors(0.95, 28, np.log([1.01, 4]), simultaneous=False)
    assert far > 2 * student(0.95, 28) and far >= near


def test_a_right_form_is_hardly_widened():
    right = fitted("floor").backtests["floor"]
    alone, whole = (right.factors(0.95, 27, np.log([1.5, 2]), simultaneous=both) for both in (False, True))
    assert (alone < 2.5 * student(0.95, 27)).all() and (whole >= alone).all()
    assert max(right.cut) < 1 and len(right.cut) >= 6


def test_the_factor_is_students_quantile_times_the_root_mean_square_up_to_twice_the_distance():
    far, errors = (np.array([0.5, 1.0]),) * 4, [(3.0, 9.0), (4.0, 12.0)] * 2
    test = Backtest((0.5, 0.6, 0.7, 0.8), far, (np.ones(2),) * 4, tuple(map(np.array, errors)))
    # Four cuts count for two: t = 4.302653 with two degrees of freedom (a table of Student's distribution)
    near = np.sqrt((9 + 16) / 2)
    both = np.sqrt((9 + 81 + 16 + 144) / 4)
    worst = np.sqrt((81 + 144) / 2)
    found = test.factors(0.95, 100, np.array([0.25, 0.35, 0.5, 5.0]), simultaneous=False)
    np.testing.assert_allclose(found, 4.302653 * np.array([near, near + 0.4 * (both - near), both, both]), rtol=1e-6)
    found = test.factors(0.95, 100, np.array([0.25, 0.5]), simultaneous=True)
    np.testing.assert_allclose(found, 4.302653 * worst, rtol=1e-6)
    no_cuts = Backtest((), (), (), ()).factors(0.95, 2, np.zeros(1), simultaneous=False)
    assert no_cuts == 2 * student(0.95, 2) and test.reach == 1


def test_a_fall_beyond_the_table_is_uncertain_by_a_fifth_and_none_within_it():
    """Without noise only that is left: 1.96 fifths of what the form falls by, in any direction out of the table."""
    exact = fit_forms(Table(("x",), "loss", X, truth(X)), [SINGLE["floor"]])
    ahead = np.array([[2e3], [3e5], [2e7]])
    _, low, high = exact.predict(ahead, 0.95, simultaneous=False)
    fall = np.abs(np.log(truth(ahead)) - np.log(truth(np.array([[1e4], [3e5], [1e7]]))))
    np.testing.assert_allclose((high - low) / 2, 1.959964 * 0.2 * fall, atol=1e-6)


def test_out_of_the_table_is_also_a_larger_size_with_less_of_the_other():
    n, d = (v.ravel() for v in np.meshgrid(np.geomspace(1e8, 1e10, 5), np.geomspace(2e9, 2e11, 5)))
    y = 1.8 + 480 * n**-0.34 + 2000 * d**-0.37
    exact = fit_forms(Table(("N", "D"), "loss", np.stack([n, d], axis=1), y), [JOINT["additive"]])
    x = np.array([[4e10, 5e9], [4e10, 8e11], [1e10, 2e11]])
    np.testing.assert_allclose(exact.edge(x), [[1e10, 5e9], [1e10, 2e11], [1e10, 2e11]], rtol=1e-9)
    _, low, high = exact.predict(x, 0.95, simultaneous=False)
    assert (high - low)[0] > 1e-3 and (high - low)[2] < 1e-6


def test_declared_errors_are_in_the_interval_of_a_new_measurement():
    """Whatever the unit in which errors are declared, the interval is as wide as without them if they are true."""
    y = truth(X) * np.exp(0.02 * np.random.default_rng(4).normal(size=30))
    widths = []
    for error in (None, np.full(30, 0.02)):
        fit = fit_forms(Table(("x",), "loss", X, y, error=error), [SINGLE["floor"]])
        _, low, high = fit.predict(AHEAD, 0.95, simultaneous=False)
        widths.append(high - low)
    assert (widths[1] > 2 * 1.96 * 0.02).all()
    np.testing.assert_allclose(widths[1], widths[0], rtol=0.3)
