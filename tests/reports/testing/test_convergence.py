"""assert_order: a method of second order, one of another, a table that cannot tell."""

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


def test_an_order_that_is_no_number_is_one_sentence():
    for order in ("2", None, float("nan")):
        with pytest.raises(ValueError, match="order must be a number"):
            assert_order(STEPS, STEPS**2, order=order)
