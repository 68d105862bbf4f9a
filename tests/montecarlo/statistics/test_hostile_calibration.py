"""The hostile rows of `asymp calibrate exponents`: heavy tails are left open, and without that look some would be wrong."""

import numpy as np

from asymp.montecarlo.calibrate import hostile


def test_a_cell_of_rare_spikes_is_left_open_and_would_not_be_without_the_look_at_tails():
    cells = hostile.hostile_cells()
    place = next(i for i, c in enumerate(cells) if c.name == "bulk and spikes, 0.001" and c.replicas == 4096)
    row = hostile._row(place, 200, 0)
    assert row.tails > 0.9 and row.refuted == row.wrong == 0 and not row.missed
    assert row.unguarded > 0
    assert "bulk and spikes" in hostile.hostile_text([row])


def test_a_rate_beyond_its_promise_is_marked():
    at = {"tails": 0.0, "misfit": 0.0, "right": 0.9, "unguarded": 0.1}
    assert hostile.HostileRow("x", 64, "usual", 400, refuted=0.05, wrong=0.0, **at).missed == "MISSED"
    assert hostile.HostileRow("x", 64, "usual", 400, refuted=0.0, wrong=0.05, **at).missed == "MISSED"


def test_truths_have_the_exponents_that_they_are_said_to_have():
    """By the slope between two sizes far beyond those of a study; that with logarithms comes near it slowest."""
    for cell in hostile.hostile_cells():
        far = np.array([1e60, 1e64])
        slope = np.diff(np.log(cell.truth(far)))[0] / np.diff(np.log(far))[0]
        assert abs(slope - cell.exponent) < 0.02, cell.name
