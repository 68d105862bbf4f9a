"""The settings that claims are checked at."""

from asymp.reports import claims
from asymp.reports.grid import Grid, settings


def test_settings_are_products_of_tuples():
    assert settings(alpha=2, d=(1, 3), e=[5, 6]) == [
        {"alpha": 2, "d": 1, "e": [5, 6]},
        {"alpha": 2, "d": 3, "e": [5, 6]},
    ]
    assert settings(a=(1, 2), b=(3, 4))[1] == {"a": 1, "b": 4}


def test_the_published_sizes_stand_beside_the_declared_ones():
    grid = Grid([{"d": 1}, {"d": 2}], paper=[{"d": 8}], weight=lambda setting: 4 // setting["d"])
    assert [list(grid[preset]) for preset in ("quick", "standard")] == [[{"d": 1}, {"d": 2}]] * 2
    assert list(grid["paper"]) == [{"d": 8}]
    assert list(Grid([{"d": 1}])["paper"]) == [{"d": 1}]
    assert {"d": 2} in grid and {"d": 8} in grid and {"d": 3} not in grid
    assert [grid.weight_of({"d": d}) for d in (1, 2, 8)] == [4, 2, 1]
    assert grid.at([{"d": 5}]).weight_of({"d": 1}) == 4


def test_a_round_doubles_the_blocks():
    part = claims["score-mean"].parts[0]
    cell = part.cells("quick", {})[0]
    first = part.experiment.block * part.grid.weight_of(cell)
    assert [part.replicas_at(round, cell) for round in range(4)] == [first, 2 * first, 4 * first, 8 * first]


def test_the_exact_law_is_judged_against_memories_that_are_formed():
    parts = [
        part for part in claims["exact-recall-error"].parts if part.name != "noisy-labels"
    ]  # it has no other route
    routes = {cell["route"] for part in parts for cell in part.cells("standard", {})}
    assert routes == {"naive", "factored"}
