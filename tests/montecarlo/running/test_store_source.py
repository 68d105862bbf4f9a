"""The hash of an experiment's code: it changes when a value may."""

import functools
import importlib
import os
import subprocess
import sys

import pytest

from asymp.montecarlo.running.provenance import source_hash


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
    monkeypatch.syspath_prepend(str(tmp_path))

    def hash_of(module, helper=HELPER):
        for name in ("module_of_test", "helper_of_test"):
            sys.modules.pop(name, None)
        (tmp_path / "helper_of_test.py").write_text(helper)
        (tmp_path / "module_of_test.py").write_text(module)
        importlib.invalidate_caches()
        return source_hash(importlib.import_module("module_of_test").sample)

    yield hash_of
    for name in ("module_of_test", "helper_of_test"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Words.", "Other words."),
        ("# why", "# because"),
        ('"negative"', '"below zero"'),
        ("d: int", "d: float"),
        ("def unused(x):\n    return x", "def unused(x):\n    return 2 * x"),
        ("SIZE = 3", "SIZE = 3\nOTHER = 4"),
        ("SIZE = 3", "SIZE = 3\nOTHER = [d for d in range(9)]"),
    ],
)
def test_what_changes_no_value_changes_no_hash(hashed, old, new):
    assert old in MODULE
    assert hashed(MODULE) == hashed(MODULE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SIZE = 3", "SIZE = 4"),
        ("SIZE = 3", "if True:\n    SIZE = 3"),
        ("def unused", "used.bias = 1\n\n\ndef unused"),
        ("sqrt(x) + SIZE", "sqrt(x) - SIZE"),
        ("x < 0", "x <= 0"),
        ("used(d) + helped(d)", "used(d) + helped(d) + 1"),
    ],
)
def test_what_may_change_a_value_changes_the_hash(hashed, old, new):
    assert old in MODULE
    assert hashed(MODULE) != hashed(MODULE.replace(old, new))


def test_code_in_other_modules_counts_where_it_is_used(hashed):
    assert hashed(MODULE) != hashed(MODULE, HELPER.replace("x + 1", "x + 2"))
    assert hashed(MODULE) == hashed(MODULE, HELPER.replace("return x\n", "return -x\n"))
    late = MODULE.replace("from helper_of_test import helped\n", "").replace(
        "    # why\n", "    from helper_of_test import helped\n"
    )
    assert hashed(late) != hashed(late, HELPER.replace("x + 1", "x + 2"))


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_libraries_of_another_environment_are_not_followed(tmp_path, monkeypatch, folder):
    # A user's site folder, the system's, or one added by a .pth file: following torch through its source takes minutes.
    elsewhere, own = tmp_path / "lib" / folder, tmp_path / "own"
    for place in (elsewhere, own):
        place.mkdir(parents=True)
        monkeypatch.syspath_prepend(str(place))
    module = "from library_of_test import f\n\n\ndef sample(draw, *, d):\n    return f(d)\n"
    (own / "module_of_test.py").write_text(module)
    hashes = []
    for body in ("x", "x + 1"):
        (elsewhere / "library_of_test.py").write_text(f"def f(x):\n    return {body}\n")
        for name in ("module_of_test", "library_of_test"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        hashes.append(source_hash(importlib.import_module("module_of_test").sample))
    assert hashes[0] == hashes[1] is not None


def test_what_a_closure_or_partial_catches_counts():
    def made(shift):
        return lambda draw: shift

    def sample(draw, *, shift):
        return shift

    assert source_hash(made(1)) == source_hash(made(1)) != source_hash(made(2))
    one, two = functools.partial(sample, shift=1), functools.partial(sample, shift=2)
    assert source_hash(one) == source_hash(functools.partial(sample, shift=1)) != source_hash(two)
    assert source_hash(made(object())) is None

    class Callable:
        def __call__(self, **given):
            return None

    assert source_hash(Callable()) is None


def test_the_hash_is_the_same_in_every_process():
    code = (
        "from asymp.montecarlo.samplers.memory_training.memory import train_memory_experiment as e\n"
        "from asymp.montecarlo.running.provenance import source_hash\n"
        "print(source_hash(e.sample))"
    )
    from asymp.montecarlo.samplers.memory_training.memory import train_memory_experiment

    # This process has a seed of Python's hashes of its own, drawn or given: another one differs from it.
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == source_hash(train_memory_experiment.sample)
