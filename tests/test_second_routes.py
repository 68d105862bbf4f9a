"""Second routes of laws that are one line in their source: the same line in plain Python, written from the source.

Mutation testing (tests/mutation) found that nothing else in the suite would notice a changed number, sign or symbol in
these. The values are computed with plain numbers at points where every symbol has a value of its own.
"""

import math

import pytest

from asymp.theory import laws

# id: (points, the line in plain Python). Points give every symbol another value, none of them 0 or 1.
ROUTES = {
    "score-variance:source": (
        [{"n_y": 3, "n_other": 7, "d": 5}],
        lambda n_y, n_other, d: (n_y * d + n_other) / (d * d),
    ),
    # one more output than inputs: the own embedding of an output without inputs still has variance 1/d
    "score-variance:corrected": (
        [{"n_y": 3, "n_other": 7, "d": 5}, {"n_y": 0, "n_other": 2, "d": 64}],
        lambda n_y, n_other, d: (n_y * d + d + n_other) / (d * d),
    ),
    "near-orthogonality:source": ([{"d": 7}], lambda d: 1 / math.sqrt(d)),
    "near-orthogonality:source-length": ([{"d": 7}], lambda d: 1.0),
    "remapping:source": ([{"d": 7}], lambda d: 1 / math.sqrt(d)),
    "remapping:source-norm": ([{"d": 7}], lambda d: 1.0),
    "maximal-update:source": ([{"N": 3, "d": 7}], lambda N, d: 1 / d),
    "maximal-update:corrected": ([{"N": 3, "d": 7}], lambda N, d: (d + N) / (d * d)),
    "maximal-update:ntk": ([{"N": 3, "d": 7}], lambda N, d: 1 / d),
}
CASES = [(id, point) for id, (points, _) in ROUTES.items() for point in points]


@pytest.mark.parametrize(("id", "point"), CASES, ids=[id for id, _ in CASES])
def test_the_law_says_what_the_line_says(id, point):
    law = laws[id]
    given = {name: value for name, value in point.items() if name in law.domain}
    # two roundings of float64 a term
    assert law(**given) == pytest.approx(ROUTES[id][1](**point), rel=1e-13)


def test_the_source_says_that_a_weighted_association_scores_its_coefficient():
    # the mean score of a stored pair is its coefficient, however much else is stored
    found = laws["weighted-associations:source"](d=13, a_zy=1.5, R_z=4.0, C_y=5.0, A=9.0, moment="first")
    assert found == 1.5
