"""Forms: derivatives against differences, known parameters found again, intervals by profile, the box."""

import numpy as np
import pytest

from asymp.montecarlo.fit.backtest import fit_forms
from asymp.montecarlo.fit.forms import FORMS
from asymp.montecarlo.fit.profile import profile_interval
from asymp.montecarlo.fit.solve import solve
from asymp.montecarlo.fit.table import Table

TRUE = {
    "power": [7.0, 0.3],
    "floor": [1.5, 60.0, 0.35],
    "corrected": [5.0, 0.2, 300.0, 0.6],
    "log": [9.0, 0.25, 0.5],
    "shifted": [9.0, 0.4, 1e-5],
    "bounded": [0.2, 1.0, 1.5, 40.0, 0.5],
    "broken": [4.0, 0.05, 2e4, 0.4, 0.5],
    "additive": [1.8, 480.0, 0.34, 2000.0, 0.37],
    "coupled": [1.8, 480.0, 0.34, 2000.0, 0.37, 0.7],
}


def sizes(name):
    if len(FORMS[name].variables) == 1:
        return np.geomspace(1e2, 1e7, 24)[:, None]
    n, d = np.meshgrid(np.geomspace(1e7, 1e10, 6), np.geomspace(1e9, 1e12, 6))
    return np.stack([n.ravel(), d.ravel()], axis=1)


@pytest.mark.parametrize("name", FORMS)
def test_derivatives_are_those_of_differences(name):
    p, x = np.array(TRUE[name]), sizes(name)
    slopes = FORMS[name].value(p, x)[1]
    for i in range(len(p)):
        step = np.zeros_like(p)
        step[i] = 1e-5 * abs(p[i])
        ends = [FORMS[name].value(q, x)[0] for q in (p + step, p - step)]
        np.testing.assert_allclose(slopes[:, i], (ends[0] - ends[1]) / (2 * step[i]), rtol=2e-5, atol=1e-9)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_without_noise_is_found_again(name):
    x = sizes(name)
    y = FORMS[name].value(np.array(TRUE[name]), x)[0]
    found = solve(FORMS[name], x, y)
    assert found.status == "converged"
    np.testing.assert_allclose(found.at(x), y, rtol=1e-4)


def test_the_bounded_form_solves_its_own_equation():
    low, top, a, scale, b = p = np.array(TRUE["bounded"])
    x = sizes("bounded")
    y = FORMS["bounded"].value(p, x)[0]
    np.testing.assert_allclose((y - low) / (top - y) ** a, scale * x[:, 0] ** -b, rtol=1e-9)


def test_huber_ignores_outliers_that_squares_do_not():
    x = sizes("additive")
    y = FORMS["additive"].value(np.array(TRUE["additive"]), x)[0] * np.exp(
        1e-3 * np.random.default_rng(1).normal(size=36)
    )
    y[[3, 20]] *= 1.5
    squares, robust = solve(FORMS["additive"], x, y), solve(FORMS["additive"], x, y, huber=1e-3)
    assert abs(robust.parameters["alpha"] - 0.34) < 0.01 < abs(squares.parameters["alpha"] - 0.34)


def test_intervals_by_hubers_losses_hold_where_the_noise_grows_with_the_size():
    """95 of 100 are expected; fewer than 88 have p < 0.005. With one noise for all rows they hold in 71."""
    x, held = np.geomspace(1, 1e4, 60), 0
    for seed in range(100):
        noise = 0.05 * (x / 1e4) ** 0.35 * np.random.default_rng(seed).normal(size=60)
        fitted = fit_forms(Table(("x",), "loss", x[:, None], 3 * x**-0.5 * np.exp(noise)), [FORMS["power"]], huber=1e-3)
        low, high = profile_interval(fitted, "power", "b", 0.95)
        held += low <= 0.5 <= high
    assert held >= 88


def test_a_profile_of_a_straight_line_is_students_interval():
    """A power is a straight line in logs, whose interval is known; the profile's limit is wider by the root of 5.5/3.84."""
    from scipy import stats

    x = np.geomspace(1, 1e4, 12)
    y = 3 * x**-0.5 * np.exp(0.05 * np.random.default_rng(0).normal(size=12))
    fitted = fit_forms(Table(("x",), "loss", x[:, None], y), [FORMS["power"]])
    low, high = profile_interval(fitted, "power", "b", 0.95)
    line = stats.linregress(np.log(x), np.log(y))
    half = stats.t.ppf(0.975, fitted.noise.freedom) * line.stderr * np.sqrt(fitted.noise.inflation * 5.5 / 3.84)
    np.testing.assert_allclose([low, high], [-line.slope - half, -line.slope + half], rtol=2e-3)
