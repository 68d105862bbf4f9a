"""A wrong call of a law is one sentence that names the argument and what would be right.

The conditions that laws have besides the domains of their parameters are broken here one by one, each from the first point of
the law's second route; what all laws share is tried on one parameter of each kind of domain.
"""

import math
import re

import pytest
from second_routes import ROUTES

from asymp.reports import claims
from asymp.theory import Param, integer, law, laws, real

INFINITE = {"N": math.inf, "P": math.inf}
BROKEN = {
    "a_j^2 must be at most A": {"a_j": 4},
    "S_y must be at most S": {"S_y": 9},
    "q^2 must be at most S_y for the target": {"q": 2},
    "a_zy^2 must be at most R_z": {"R_z": 1},
    "a_zy^2 must be at most C_y": {"C_y": 1},
    "R_z + C_y - a_zy^2 must be at most A": {"A": 6},
    "beta s^2 must be below d": {"s": 2},
    "N must be at most 1e9": {"N": 10**10},
    "r must be at most 1/2 for the criterion 'top-fraction'": {"r": 0.6, "criterion": "top-fraction"},
    "m must be at most d": {"m": 10},
    "e must be below 1 - 1/M": {"e": 0.5},
    "alpha must exceed 1 when N is infinite": {**INFINITE, "alpha": 0.9, "rho": 2},
    "2 rho alpha must exceed 1 when N and P are infinite": {**INFINITE, "T": math.inf, "alpha": 2, "rho": 0.2},
    "2 rho alpha must exceed 1: the sum": {"alpha": 2, "rho": 0.25, "N": math.inf},
    "q^2 must be at most S/M": {"q": 2, "S": 4, "M": 2},
    "N must be a multiple of M": {"N": 13},
    "d M/N must be at most the crossover": {"d": 10**4},
    "d must exceed 8 log M": {"d": 11},
    "k d must be at least 1": {"d": 5},
    "d^2 must be at least c log N": {"d": 2},
    "T must be large enough": {"T": 1, "alpha": 1.01, "s": 9},
    "s must be at most lse": {"s": 3},
    "d must be one of the published sizes": {"d": 50},
    "n_y must be from 1 to N": {"n_y": 10},
    "n_f + n_y must be at most N": {"n_y": 8},
    "M must be at most N": {"M": 101},
    "d must be below N": {"d": 100},
    "d must be at least N": {"d": 19},
    "n must be large enough": {"gamma": 0.1, "M": 1000, "n": 1},
    "gamma must be one of the three": {"gamma": 1},
    "d must exceed N": {"d": 10},
    "d must be at most N": {"d": 200},
    "n must be at least N": {"n": 49},
    "P must exceed 1/R": {"P": 0.2},
    "Q must be at least 1/D": {"Q": 0.1},
    "t must be at most T": {"t": 7},
}
UNBREAKABLE = {"seen-s-times:matched"}
"""Laws whose condition holds everywhere in their domain, at T >= 1."""

CONDITIONS = [(id, condition.message) for id in laws if id not in UNBREAKABLE for condition in laws[id].conditions]
OF_NUMBERS, OF_ARRAYS = ([c for c in CONDITIONS if laws[c[0]].of_arrays is arrays] for arrays in (False, True))


@pytest.mark.parametrize(("id", "message"), OF_ARRAYS)
def test_a_condition_of_a_law_of_arrays_speaks_of_the_setting(id, message):
    (change,) = (change for start, change in BROKEN.items() if message.startswith(start))
    claim = claims[id.partition(":")[0]]
    statements = [part for part in claim.parts if part.formula is laws[id] and not part.erratum]
    assert statements
    for part in statements:
        part.validate(part.grid["quick"][0])
        with pytest.raises(ValueError, match="must") as refused:
            part.validate({**part.grid["quick"][0], **change})
        assert message in str(refused.value)


