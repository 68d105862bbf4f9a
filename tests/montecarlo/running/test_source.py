"""The hash of an experiment's code: it changes when a value may."""

import functools
import importlib
import os
import subprocess
import sys

import pytest
import torch

from asymp.montecarlo import experiments
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.running.source import source_hash


def test_every_experiment_has_an_id_of_its_own_and_code_that_can_be_told_from_other_code():
    from asymp.montecarlo import experiments
    from asymp.reports.claims import claims, index

    for id, one in experiments.items():
        assert one.id == id
        assert source_hash(one.sample) is not None, id
    for id in index():
        for part in claims[id].parts:
            declared, used = experiments[part.experiment.id], part.experiment
            # a statement that compares arrays wraps the sampler: theory's formula is part of what it measures
            assert declared is used or declared.sample is used.sample.sample, part.name


MODULE = '''"""A module."""
from math import sqrt
from helper_of_test import helped
SIZE = 3


def used(x):
    """Words."""
    if x < 0:
        raise ValueError("negative")
    return sqrt(x) + SIZE


def unused(x):
    return x


def sample(draw, *, d: int):
    # why
    return used(d) + helped(d)
'''
HELPER = "def helped(x):\n    return x + 1\n\n\ndef other(x):\n    return x\n"


@pytest.fixture
def hashed(tmp_path, monkeypatch):
    """The hash of `sample` in a module's text, which uses a helper in another folder. Where a module is, is looked up once."""
    used = set()

    def hash_of(module, helper=HELPER, folder="helpers", name="helper_of_test"):
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        (tmp_path / "module_of_test.py").write_text(module.replace("helper_of_test", name))
        (place / f"{name}.py").write_text(helper)
        for path in (tmp_path, place):
            monkeypatch.syspath_prepend(str(path))
        for loaded in ("module_of_test", name):
            sys.modules.pop(loaded, None)
            used.add(loaded)
        importlib.invalidate_caches()
        return source_hash(importlib.import_module("module_of_test").sample)

    yield hash_of
    for loaded in used:
        sys.modules.pop(loaded, None)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        # what changes no value
        ("Words.", "Other words.", True),
        ("# why", "# because", True),
        ("d: int", "d: float", True),
        ("def unused(x):\n    return x", "def unused(x):\n    return 2 * x", True),
        ("SIZE = 3", "SIZE = 3\nOTHER = 4", True),
        ("SIZE = 3", "if True:\n    SIZE = 3", True),
        ("SIZE = 3", "SIZE = 3\nfor x in (1, 2):\n    pass", True),
        ("SIZE = 3", "SIZE = 3\nOTHER = [d for d in range(9)]", True),
        # what may change one
        ("SIZE = 3", "SIZE = 4", False),
        ('"negative"', '"below zero"', False),  # words of errors are constants of the bytecode
        ("def unused", "used.bias = 1\n\n\ndef unused", False),
        ("sqrt(x) + SIZE", "sqrt(x) - SIZE", False),
        ("x < 0", "x <= 0", False),
        ("used(d) + helped(d)", "used(d) + helped(d) + 1", False),
    ],
)
def test_the_hash_changes_when_a_value_may(hashed, old, new, same):
    assert old in MODULE
    assert (hashed(MODULE) == hashed(MODULE.replace(old, new))) == same


def test_code_in_other_modules_counts_where_it_is_used(hashed):
    assert hashed(MODULE) != hashed(MODULE, HELPER.replace("x + 1", "x + 2"))
    assert hashed(MODULE) == hashed(MODULE, HELPER.replace("return x\n", "return -x\n"))
    late = MODULE.replace("from helper_of_test import helped\n", "").replace(
        "    # why\n", "    from helper_of_test import helped\n"
    )
    assert hashed(late) != hashed(late, HELPER.replace("x + 1", "x + 2"))


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_installed_packages_count_by_their_files(hashed, folder):
    helpers = HELPER, HELPER.replace("x + 1", "x + 2")
    one, other = (
        hashed(MODULE, helper, f"lib{i}/{folder}", f"in_{folder[:4]}_{i}") for i, helper in enumerate(helpers)
    )
    assert None not in (one, other) and one != other


def test_what_a_decorator_of_asymp_remembers_of_its_calls_does_not_count():
    """A command that has drawn has filled such caches, and its workers have not: they must agree on the code."""
    from asymp.montecarlo.samplers.training.gradient_as_memory import sample_gradient_memory as sample

    before = source_hash(sample)
    sample(Draw(2, torch.Generator(), torch.device("cpu")), d=4, N=3, M=2)
    assert source_hash(sample) == before is not None


def test_what_a_closure_or_partial_catches_counts():
    def made(shift):
        return lambda draw: shift

    def sample(draw, *, shift):
        return shift

    assert source_hash(made(1)) == source_hash(made(1)) != source_hash(made(2))
    one, two = functools.partial(sample, shift=1), functools.partial(sample, shift=2)
    assert source_hash(one) == source_hash(functools.partial(sample, shift=1)) != source_hash(two)
    assert source_hash(made(iter([]))) == source_hash(made(iter([]))) != source_hash(made(iter([1])))
    assert source_hash(made(open(os.devnull))) is None  # noqa: SIM115

    class Callable:
        def __init__(self, shift):
            self.shift = shift

        def __call__(self, **given):
            return self.shift

    assert source_hash(Callable(1)) == source_hash(Callable(1)) != source_hash(Callable(2))


def test_the_hash_is_the_same_in_every_process():
    # Python's hashes of strings are seeded anew in each; and SymPy hands out the first of equal symbols again: a worker has
    # made others before than the command that sends to it.
    code = (
        """
import sympy
A, init = sympy.Symbol("A", integer=True, positive=True), sympy.Symbol("init", positive=True)
kept = init**2 * (A - 1)
"""
        + HASHES
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    env = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    here = {}
    exec(HASHES, here)
    assert done.stdout.split() == here["found"]


HASHES = """
from asymp.montecarlo.running.source import source_hash
from asymp.montecarlo.samplers.memory_training.memory import train_memory_experiment
from asymp.reports import claims

[part] = [part for part in claims["hallucination-phase"].parts if part.name == "conserved"]
found = [source_hash(one.sample) for one in (train_memory_experiment, part.experiment)]
print(*found)
"""


def test_a_sampler_of_asymp_is_told_by_what_it_imports_and_not_by_the_reports():
    """Whatever changes in reports, results of samplers are found again; what a sampler draws with is followed."""
    from asymp.montecarlo.running.packages import closure

    for experiment in experiments.values():
        reached = closure(experiment.sample.__module__)
        assert {"asymp.montecarlo.draws", experiment.sample.__module__} <= reached
        assert not [name for name in reached if name.startswith(("asymp.reports", "asymp.theory"))], experiment.id
