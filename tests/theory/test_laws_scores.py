"""Laws of section 1: what bounds hold with, and scores from explicit matrices."""

import math
from itertools import product

import numpy as np
import pytest
import sympy

from asymp.theory import laws


def test_the_source_bound_of_the_variance_holds_with_eight_and_no_less():
    # The exact variance over the source's expression at q = 1, over all small settings with inputs for y.
    law, source = laws["score-variance"], laws["score-variance:source"]
    worst = 0.0
    for d, n_y, n_other, output in product(
        (1, 2, 3, 5, 10, 100, 10_000), (1, 2, 5, 50), (0, 1, 2, 10, 1000), ("target", "other")
    ):
        if output == "target" or n_other > 0:
            exact = law(d=d, q=1, S_y=n_y, S=n_y + n_other, output=output)
            worst = max(worst, exact / source(d=d, n_y=n_y, n_other=n_other))
    assert worst == pytest.approx(8, rel=1e-12)


def test_the_source_bound_fails_for_an_output_without_inputs():
    exact = laws["score-variance"](d=1000, q=1, S_y=0, S=1, output="other")
    assert exact / laws["score-variance:source"](d=1000, n_y=0, n_other=1) == pytest.approx(1002, rel=1e-12)
    assert exact / laws["score-variance:corrected"](d=1000, n_y=0, n_other=1) < 2


def test_the_corrected_order_of_an_update_is_right_within_one_half():
    for d, N in product((1, 4, 100), (1, 2, 50, 10**6)):
        # an entry's mean square is 1/d of the square of the length
        assert 1 < laws["maximal-update"](d=d, a_j=1, A=N) / d / laws["maximal-update:corrected"](d=d, N=N) <= 1.5


def test_the_bound_on_directions_is_a_union_bound():
    # a pair fails with probability at most 2 exp(-d epsilon^2/2), everywhere
    epsilon = np.linspace(0.01, 1, 100)
    for d in (1, 2, 3, 4, 5, 10, 30, 100, 300):
        fails = 1 - laws["near-orthogonality:product"](d=d, t=epsilon, embeddings="sphere")
        assert np.all(fails <= 2 * np.exp(-d * epsilon**2 / 2))
    # positive up to exp(d epsilon^2/4)
    for d in (16, 100, 400):
        most, law = math.floor(math.exp(d * 0.25 / 4)), laws["near-orthogonality:directions"]
        assert law(d=d, P=most, epsilon=0.5) > 0 > law(d=d, P=2 * most + 1, epsilon=0.5)


def test_the_caption_is_the_sharp_form_under_its_assumptions():
    law = laws["interference"]
    unit = {law.symbols[k]: v for k, v in {"e_11": 1, "u_11": 1, "u_22": 1, "u_12": 0}.items()}
    for y in ("1", "2"):
        assert sympy.simplify(law.variant(output=y).subs(unit) - laws["interference:source"].variant(output=y)) == 0