@pytest.mark.parametrize(("id", "message"), OF_NUMBERS)
def test_every_condition_of_a_law_is_broken_with_its_sentence(id, message):
    (change,) = (change for start, change in BROKEN.items() if message.startswith(start))
    takes = laws[id].domain
    call = {**ROUTES[id].points[0], **{name: value for name, value in change.items() if name in takes}}
    with pytest.raises(ValueError, match="must") as floats:
        laws[id](**call)
    with pytest.raises(ValueError, match="must") as digits:
        laws[id].evaluate(**call, digits=20)
    assert message in str(floats.value) and message in str(digits.value)


WRONG = {
    "not a number": math.nan,
    "text": "abc",
    "truth": True,
    "nothing": [],
    "an object": object(),
    "complex": 1j,
    "a dictionary": {},
    "a ragged list": [[1, 2], [3]],
    "minus infinity": -math.inf,
    "below the domain": -3,
}
KINDS = [
    ("missing-mass", "alpha", {}),
    ("missing-mass", "N", {"a part": 2.5, "none": 0}),
    ("finite-memory-lower", "d", {"a part": 2.5, "infinity": math.inf, "one": 1}),
    ("near-orthogonality:directions", "epsilon", {"the open end": 0, "above": 1.5}),
    ("score-variance", "output", {"a number": 99}),
]
CALLS = [(id, name, how) for id, name, more in KINDS for how in {**WRONG, **more}]


@pytest.mark.parametrize(("id", "name", "how"), CALLS)
def test_a_value_outside_a_domain_is_one_sentence(id, name, how):
    (more,) = (more for *place, more in KINDS if place == [id, name])
    call = {**ROUTES[id].points[0], name: {**WRONG, **more}[how]}
    with pytest.raises(ValueError, match=f"{name} must be") as caught:
        laws[id](**call)
    said = str(caught.value)
    assert "\n" not in said and len(said) < 500, said


@pytest.mark.parametrize("digits", [0, -3, 2.5, "x", True])
def test_digits_are_a_whole_number(digits):
    with pytest.raises(ValueError, match="digits"):
        laws["missing-mass"].evaluate(alpha=2, T=10, digits=digits)


def test_names_that_a_law_does_not_have_and_names_that_it_needs():
    with pytest.raises(ValueError, match="nonsense"):
        laws["missing-mass"](alpha=2, T=10, nonsense=1)
    with pytest.raises(ValueError, match="nonsense"):
        laws["missing-mass"].exponent("nonsense")
    with pytest.raises(ValueError, match="needs T"):
        laws["missing-mass"](alpha=2)


@pytest.mark.parametrize(
    ("id", "values", "words"),
    [
        ("missing-mass", {"alpha": 0.5, "T": 10}, "pass a finite N"),
        ("missing-mass:source", {"alpha": 1, "T": 10}, "alpha must be a number > 1; got 1; .* pass a finite N"),
        ("finite-memory-lower", {"alpha": 2, "N": 9, "M": 1, "d": 4}, "M must be an integer >= 2; got 1"),
        ("lookup-mlp", {"d": 9, "b": 2}, "b must be .* fires for nothing"),
        ("gradient-noisy-inputs:row", {"p": 0, "mu_hat": 1, "mu": 1}, "use gradient-noisy-inputs"),
        ("training-grid", {"d": 10, "setting": "sign"}, "setting must be one of"),
    ],
)
def test_advice(id, values, words):
    with pytest.raises(ValueError, match=words):
        laws[id](**values)


def test_digits_that_cannot_be_had_are_refused():
    with pytest.raises(ValueError, match="M must be at most 45"):
        laws["optimal-scheme:asymptotic"].evaluate(alpha=2, M=46, d=10, digits=20)
    with pytest.raises(ValueError, match="digits can be had, from asymp.theory.recall_error"):
        laws["exact-recall-error"].evaluate(alpha=1.2, N=7, M=3, d=4, digits=20)


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (lambda: real("a"), "a domain goes from low to high, numbers"),
        (lambda: integer(5, 1), "got 5 and 1"),
        (lambda: law("x", "1/n", relation="=", params={"n": Param(integer(1), 5)}), "must be (low, high); got 5"),
    ],
)
def test_a_domain_or_a_range_that_is_none_is_refused(declare, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        declare()
    assert real(1, "oo") == real(1) and integer("3").low == 3
