"""A fast sample of the mutation tests: changed formulas are noticed, and the tool notices when nobody notices."""

import subprocess
import sys
from pathlib import Path

import pytest
import sympy
from second_routes import Route

from asymp.theory import law, laws

HERE = Path(__file__).resolve().parents[1]


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

    area = law("area", "a*d + 1", relation="=", params={"a": (1, "oo"), "d": (1, "oo")})
    made = mutants(area)
    good = Judge(area, Route(lambda a, d: 1 + d * a, {"a": 3, "d": 5}), {})
    assert all(good.notices(mutant.expr) for mutant in made)
    # at a = d = 1 another symbol, an exponent and a factor make no difference
    deaf = Judge(area, Route(lambda a, d: 1 + d * a, {"a": 1, "d": 1}), {})
    assert 0 < sum(deaf.notices(mutant.expr) is None for mutant in made) < len(made)
    # a route that disagrees with the right formula judges nothing
    assert not Judge(area, Route(lambda a, d: d * a, {"a": 3, "d": 5}), {}).known


def test_a_formula_that_is_only_a_name_is_not_counted_but_listed():
    ran = run("low-rank-capacity:half")
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "not counted: low-rank-capacity:half: the formula is a name" in ran.stdout
    assert "0 mutants of 0 laws" in ran.stdout


def test_a_formula_that_is_a_leading_order_is_judged_by_its_own_route():
    from judge import Judge, default_words
    from operators import mutants
    from second_routes import LEADING

    for id, route in LEADING.items():
        # the law is the root, which is another number: its own second route has no say in the formula
        assert all(abs(laws[id](**point) / float(route.value(point)) - 1) > 1e-2 for point in route.points), id
        judge, made = Judge(laws[id], route, default_words(laws[id])), mutants(laws[id])
        assert made and judge.known and all(judge.notices(mutant.expr) for mutant in made), id


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


def test_a_changed_law_in_the_place_of_the_right_one_is_refuted_by_the_quick_check():
    from operators import Mutant
    from through_check import parts_of, refuted_by

    right = laws["weighted-associations"]
    words = {name: options[0] for name, options in right.words.items()}
    changed = Mutant(right.id, "number", "", right.variant(**words) * sympy.Rational(3, 2))
    assert parts_of(right)
    assert refuted_by(changed, right, words, seed=0, store=None)[0]
    same = Mutant(right.id, "nothing", "", right.variant(**words))
    refuted, said = refuted_by(same, right, words, seed=0, store=None)
    assert not refuted, said


def test_the_other_sign_of_an_integration_variable_is_no_change():
    from operators import Mutant
    from run import MIRRORED, unseen

    t, a = sympy.symbols("t a")
    mean = law("mean", lambda: sympy.Integral(sympy.erf(a + t) * sympy.exp(-(t**2)), (t, -sympy.oo, sympy.oo)),
        relation="=", params={"a": (0, 1)})  # fmt: skip
    symbol = mean.symbols["a"]
    mirrored = mean.variant().replace(sympy.erf, lambda x: sympy.erf(2 * symbol - x))
    assert unseen(mean, Mutant("mean", "sign", "t -> -t", mirrored), {}) == MIRRORED
    assert unseen(mean, Mutant("mean", "sign", "a -> -a", mean.variant().xreplace({symbol: -symbol})), {}) is None


def test_what_a_step_is_where_it_jumps_is_no_change_of_an_infimum():
    from operators import mutants
    from run import AT_JUMP, unseen

    bound = laws["finite-memory-upper:source"]
    said = {str(mutant): unseen(bound, mutant, {}) for mutant in mutants(bound, most=10**6)}
    assert [why for why in said.values() if why] == [AT_JUMP], said
