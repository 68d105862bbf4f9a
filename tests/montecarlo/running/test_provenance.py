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
from asymp.montecarlo.running import provenance
from asymp.montecarlo.running.provenance import source_hash, why_not_kept


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


# Layouts of a user's code: files, and the line that is changed between two runs. `f` is what the sampler calls.
F = "import torch\nCONSTANT = 1.0\ndef f(draw):\n    return 1.0 + draw.normal()\n"
S = "def sample(draw, *, x):\n    return "
OBJECT = F + "class Model:\n    def __call__(self, draw):\n        return f(draw)\nmodel = Model()\n"
EDIT = ("return 1.0", "return 2.0")
LAYOUTS = {
    "from-import": ({"helpers.py": F, "c.py": "from helpers import f\n" + S + "f(draw)\n"}, "helpers.py", EDIT),
    "import of a module": ({"helpers.py": F, "c.py": "import helpers\n" + S + "helpers.f(draw)\n"}, "helpers.py", EDIT),
    "package with a relative import": (
        {"pkg/__init__.py": "from .core import f\n", "pkg/core.py": F, "c.py": "from pkg import f\n" + S + "f(draw)\n"},
        "pkg/core.py", EDIT,
    ),
    "import of such a package": (
        {"pkg/__init__.py": "from .core import f\n", "pkg/core.py": F, "c.py": "import pkg\n" + S + "pkg.f(draw)\n"},
        "pkg/core.py", EDIT,
    ),
    "absolute import in a package": (
        {"pkg/__init__.py": "", "pkg/core.py": F, "c.py": "import pkg.core\n" + S + "pkg.core.f(draw)\n"}, "pkg/core.py", EDIT,
    ),
    "sibling imported relatively": (
        {"pkg/__init__.py": "", "pkg/core.py": F, "pkg/sim.py": "from . import core\ndef g(d):\n    return core.f(d)\n",
         "c.py": "from pkg.sim import g\n" + S + "g(draw)\n"},
        "pkg/core.py", EDIT,
    ),
    "import star": ({"helpers.py": F, "c.py": "from helpers import *\n" + S + "f(draw)\n"}, "helpers.py", EDIT),
    "lambda": ({"helpers.py": F, "c.py": "import helpers\nsample = lambda draw, x: helpers.f(draw)\n"}, "helpers.py", EDIT),
    "closure": (
        {"helpers.py": F, "c.py": "import helpers\ndef made(h):\n    return lambda draw, x: h.f(draw)\nsample = made(helpers)\n"},
        "helpers.py", EDIT,
    ),
    "class and method": ({"helpers.py": OBJECT, "c.py": "from helpers import model\n" + S + "model(draw)\n"}, "helpers.py", EDIT),
    "decorated": (
        {"helpers.py": F, "c.py": "import functools\nfrom helpers import f\ndef twice(g):\n    @functools.wraps(g)\n"
         "    def h(draw, *, x):\n        return 2 * g(draw, x=x)\n    return h\n@twice\n" + S + "f(draw)\n"},
        "helpers.py", EDIT,
    ),
    "partial": (
        {"helpers.py": F, "c.py": "import functools, helpers\ndef g(draw, x, h):\n    return h(draw)\n"
         "sample = functools.partial(g, h=helpers.f)\n"},
        "helpers.py", EDIT,
    ),
    "import inside": ({"helpers.py": F, "c.py": "def sample(draw, *, x):\n    import helpers as h\n    return h.f(draw)\n"},
                      "helpers.py", EDIT),
    "import inside a package": (
        {"pkg/__init__.py": "", "pkg/core.py": F, "pkg/sim.py": "def g(d):\n    from . import core\n    return core.f(d)\n",
         "c.py": "from pkg.sim import g\n" + S + "g(draw)\n"},
        "pkg/core.py", EDIT,
    ),
    "import of a submodule inside, by another name": (
        {"pkg/__init__.py": "", "pkg/core.py": F,
         "c.py": "def sample(draw, *, x):\n    import pkg.core as k\n    return k.f(draw)\n"},
        "pkg/core.py", EDIT,
    ),
    "function in a library's object": (
        {"helpers.py": F, "c.py": "import helpers, types\nn = types.SimpleNamespace(f=helpers.f)\n" + S + "n.f(draw)\n"},
        "helpers.py", EDIT,
    ),
    "function wrapped by a library": (
        {"helpers.py": F, "c.py": "import torch, helpers\nv = torch.func.vmap(helpers.f)\n" + S + "v(draw)\n"}, "helpers.py", EDIT,
    ),
    "vectorized by NumPy": (
        {"helpers.py": "def f(x):\n    return 1.0\n", "c.py": "import numpy as np\nfrom helpers import f\nv = np.vectorize(f)\n"
         + S + "v(1.0) + draw.normal()\n"},
        "helpers.py", EDIT,
    ),
    "named like a library's function": (
        {"helpers.py": F, "c.py": "import functools, math, helpers\n@functools.wraps(math.sin)\ndef g(draw):\n"
         "    return helpers.f(draw)\n" + S + "g(draw)\n"},
        "helpers.py", EDIT,
    ),
    "compiled from a text": (
        {"f.txt": F, "c.py": "names = {}\nexec(open('f.txt').read(), names)\nf = names['f']\n" + S + "f(draw)\n"}, "f.txt", EDIT,
    ),
    "method of a named tuple": (
        {"helpers.py": "from typing import NamedTuple\nclass C(NamedTuple):\n    a: float\n    def g(self):\n        return 1.0\n"
         "t = C(1.5)\n", "c.py": "from helpers import t\n" + S + "t.g() + draw.normal()\n"},
        "helpers.py", EDIT,
    ),
    "property that is kept": (
        {"helpers.py": "import functools\nclass C:\n    @functools.cached_property\n    def g(self):\n        return 1.0\n",
         "c.py": "from helpers import C\n" + S + "C().g + draw.normal()\n"},
        "helpers.py", EDIT,
    ),
    "table of dataclasses": (
        {"helpers.py": "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: float\nt = [C(1.5)]\n",
         "c.py": "from helpers import t\n" + S + "t[0].a + draw.normal()\n"},
        "helpers.py", ("1.5", "2.5"),
    ),
    "installed package that uses another": (
        {"site-packages/mine/__init__.py": "import mine2\ndef g(draw):\n    return mine2.f(draw)\n",
         "site-packages/mine2.py": F, "c.py": "import mine\n" + S + "mine.g(draw)\n"},
        "site-packages/mine2.py", EDIT,
    ),
    "data of an installed package": (
        {"site-packages/mine/__init__.py": "V = float(open(__file__[:-11] + 't.csv').read())\n", "site-packages/mine/t.csv": "1.0",
         "c.py": "import mine\n" + S + "mine.V + draw.normal()\n"},
        "site-packages/mine/t.csv", ("1.0", "2.0"),
    ),
    "installed package": (
        {"site-packages/mine/__init__.py": "from .core import f\n", "site-packages/mine/core.py": F,
         "c.py": "import mine\n" + S + "mine.f(draw)\n"},
        "site-packages/mine/core.py", EDIT,
    ),
    "table of a module": (
        {"t.csv": "1.0", "helpers.py": "TABLE = {'a': [float(open('t.csv').read())]}\n",
         "c.py": "import helpers\n" + S + "helpers.TABLE['a'][0] + draw.normal()\n"},
        "t.csv", ("1.0", "2.0"),
    ),
    "net of a module": (
        {"t.csv": "1.0", "c.py": "import torch\nnet = torch.nn.Linear(1, 1)\nwith torch.no_grad():\n"
         "    for p in net.parameters():\n        p.fill_(float(open('t.csv').read()))\n" + S + "net(draw.normal((1,)))[:, 0]\n"},
        "t.csv", ("1.0", "2.0"),
    ),
}  # fmt: skip
NOT_KEPT = {
    "importlib": "import importlib\n" + S + "importlib.import_module('helpers').f(draw)\n",
    "file": S + "float(open('t.csv').read()) + draw.normal()\n",
    "environment": "import os\n" + S + "float(os.environ['X']) + draw.normal()\n",
    "numpy file": "import numpy as np\n" + S + "np.loadtxt('t.csv') + draw.normal()\n",
    "another name for a reader": "from numpy import loadtxt as rows\n" + S + "rows('t.csv') + draw.normal()\n",
    "default value": "def sample(draw, *, x, o=open):\n    return float(o('t.csv').read()) + draw.normal()\n",
    "environment by another name": "from os import environ as e\n" + S + "float(e['X']) + draw.normal()\n",
    "size of a file": "import os\n" + S + "os.path.getsize('t.csv') + draw.normal()\n",
    "date": "import datetime\n" + S + "datetime.date.today().year + draw.normal()\n",
    "attribute by a computed name": "import helpers\n" + S + "getattr(helpers, chr(102))(draw)\n",
    "module in a table": "import helpers\nt = {'h': helpers}\n" + S + "t['h'].f(draw)\n",
    "module of an object": "import helpers\nclass C:\n    h = helpers\n    def __call__(self, draw, *, x):\n"
    "        return self.h.f(draw)\nsample = C()\n",
    "module as a default": "import helpers\ndef sample(draw, *, x, h=helpers):\n    return h.f(draw)\n",
    "modules by name": "import helpers, sys\n" + S + "sys.modules['helpers'].f(draw)\n",
    "own generator": "import numpy as np\nrng = np.random.default_rng(0)\n" + S + "rng.normal(size=draw.replicas)\n",
}


