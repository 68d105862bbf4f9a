"""A fast sample of the mutation tests: changed formulas are noticed, and the tool notices when nobody notices."""

import subprocess
import sys
from pathlib import Path

import pytest
import sympy
from second_routes import Route

from asymp.theory import law, laws

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "mutation"))


def run(*arguments):
    command = [sys.executable, str(HERE / "mutation" / "run.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=HERE.parent, check=False)


def test_every_mutant_of_some_laws_is_killed():
    ids = [
        "score-variance:source",
        "score-variance",
        "maximal-update:corrected",
        "dense-capacity",
        "missing-mass:asymptotic",
    ]
    ran = run(*ids)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    assert " 0 survived" in ran.stdout


def test_a_route_that_cannot_tell_has_survivors():
    from judge import Judge
    from operators import mutants

    area = law("area", "a*d + 1", relation="=", domain={"a": (1, "oo"), "d": (1, "oo")})
    made = mutants(area)
    good = Judge(area, Route(lambda a, d: 1 + d * a, {"a": 3, "d": 5}), {})
    assert all(good.notices(mutant.expr) for mutant in made)
    # at a = d = 1 another symbol, an exponent and a factor make no difference
    deaf = Judge(area, Route(lambda a, d: 1 + d * a, {"a": 1, "d": 1}), {})
    assert 0 < sum(deaf.notices(mutant.expr) is None for mutant in made) < len(made)
    # a route that disagrees with the right formula judges nothing
    assert not Judge(area, Route(lambda a, d: d * a, {"a": 3, "d": 5}), {}).known


def test_a_formula_that_is_only_a_name_is_not_counted_but_listed():
    ran = run("best-linear:cone", "dense-capacity:half")
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "not counted: best-linear:cone: the formula is the leading order" in ran.stdout
    assert "not counted: dense-capacity:half: the formula is a name" in ran.stdout
    assert "0 mutants of 0 laws" in ran.stdout


@pytest.mark.parametrize(
    ("id", "wanted"),
    [
        ("missing-mass:source", {"sign", "exponent", "symbol"}),
        ("hopfield-capacity", {"sign", "exponent", "symbol", "number"}),
        ("score-variance:source", {"sign", "exponent", "symbol"}),
    ],
)
def test_numbers_exponents_signs_and_symbols_are_changed_one_at_a_time(id, wanted):
    from operators import mutants

    made = mutants(laws[id])
    assert {mutant.what for mutant in made} == wanted
    assert len({sympy.srepr(mutant.expr) for mutant in made}) == len(made)
    assert all(mutant.expr != laws[id].expr for mutant in made)
