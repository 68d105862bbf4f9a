"""Every law against its second route: to fifty digits at its first point, to FEWER at the others, in float64 at all of them.

The routes are in tests/theory/second_routes, one for each id of `laws`. A law without fifty digits says so, and is
compared to the digits that it has. At its first point a law is also called with arrays and symbols, and its declared formula
is evaluated as it stands, by the judge of the mutation tests.
"""

from random import Random

import mpmath as mp
import numpy as np
import pytest
import sympy
from judge import default_words
from judge import number as formula_at
from second_routes import CONSTANTS, LEADING, ROUTES

from asymp.theory import laws

FEWER = 25
"""Digits at further points, which are there for other branches of a formula."""

CASES = [
    pytest.param(id, i, id=f"{id}-{i}", marks=pytest.mark.xdist_group(id))  # workers share the laws
    for id, route in ROUTES.items()
    for i in range(len(route.points))
]

INTEGRATED = {"exact-recall-error", "power-scheme", "threshold-scheme", "fill-scheme"}
"""Laws whose float64 is an integral in many dimensions, good to 1e-3 at 99 %; a point takes seconds."""

UNNAMED = {
    "hopfield-capacity:half", "low-rank-capacity:half", "mlp-capacity:half", "multi-input-capacity:half",
    "fill-is-best:crossover", "hopfield-capacity:with-errors",
}  # fmt: skip
"""Laws whose formula is a name for a number that a routine finds."""

LONG = {
    "missing-mass", "threshold-scheme:asymptotic", "seen-s-times:overflow", "seen-s-times:matched",
}  # fmt: skip
"""Laws whose formula, a sum without end or nested integrals, takes long to evaluate as it stands."""


def test_every_law_has_a_second_route():
    ids = {id for id in laws if not laws[id].of_arrays}  # those have theirs in test_array_laws
    assert ids - set(ROUTES) == set(), "laws without a second route"
    assert set(ROUTES) - ids == set(), "routes to no law"
    assert all(route.points for route in ROUTES.values())


def test_constants_are_laws_without_anything_to_compute():
    for id in CONSTANTS:
        assert not laws[id].expr.free_symbols, id


def near(found, wanted, digits):
    with mp.workdps(70):
        off = abs(found - wanted) if wanted == 0 else abs(found / wanted - 1)
        assert off < mp.mpf(10) ** (1 - digits), (mp.nstr(found, 20), mp.nstr(wanted, 20))


def in_floats(point):
    return {k: v if isinstance(v, str) else float(v) for k, v in point.items()}


def float_digits(id):
    """Digits that a law has in float64."""
    return 3 if id in INTEGRATED else min(11, ROUTES[id].digits)


@pytest.mark.parametrize(("id", "i"), CASES)
def test_the_law_is_its_second_route(id, i):
    route, law = ROUTES[id], laws[id]
    point = route.points[i]
    digits = 50 if i == 0 or route.why else FEWER
    wanted = route.value(point, min(digits, route.digits) + 15)
    if route.why:
        with pytest.raises(ValueError, match="digits can be had"):
            law.evaluate(**point, digits=50)
    else:
        digits = min(digits, route.digits)
        near(law.evaluate(**point, digits=digits), wanted, digits)
    value = law(**in_floats(point))
    assert isinstance(value, float)
    near(value, wanted, float_digits(id))
    if i == 0:
        takes_arrays_and_symbols(law, point, value)
        if not (id in UNNAMED or id in LONG or id in LEADING):
            near(formula_at(law.variant(**default_words(law, point)), law, point), wanted, 8)


def takes_arrays_and_symbols(law, point, value):
    numbers = [name for name in law.symbols if name in point]
    if not numbers:
        return
    if law.id not in INTEGRATED and float_digits(law.id) > 3:
        given = in_floats(point)
        found = law(**{**given, **{name: np.full(3, given[name]) for name in numbers}})
        np.testing.assert_allclose(found, np.full(3, value), rtol=1e-10)
        assert np.shape(law(**{**given, numbers[0]: np.full((2, 1), given[numbers[0]])})) == (2, 1)
    assert isinstance(law(**{**point, numbers[0]: law.symbols[numbers[0]]}), sympy.Basic)


MORE = [(id, i) for id, route in ROUTES.items() for i in range(len(route.more))]


@pytest.mark.parametrize(("id", "i"), MORE, ids=[f"{id}-{i}" for id, i in MORE])
def test_float64_is_the_second_route_at_other_sizes(id, i):
    point = ROUTES[id].more[i]
    near(laws[id](**in_floats(point)), ROUTES[id].value(point, 30), 10)


DRAWN = [id for id, route in ROUTES.items() if route.drawn]


@pytest.mark.parametrize("id", DRAWN)
def test_arrays_of_drawn_settings_are_the_second_route(id):
    """Each in its place: a law that groups, sorts or tabulates its points gives every one its own value."""
    route, law = ROUTES[id], laws[id]
    rng = Random(id)
    points = [route.drawn(rng) for _ in range(route.draws)]
    found = law(
        **{k: v if isinstance(v, str) else np.array([float(p[k]) for p in points]) for k, v in points[0].items()}
    )
    assert len(set(found)) > 0.4 * len(points)  # the settings tell laws apart
    for point, value in zip(points, found, strict=True):
        wanted = route.value(point, 30)  # thirty digits after the point: a route takes 1 - p as it stands
        assert abs(value - wanted) <= abs(wanted) * 1e-9 + 1e-22, (point, value, wanted)


ROUGH = [(id, i) for id, route in ROUTES.items() for i in range(len(route.rough))]


@pytest.mark.parametrize(("id", "i"), ROUGH, ids=[f"{id}-rough-{i}" for id, i in ROUGH])
def test_the_law_is_its_second_route_where_it_has_fewer_digits(id, i):
    route, law = ROUTES[id], laws[id]
    point, digits = route.rough[i], route.rough_digits
    with pytest.raises(ValueError, match=f"about {digits} digits") as refused:
        law.evaluate(**point, digits=50)
    near(law(**in_floats(point)), route.value(point, digits + 15), digits)
    if "can be had" in str(refused.value):
        assert any(f"more than {digits} digits can be had" in note for note in law.notes), id


@pytest.mark.parametrize("id", LEADING)
def test_a_leading_order_is_its_second_route(id):
    """The formula, to fifty digits; the law, its root, is compared above."""
    route, law = LEADING[id], laws[id]
    assert len(law.symbols) == 1
    for point in route.points:
        ((name, symbol),) = law.symbols.items()
        with mp.workdps(70):
            found, wanted = mp.mpf(law.expr.subs(symbol, point[name]).evalf(60)), route.value(point)
        near(found, wanted, 50)


def test_less_than_fifty_digits_has_a_reason():
    fewer = {id for id, route in ROUTES.items() if route.why}
    assert fewer == {
        "best-linear:cone",
        "error-map",
        "exact-recall-error:item",
        "fill-is-best:crossover",
        "optimal-scheme",
        "optimal-scheme:least",
    }
    for id in fewer:
        assert any("digits can be had" in note for note in laws[id].notes), id
