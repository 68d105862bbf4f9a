"""A fast sample of the mutation tests: changed formulas are noticed, and the tool notices when nobody notices."""

import subprocess
import sys
from pathlib import Path

import pytest
import sympy

from asymp.theory import laws

HERE = Path(__file__).resolve().parent


def run(*arguments):
    command = [sys.executable, str(HERE / "mutation" / "run.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=HERE.parent, check=False)


def test_every_mutant_of_some_one_line_laws_is_killed():
    ids = ["score-variance:source", "score-variance:corrected", "maximal-update:corrected", "remapping:source"]
    ran = run(*ids, "--files", "test_second_routes.py")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    assert " 0 survived" in ran.stdout


def test_a_law_that_no_test_uses_has_survivors():
    ran = run(
        "injective-capacity:one-item", "attention-learnability:noise", "--files", "test_second_routes.py", "--most", "3"
    )
    assert ran.returncode == 1
    assert "survived: attention-learnability:noise" in ran.stdout


@pytest.mark.parametrize(
    ("id", "wanted"),
    [
        ("missing-mass:source", {"sign", "exponent", "symbol"}),
        ("hopfield-capacity", {"sign", "exponent", "symbol", "number"}),
        ("score-variance:source", {"sign", "exponent", "symbol"}),
    ],
)
def test_numbers_exponents_signs_and_symbols_are_changed_one_at_a_time(id, wanted):
    sys.path.insert(0, str(HERE / "mutation"))
    from operators import mutants

    made = mutants(laws[id])
    assert {mutant.what for mutant in made} == wanted
    assert len({sympy.srepr(mutant.expr) for mutant in made}) == len(made)
    assert all(mutant.expr != laws[id].expr for mutant in made)
