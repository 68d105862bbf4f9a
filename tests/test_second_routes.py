"""Every law against its second route, to fifty digits at its first point and to FEWER at the others.

The routes are in tests/support/second_routes, one for each id of `laws`. A law without fifty digits says so, and is
compared to the digits that it has.
"""

import mpmath as mp
import pytest
from second_routes import CONSTANTS, LEADING, ROUTES

from asymp.theory import laws

FEWER = 25
"""Digits at further points, which are there for other branches of a formula."""

CASES = [(id, i) for id, route in ROUTES.items() for i in range(len(route.points))]


def test_every_law_has_a_second_route():
    ids = set(laws)
    assert ids - set(ROUTES) == set(), "laws without a second route"
    assert set(ROUTES) - ids == set(), "routes to no law"
    assert all(route.points for route in ROUTES.values())


def test_constants_are_laws_without_anything_to_compute():
    for id in CONSTANTS:
        assert not laws[id].expr.free_symbols, id


@pytest.mark.parametrize(("id", "i"), CASES, ids=[f"{id}-{i}" for id, i in CASES])
def test_the_law_is_its_second_route(id, i):
    route, law = ROUTES[id], laws[id]
    point = route.points[i]
    digits = 50 if i == 0 or route.why else FEWER
    wanted = route.value(point, min(digits, route.digits) + 15)
    if route.why:
        with pytest.raises(ValueError, match="digits can be had"):
            law.evaluate(**point, digits=50)
        found = mp.mpf(law(**point))
    else:
        found = law.evaluate(**point, digits=digits)
    with mp.workdps(70):
        off = abs(found - wanted) if wanted == 0 else abs(found / wanted - 1)
        assert off < mp.mpf(10) ** (1 - min(digits, route.digits)), (mp.nstr(found, 20), mp.nstr(wanted, 20))


ROUGH = [(id, i) for id, route in ROUTES.items() for i in range(len(route.rough))]


@pytest.mark.parametrize(("id", "i"), ROUGH, ids=[f"{id}-rough-{i}" for id, i in ROUGH])
def test_the_law_is_its_second_route_where_it_has_fewer_digits(id, i):
    route, law = ROUTES[id], laws[id]
    point, digits = route.rough[i], route.rough_digits
    with pytest.raises(ValueError, match=f"about {digits} digits can be had"):
        law.evaluate(**point, digits=50)
    wanted = route.value(point, digits + 15)
    assert abs(mp.mpf(law(**point)) / wanted - 1) < mp.mpf(10) ** (1 - digits)
    assert any(f"more than {digits} digits can be had" in note for note in law.notes), id


@pytest.mark.parametrize("id", LEADING)
def test_a_leading_order_is_its_second_route(id):
    """The formula, to fifty digits; the law, its root, is compared above."""
    route, law = LEADING[id], laws[id]
    assert len(law.symbols) == 1
    for point in route.points:
        ((name, symbol),) = law.symbols.items()
        found = law.expr.subs(symbol, point[name]).evalf(60)
        with mp.workdps(70):
            assert abs(mp.mpf(found) / route.value(point) - 1) < mp.mpf(10) ** -49


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
