"""Results of other code are not believed, however the code is laid out; what cannot be followed is not kept."""

import builtins
import importlib
import sys

import mpmath
import pytest
import torch

from asymp.montecarlo import experiment
from asymp.montecarlo.running import packages
from asymp.montecarlo.running.pools import Processes, compute
from asymp.montecarlo.running.series import Series
from asymp.montecarlo.running.source import same_code, source_hash, why_not_kept

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
# The same in one file: what stands before the sampler, and what it gives. In each the 1.0 is changed.
C = "from dataclasses import dataclass, field, fields\n@dataclass\nclass C:\n    a: "
IN_ONE_FILE = {
    "default of a dataclass": (C + "float = 1.0\n", "C().a"),
    "factory of a dataclass": (C + "list = field(default_factory=lambda: [1.0])\n", "C().a[0]"),
    "metadata of a dataclass": (C + "float = field(default=3.0, metadata={'k': 1.0})\n", "fields(C)[0].metadata['k']"),
    "dispatch by type": (
        "import functools\n@functools.singledispatch\ndef g(x): return 3.0\n@g.register\ndef _(x: float): return 1.0\n", "g(2.5)",
    ),
    "dispatch of a method": (
        "import functools\nclass C:\n    @functools.singledispatchmethod\n    def g(self, x): return 3.0\n    @g.register\n"
        "    def _(self, x: float): return 1.0\nt = C()\n", "t.g(2.5)",
    ),
    "kind of dictionary": ("class C(dict): pass\nt = C(a=1.0)\n", "t['a']"),
    "kind of list": ("class C(list): pass\nt = C([1.0])\n", "t[0]"),
    "kind of named tuple": (
        "import collections\nclass C(collections.namedtuple('C', 'a')):\n    def g(self): return self.a\nt = C(1.0)\n", "t.g()",
    ),
    "kind of set": ("class C(set): pass\nt = C([1.0])\n", "max(t)"),
    "kind of queue": ("import collections\nclass C(collections.deque): pass\nt = C([1.0])\n", "t[0]"),
    "factory of a kind of dictionary": (
        "import collections\nclass C(collections.defaultdict): pass\nt = C(lambda: 1.0)\n", "t['a']",
    ),
    "kind of number": ("class C(float):\n    def g(self): return self * 1.0\nt = C(3)\n", "t.g()"),
    "member of an enumeration": (
        "import enum\nclass C(enum.StrEnum):\n    A = 'a'\n    def g(self): return 1.0\nt = C.A\n", "t.g()",
    ),
    "kind of array": ("import numpy as np\nclass C(np.ndarray):\n    def g(self): return 1.0\nt = np.zeros(2).view(C)\n", "t.g()"),
    "attribute of an array": ("import numpy as np\nclass C(np.ndarray): pass\nt = np.zeros(2).view(C)\nt.k = 1.0\n", "t.k"),
    "masked array": ("import numpy as np\nt = np.ma.array([5.0, 7.0], mask=[1.0 > 1.5, True])\n", "float(t.sum())"),
    "record": (
        "import numpy as np\nr = np.zeros(1, [('a', 'f8', 5000)])\nr['a'][0, 2500] = 1.0\nt = r[0]\n", "float(t['a'][2500])",
    ),
    "kind of tensor": (
        "import torch\nclass C(torch.Tensor):\n    def g(self): return 1.0\nt = torch.zeros(2).as_subclass(C)\n", "t.g()",
    ),
    "attribute of a tensor": ("import torch\nt = torch.zeros(2)\nt.k = 1.0\n", "t.k"),
    "sparse tensor": ("import torch\nt = (torch.eye(2) * 1.0).to_sparse()\n", "t.to_dense()[0, 0]"),
    "conjugate tensor": ("import torch\nt = torch.tensor([1.0 + 3j]).conj()\n", "t.real[0]"),
    "compiled by torch": ("import torch\n@torch.compile\ndef g(x): return 1.0 * x\n", "g(draw.normal())"),
    "slot of a base": ("class B:\n    __slots__ = ('a',)\nclass C(B): pass\nt = C()\nt.a = 1.0\n", "t.a"),
    "own object that can be cleared": (
        "class C:\n    def __init__(self, f): self.f = f\n    def cache_clear(self): pass\n"
        "    def __call__(self): return self.f()\n@C\ndef g(): return 1.0\n", "g()",
    ),
    "own attribute called depends_on": ("class C:\n    depends_on = [1.0]\nt = C()\n", "t.depends_on[0]"),
    "own method called depends_on": ("class C:\n    k = 1.0\n    def depends_on(self): return [], ''\nt = C()\n", "t.k"),
    "object that has any attribute": (
        "class C:\n    k = 1.0\n    def __getattr__(self, name):\n        if name[:2] == '__': raise AttributeError(name)\n"
        "        return self\n    def __call__(self, *a): return self\nt = C()\n", "t.k",
    ),
    "object that raises when it is asked": (
        "class C:\n    k = 1.0\n    def __getattr__(self, name): raise RuntimeError('no context')\nt = C()\n", "t.k",
    ),
    "set up in a library": ("import mpmath\nmpmath.mp.dps = int(14 + 1.0)\n", "float(mpmath.mpf(1) / 3)"),
    "default of torch": (
        "import torch\nK = 1.0\ntorch.set_default_dtype(torch.float64 if K < 1.5 else torch.float32)\n", "torch.ones(1)[0]",
    ),
    "method put into torch": ("import torch\ntorch.Tensor.g_of_c = lambda t: t + 1.0\n", "draw.normal().g_of_c()"),
    "set up under a condition": (
        "K = 1.0\nimport mpmath\nif K:\n    mpmath.mp.dps = int(15 + K)\n", "float(mpmath.mpf(1) / 3)",
    ),
    "name of a function": ("def f(): pass\nf.__name__ = '1.0'\n", "float(f.__name__)"),
}  # fmt: skip
LAYOUTS |= {
    name: ({"c.py": f"{before}{S}{what} + draw.normal()\n"}, "c.py", ("1.0", "2.0"))
    for name, (before, what) in IN_ONE_FILE.items()
}
MINE = "site-packages/mine/__init__.py"
USES_MINE = "import mine\nf = mine.made(1.0)\n" + S + "f(draw)\n"
LAYOUTS |= {
    "how arguments are taken": (
        {"c.py": "def g(*a): return len(a)\n" + S + "g([1, 2, 3]) + draw.normal()\n"}, "c.py", ("g(*a)", "g(a)"),
    ),
    "put among the builtins": (
        {"helpers.py": F, "c.py": "import builtins, helpers\nbuiltins.f_of_helpers = helpers.f\n" + S + "f_of_helpers(draw)\n"},
        "helpers.py", EDIT,
    ),
    "set up by a module that is imported": (
        {"helpers.py": "import mpmath\nmpmath.mp.dps = 16\n",
         "c.py": "import helpers, mpmath\n" + S + "float(mpmath.mpf(1) / 3)\n"},
        "helpers.py", ("16", "17"),
    ),
    "own module called code": ({"code.py": F, "c.py": "from code import f\n" + S + "f(draw)\n"}, "code.py", EDIT),
    "own module called trace": ({"trace.py": F, "c.py": "from trace import f\n" + S + "f(draw)\n"}, "trace.py", EDIT),
    "installed package that names another in a list": (
        {MINE: "import json, mine2; import sys\ndef g(draw):\n    return mine2.f(draw)\n", "site-packages/mine2.py": F,
         "c.py": "import mine\n" + S + "mine.g(draw)\n"},
        "site-packages/mine2.py", EDIT,
    ),
    "installed package that uses one that is not": (
        {MINE: "from pkg.core import f\ndef g(draw):\n    return f(draw)\n", "pkg/__init__.py": "", "pkg/core.py": F,
         "c.py": "import mine\n" + S + "mine.g(draw)\n"},
        "pkg/core.py", EDIT,
    ),
    "package in two places": (
        {"site-packages/ns/a.py": "", "dist-packages/ns/b.py": F, "c.py": "import ns.b, ns.a\n" + S + "ns.b.f(draw)\n"},
        "dist-packages/ns/b.py", EDIT,
    ),
    "made by an installed package": (
        {MINE: "def made(s):\n    def f(draw): return s + draw.normal()\n    return f\n", "c.py": USES_MINE},
        "c.py", ("1.0", "2.0"),
    ),
    "made by an installed package, as a default": (
        {MINE: "def made(s):\n    def f(draw, s=s): return s + draw.normal()\n    return f\n", "c.py": USES_MINE},
        "c.py", ("1.0", "2.0"),
    ),
    "set up in an installed package": (
        {MINE: "K = 0\ndef setup(s):\n    global K\n    K = s\ndef f(draw): return K + draw.normal()\n",
         "c.py": "import mine\nSCALE = 1.0\nmine.setup(SCALE)\n" + S + "mine.f(draw)\n"},
        "c.py", ("1.0", "2.0"),
    ),
    "constant of an installed package": (
        {MINE: "K = 0\n", "c.py": "import mine\nsetattr(mine, 'K', 1.0)\n" + S + "mine.K + draw.normal()\n"},
        "c.py", ("1.0", "2.0"),
    ),
    "registered in an installed package": (
        {MINE: "R = {}\ndef register(f):\n    R[f.__name__] = f\n    return f\ndef call(n, draw): return R[n](draw)\n",
         "c.py": "import mine\n@mine.register\ndef f(draw): return 1.0 + draw.normal()\n" + S + "mine.call('f', draw)\n"},
        "c.py", EDIT,
    ),
}  # fmt: skip
LOADED = {
    "c", "code", "helpers", "mine", "mine.core", "mine2", "ns", "ns.a", "ns.b", "pkg", "pkg.core", "pkg.sim", "trace",
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
    "globals of a function": "import helpers\n" + S + "helpers.f.__globals__['CONSTANT'] + draw.normal()\n",
    "globals of a frame": "import sys\nK = 1.0\n" + S + "sys._getframe().f_globals['K'] + draw.normal()\n",
    "classes that come of one": "class B: pass\nclass C(B):\n    k = 1.0\n"
    + S
    + "B.__subclasses__()[0].k + draw.normal()\n",
    "words about a function": "def g():\n    '1.0'\n" + S + "float(g.__doc__) + draw.normal()\n",
    "function compiled by NumPy": "import numpy as np\ng = np.frompyfunc(lambda x: 1.0, 1, 1)\n"
    + S
    + "g(1) + draw.normal()\n",
    "own generator": "import numpy as np\nrng = np.random.default_rng(0)\n" + S + "rng.normal(size=draw.replicas)\n",
}