@pytest.fixture
def sampler_of(tmp_path, monkeypatch):
    """The sampler of c.py among some files, loaded afresh."""
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path / "site-packages", tmp_path):
        monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def loaded(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        forget()
        return importlib.import_module("c").sample

    def forget():
        for name in ("c", "helpers", "pkg", "pkg.core", "pkg.sim", "mine", "mine2", "mine.core"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        provenance._of_package.cache_clear()
        provenance._place.cache_clear()

    yield loaded
    forget()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_code_that_has_changed_is_not_believed_however_it_is_laid_out(sampler_of, layout):
    files, edited, (old, new) = LAYOUTS[layout]
    first, again = source_hash(sampler_of(files)), source_hash(sampler_of(files))
    assert first == again is not None
    assert old in files[edited]
    assert source_hash(sampler_of({**files, edited: files[edited].replace(old, new)})) != first


@pytest.mark.parametrize("how", NOT_KEPT)
def test_what_cannot_be_followed_is_not_kept_and_the_reason_is_said(sampler_of, how):
    sample = sampler_of({"helpers.py": F, "t.csv": "1.0", "c.py": NOT_KEPT[how]})
    assert source_hash(sample) is None
    assert "nested" not in why_not_kept(sample) and len(why_not_kept(sample)) > 20


def test_a_further_point_of_a_grid_or_an_unused_name_recomputes_nothing(sampler_of):
    text = "import torch\ngrid = []\nfor n in (2, 8, 32):\n    grid.append({'n': n})\n" + S + "draw.normal() / x.n\n"
    assert source_hash(sampler_of({"c.py": text})) == source_hash(sampler_of({"c.py": text.replace("32)", "32, 64)")}))


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
from asymp.montecarlo.running.provenance import source_hash
from asymp.montecarlo.samplers.memory_training.memory import train_memory_experiment
from asymp.reports import claims

[part] = [part for part in claims["hallucination-phase"].parts if part.name == "conserved"]
found = [source_hash(one.sample) for one in (train_memory_experiment, part.experiment)]
print(*found)
"""


def test_a_sampler_of_asymp_is_told_by_what_it_imports_and_not_by_the_reports():
    """Whatever changes in reports, results of samplers are found again; what a sampler draws with is followed."""
    from asymp.montecarlo.running.provenance import _closure

    for experiment in experiments.values():
        reached = _closure(experiment.sample.__module__)
        assert {"asymp.montecarlo.draws", experiment.sample.__module__} <= reached
        assert not [name for name in reached if name.startswith(("asymp.reports", "asymp.theory"))], experiment.id
