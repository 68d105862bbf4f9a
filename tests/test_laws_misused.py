"""Every law called rightly in every form, and wrongly in every way: a wrong call is one sentence with advice."""

import math

import numpy as np
import pytest
import sympy
from second_routes import ROUTES

from asymp.theory import laws

WRONG = {
    "not a number": math.nan,
    "text": "abc",
    "truth": True,
    "nothing": [],
    "an object": object(),
    "complex": 1j,
    "a dictionary": {},
    "a ragged list": [[1, 2], [3]],
}
# A point of these takes a second and more.
SLOW = {"exact-recall-error", "exact-recall-error:item", "power-scheme", "threshold-scheme", "fill-scheme", "error-map"}


def a_point(id):
    return {k: v if isinstance(v, str) else float(v) for k, v in ROUTES[id].points[0].items()}


@pytest.mark.parametrize("id", list(laws))
def test_numbers_arrays_and_symbols(id):
    law, point = laws[id], a_point(id)
    value = law(**point)
    assert isinstance(value, float)
    numbers = [name for name in law.symbols if name in point]
    if id not in SLOW and numbers:
        found = law(**{k: np.full(3, v) if k in numbers else v for k, v in point.items()})
        np.testing.assert_allclose(found, np.full(3, value), rtol=1e-10)
        assert np.shape(law(**{**point, numbers[0]: np.full((2, 1), point[numbers[0]])})) == (2, 1)
    for name in numbers[:1]:
        assert isinstance(law(**{**ROUTES[id].points[0], name: law.symbols[name]}), sympy.Basic)
    for name in law.symbols:
        try:
            exponent = law.exponent(name)
        except ValueError as error:
            assert "no rule" in str(error)
            continue
        assert isinstance(exponent, sympy.Basic) and not exponent.has(sympy.nan, sympy.zoo)


@pytest.mark.parametrize("id", list(laws))
def test_a_wrong_call_is_one_sentence(id):
    law, point = laws[id], a_point(id)
    calls = [{**point, "nonsense": 1}]
    for name, domain in law.domain.items():
        calls += [{**point, name: value} for value in WRONG.values()]
        if domain.kind == "choice":
            calls.append({**point, name: 99})
            with pytest.raises(ValueError, match="is a word, not a size"):
                law.exponent(name)
            continue
        calls.append({**point, name: -math.inf})
        if domain.low >= 0:
            calls.append({**point, name: -3})
        if domain.kind == "integer":
            calls.append({**point, name: 2.5})
        if name not in law.defaults:
            calls.append({k: v for k, v in point.items() if k != name})
    for call in calls:
        with pytest.raises(ValueError, match=".") as caught:
            law(**call)
        said = str(caught.value)
        assert said and "\n" not in said and len(said) < 500, said
    for digits in (0, -3, 2.5, "x", True):
        with pytest.raises(ValueError, match="digits"):
            law.evaluate(**ROUTES[id].points[0], digits=digits)
    with pytest.raises(ValueError, match="nonsense"):
        law.exponent("nonsense")