@pytest.fixture
def sampler_of(tmp_path, monkeypatch):
    """The sampler of c.py among some files, loaded afresh."""
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path / "dist-packages", tmp_path / "site-packages", tmp_path):
        monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def loaded(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        forget()
        return importlib.import_module("c").sample

    def forget():
        for name in LOADED:
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        for cached in (packages.of_package, packages.is_standard, packages._places):
            cached.cache_clear()
        vars(builtins).pop("f_of_helpers", None)
        torch.set_default_dtype(torch.float32)
        mpmath.mp.dps = 15

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


def test_what_a_claims_file_declares_recomputes_nothing_and_what_it_sets_up_in_libraries_does(sampler_of):
    text = (
        "import asymp, mpmath, torch\nSIZES = [2, 8]\n" + S + "draw.normal()\n"
        "for n in SIZES:\n    print(asymp.__version__, n)\nasymp.theory.law('l', '1/n', relation='~', params={'n': (1, 9)})\n"
    )
    plain = source_hash(sampler_of({"c.py": text}))
    assert source_hash(sampler_of({"c.py": text.replace("8]", "8, 32]").replace("1/n", "2/n")})) == plain
    set_up = source_hash(sampler_of({"c.py": text + "mpmath.mp.dps = 30\n"}))
    assert set_up != plain and same_code(set_up, plain)  # a worker that loads the file does the same


def test_functions_in_a_set_are_the_same_in_every_process(sampler_of):
    """Their order is that of their addresses, and one that both use is met first by either."""
    text = (
        "def h(): return 1.0\ndef f(): return h()\ndef g(): return 2 * h()\nt = {f, g}\n" + S + "sum(x() for x in t)\n"
    )
    assert len({source_hash(sampler_of({"c.py": text})) for _ in range(20)}) == 1


def test_a_sampler_whose_caches_fill_while_it_draws_is_run_by_workers_too():
    """The first blocks are drawn in this process; a worker is sent the code with what the cache holds by then."""
    cache = {}

    def sample(draw, *, n):
        if n not in cache:
            cache[n] = torch.zeros(n)
        return draw.uniform() + cache[n].sum()

    series = Series(experiment("cached", sample, bounds=(0, 1)), {"n": 4})
    here, failure = compute(series, 0, 1)
    assert failure is None and source_hash(sample) != series.source
    pool = Processes(1)
    try:
        there, failure = pool.submit(compute, series, 0, 1).result()
    finally:
        pool.close(now=True)
    assert failure is None and (there.values == here.values).all() and there.key == here.key
