"""The settings that claims are checked at, and their replicas."""

import pytest

from asymp.reports import claims
from asymp.reports.grid import Grid, settings


def test_settings_are_products_of_tuples():
    assert settings(alpha=2, d=(1, 3), e=[5, 6]) == [
        {"alpha": 2, "d": 1, "e": [5, 6]},
        {"alpha": 2, "d": 3, "e": [5, 6]},
    ]
    assert settings(a=(1, 2), b=(3, 4))[1] == {"a": 1, "b": 4}


def test_a_preset_left_out_is_as_the_one_before():
    grid = Grid([{"d": 1}], [{"d": 2}], replicas=(10, lambda setting: 7 * setting["d"]))
    assert [list(grid[preset]) for preset in ("quick", "standard", "paper")] == [[{"d": 1}], [{"d": 2}], [{"d": 2}]]
    assert [grid.replicas(preset, {"d": 2}) for preset in ("quick", "standard", "paper")] == [10, 14, 14]
    assert {"d": 2} in grid and {"d": 3} not in grid
    moved = grid.at([{"d": 5}])
    assert list(moved["paper"]) == [{"d": 5}] and moved.replicas("paper", {"d": 5}) == 35


def test_settings_carry_their_replicas():
    grid = Grid.sized([({"d": 1}, 10), ({"d": 2}, 20)], [({"d": 1}, 100)])
    assert grid["quick"] == [{"d": 1}, {"d": 2}]
    assert grid["paper"] == [{"d": 1}]
    assert [grid.replicas("quick", cell) for cell in ({"d": 1}, {"d": 2}, {"d": 7})] == [10, 20, 20]
    assert grid.replicas("paper", {"d": 1}) == 400


@pytest.mark.parametrize(
    "id", ["exact-recall-error", "finite-memory-upper", "minimax", "optimal-scheme", "power-scheme", "threshold-scheme"]
)
def test_every_preset_has_cells_and_replicas(id):
    for part in claims[id].parts:
        for preset in ("quick", "standard", "paper"):
            cells = part.cells(preset, {})
            assert cells
            assert all(part.replicas_at(preset, cell) >= 7 for cell in cells)


def test_the_exact_law_is_judged_against_memories_that_are_formed():
    routes = {cell["route"] for part in claims["exact-recall-error"].parts for cell in part.cells("standard", {})}
    assert routes == {"naive", "factored"}
