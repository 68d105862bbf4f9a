"""assert_order: a method of second order, one of another, a table that cannot tell."""

import contextlib

import numpy as np
import pytest

from asymp.reports import CouldNotFail, assert_order

STEPS = 2.0 ** -np.arange(2, 11)


def trapezoid(steps):
    """The error of the trapezoidal rule for exp on [0, 1], whose order is 2."""
    found = []
    for h in steps:
        x = np.linspace(0, 1, round(1 / h) + 1)
        found.append(abs(np.trapezoid(np.exp(x), x) - (np.e - 1)))
    return found


def test_the_trapezoidal_rule_has_order_2_and_no_other():
    passed = assert_order(STEPS, trapezoid(STEPS), order=2)
    assert passed.shown and passed.seen <= 0.1
    for wrong in (1, 1.8, 2.2, 3):
        with pytest.raises(AssertionError, match="the order is not"):
            assert_order(STEPS, trapezoid(STEPS), order=wrong)


def test_errors_that_follow_no_power_could_not_fail():
    with pytest.raises((CouldNotFail, AssertionError)):
        assert_order(STEPS, np.exp(np.sin(np.arange(9.0))) * STEPS, order=1)


@pytest.mark.parametrize("errors", [[1, 2], [0.0] * 9, ["a"] * 9])
def test_bad_tables_are_one_sentence(errors):
    with pytest.raises(ValueError, match="must be|must have"):
        assert_order(STEPS, errors, order=2)


@pytest.mark.parametrize(
    ("errors", "order"),
    [
        (lambda h: h**2 * (1 + 10 * h), 2),  # at the largest step 10 h is too large a correction for the class
        (lambda h: h**2 * (1 - 0.9 * h), 2),
        (lambda h: h**0.5 * (1 + 0.3 * h), 0.5),
        (lambda h: h**4 * (1 - 0.6 * h), 4),
    ],
)
def test_a_true_order_of_the_class_is_shown_and_a_wrong_one_refuted(errors, order):
    steps = 2.0 ** -np.arange(1, 10)
    assert assert_order(steps, errors(steps), order=order).shown
    for wrong in (order - 0.3, order + 0.3):
        with pytest.raises(AssertionError, match="the order is not"):
            assert_order(steps, errors(steps), order=wrong)


def solved(method, steps):
    """The errors at 1 of a method for y' = cos(t) y, whose solution is exp(sin(t))."""
    found = []
    for h in steps:
        y = 1.0
        for i in range(round(1 / h)):
            y = method(lambda t, y: np.cos(t) * y, i * h, y, h)
        found.append(abs(y - np.exp(np.sin(1))))
    return found


def euler(f, t, y, h):
    return y + h * f(t, y)


def heun(f, t, y, h):
    return y + h / 2 * (f(t, y) + f(t + h, y + h * f(t, y)))


def runge_kutta(f, t, y, h):
    a = f(t, y)
    b = f(t + h / 2, y + h / 2 * a)
    c = f(t + h / 2, y + h / 2 * b)
    return y + h / 6 * (a + 2 * b + 2 * c + f(t + h, y + h * c))


@pytest.mark.parametrize(("method", "order"), [(euler, 1), (heun, 2), (runge_kutta, 4)])
@pytest.mark.parametrize(
    "steps", [2.0 ** -np.arange(3, 8), 2.0 ** -np.arange(2, 10), 1 / np.array([10, 14, 20, 30, 50, 80])]
)
def test_methods_of_textbooks_have_their_order_and_no_other(method, order, steps):
    """Their corrections are series in h: no single one of them, and what it leaves out is no noise."""
    errors = solved(method, steps)
    assert assert_order(steps, errors, order=order).shown
    for wrong in (order - 0.2, order + 0.2, order + 1):
        with pytest.raises(AssertionError, match="the order is not"):
            assert_order(steps, errors, order=wrong)


@pytest.mark.parametrize("digits", [3, 4, 6])
def test_tables_as_they_are_printed_do_not_refute_a_true_order(digits):
    for method, order in ((euler, 1), (heun, 2), (runge_kutta, 4)):
        for first in range(1, 5):
            steps = 2.0 ** -np.arange(first, first + 6)
            errors = [float(f"{e:.{digits - 1}e}") for e in solved(method, steps)]
            with contextlib.suppress(CouldNotFail):
                assert_order(steps, errors, order=order)


def test_steps_that_are_too_large_are_open():
    """h^2/(1 + 1000 h^2) has the order 2 at steps far below 1/30 and seems to have none above."""
    for count in (5, 6, 7, 8):
        steps = 2.0 ** -np.arange(1, count + 1)
        with pytest.raises(CouldNotFail, match="neither shown nor refuted"):
            assert_order(steps, steps**2 / (1 + 1000 * steps**2), order=2)


def test_an_order_that_is_no_number_is_one_sentence():
    for order in ("2", None, float("nan")):
        with pytest.raises(ValueError, match="order must be a number"):
            assert_order(STEPS, STEPS**2, order=order)
