"""A second route to every law: the same number by another way, as naive as the text it comes from.

`ROUTES` has a `Route` for each id in `laws`; `tests/theory/test_second_routes.py` fails for a law that has none, and
`tests/mutation/run.py` judges changed formulas by them. No route calls the law that it is there to check. A law whose
value is a plain number because the claim is an order ("the ratio is at most 1") has that number in `CONSTANTS`. A law that
is a root, whose formula is only its leading order, has in `LEADING` a route to the formula as well.
"""

from second_routes import (
    bounds,
    capacities,
    constants,
    facts,
    gradients,
    item_errors,
    networks,
    recall,
    samples,
    schemes,
    scores,
)
from second_routes.tools import Route

__all__ = ["CONSTANTS", "LEADING", "ROUTES", "Route"]

PARTS = (scores, capacities, item_errors, networks, bounds, recall, schemes, samples, gradients, facts)
CONSTANTS = constants.CONSTANTS
LEADING = capacities.LEADING
ROUTES: dict[str, Route] = {}
for part in PARTS:
    twice = set(ROUTES) & set(part.ROUTES)
    assert not twice, f"two routes for {twice}"
    ROUTES.update(part.ROUTES)
ROUTES.update(constants.ROUTES)
