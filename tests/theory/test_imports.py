"""theory stands alone: it imports without torch and without the other packages, and at once."""

import subprocess
import sys

import pytest

FORBIDDEN = """
import sys, time

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch" or name in ("asymp.models", "asymp.montecarlo", "asymp.reports"):
            raise ModuleNotFoundError(f"{name} is not installed here", name=name)

sys.meta_path.insert(0, Forbidden())
"""

IMPORT = """
start = time.process_time()
import asymp.theory
assert time.process_time() - start < 1, "import asymp.theory takes a second or more"
"""

ALL = """
import importlib, pkgutil
import asymp.theory
for module in pkgutil.walk_packages(asymp.theory.__path__, "asymp.theory."):
    importlib.import_module(module.name)
for name in asymp.theory.FUNCTIONS:
    getattr(asymp.theory, name)
from asymp.theory import laws, recall_error
assert len(laws) > 200
laws["missing-mass"](alpha=2, T=10), laws["missing-mass"].evaluate(alpha=2, T=10, digits=20)
recall_error(alpha=2, N=10, M=2, d=10, rel_error=0.1)
assert "torch" not in sys.modules
"""


def run(code):
    return subprocess.run([sys.executable, "-c", FORBIDDEN + code], capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("code", [IMPORT, ALL], ids=["import", "every module, law and function"])
def test_theory_needs_no_torch(code):
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_an_import_of_torch_would_be_seen():
    done = run("import torch")
    assert done.returncode == 1 and "torch is not installed here" in done.stderr
