"""What is installed: every folder declared, wheel and sdist complete, the wheel alive away from the checkout."""

import ast
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from support.own_claims import CHEAP

ROOT = Path(__file__).resolve().parents[2]
TOPS = ("theory", "models", "montecarlo", "reports")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_folder_with_code_is_a_package():
    for top in TOPS:
        assert (ROOT / top / "py.typed").is_file()
        for file in (ROOT / top).rglob("*.py"):
            assert (file.parent / "__init__.py").is_file(), file.parent


def test_torch_is_pinned_exactly_and_the_package_declares_ranges():
    pins = (ROOT / "constraints.txt").read_text().split()
    assert "torch==2.13.0" in pins
    assert all(line.count("==") == 1 and "+" not in line and "/" not in line for line in pins)
    declared = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["sim"]]
    assert all(">=" in d and "==" not in d for d in declared)
    assert not any(d.startswith("torch") for d in PROJECT["project"]["dependencies"])


def test_the_version_is_in_one_place():
    version = ast.literal_eval((ROOT / "asymp" / "_version.py").read_text().split("=")[1].strip())
    others = [f for f in ("pyproject.toml", "CITATION.cff", "README.md") if version in (ROOT / f).read_text()]
    assert others == []


WITHOUT_TORCH = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
import numpy as np
import asymp
from asymp.montecarlo import Estimate, capacity_of, fit_exponent, fit_exponent_of_logs, find_capacity
from asymp.theory import missing_mass
from asymp.reports.cli.main import cli, main

print(round(missing_mass(alpha=2, T=1000), 6))
sizes = np.array([2.0**k for k in range(4, 14)])
print(fit_exponent_of_logs(sizes, np.log(3 / sizes), np.full(10, 1e-3)).exponent)
cli.main(["list"], standalone_mode=False)
cli.main(["eval", "missing-mass", "-s", "alpha=2", "-s", "T=1000"], standalone_mode=False)
for command in ("check missing-mass", "report missing-mass", "measure missing-mass -s T=10"):
    sys.argv[1:] = command.split()
    try:
        main()
    except SystemExit as stop:
        assert stop.code == 2
assert "torch" not in sys.modules
asymp.check("missing-mass")
"""


def test_laws_and_fits_need_no_torch_and_what_simulates_says_that_it_does():
    ran = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True)
    value, slope, *_, evaluated = ran.stdout.splitlines()
    assert value == "0.021843" and float(slope) == pytest.approx(-1, abs=0.01)  # the points lie on 3/x
    assert round(float(evaluated), 6) == 0.021843 and "missing-mass" in ran.stdout
    *commands, traceback = ran.stderr.split("\n", maxsplit=3)
    for said in commands:
        assert said.startswith("asymp: this simulates, and torch") and "asymp[sim]" in said
    assert ran.returncode == 1 and 'pip install "asymp[sim]"' in traceback.splitlines()[-1]
    assert "sim" in PROJECT["project"]["optional-dependencies"]


def test_dir_lists_what_can_be_imported():
    for name in ("asymp", "asymp.montecarlo", "asymp.reports"):
        package = importlib.import_module(name)
        assert package.__all__ and set(package.__all__) <= set(dir(package))
        assert all(hasattr(package, public) for public in package.__all__)
        with pytest.raises(AttributeError, match="has no attribute 'missspelt'"):
            package.missspelt  # noqa: B018


def test_a_module_does_not_hide_the_name_that_its_package_offers():
    for name in ("asymp.reports.check", "asymp.reports.claim", "asymp.reports.claims", "asymp.montecarlo.experiment"):
        module, (package, _, offered) = importlib.import_module(name), name.rpartition(".")
        assert getattr(importlib.import_module(package), offered) is not module


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist, and the wheel built from it; of a copy, because other tests write into the checkout meanwhile."""
    out, copy = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("copy") / "asymp"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "build", "__pycache__", "reference", "*.egg-info"))
    ran = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, copy], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return next(out.glob("*.tar.gz")), next(out.glob("*.whl"))


@pytest.mark.slow
def test_the_wheel_has_every_module_and_data_file_and_nothing_else_and_the_sdist_the_tests(built):
    names = {n for n in zipfile.ZipFile(built[1]).namelist() if ".dist-info/" not in n}
    present = [
        f for top in (*TOPS, "asymp") for f in (ROOT / top).rglob("*") if f.is_file() and "__pycache__" not in f.parts
    ]
    wanted = {("" if f.is_relative_to(ROOT / "asymp") else "asymp/") + f.relative_to(ROOT).as_posix() for f in present}
    assert names == wanted
    with tarfile.open(built[0]) as archive:
        names = {n.split("/", 1)[1] for n in archive.getnames() if "/" in n}
    assert {"Makefile", "constraints.txt", "LICENSE", "README.md", "tests/site/test_packaging.py"} <= names


@pytest.mark.slow
def test_the_wheel_works_in_an_environment_of_its_own(built, tmp_path):
    home = tmp_path / "env"
    venv.create(home, symlinks=True)  # without pip, which takes long to install: ours serves it
    python = home / "bin" / "python"
    pip = f"-m pip --python {python} --disable-pip-version-check install --quiet --no-deps {built[1]}"
    subprocess.run([sys.executable, *pip.split()], check=True, capture_output=True)
    [site] = home.glob("lib/python*/site-packages")
    # The libraries come from this environment by path; that does not load its editable asymp, which needs a hook.
    (site / "libraries.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    away = {"cwd": tmp_path, "check": True, "capture_output": True, "text": True}
    away["env"] = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    where = subprocess.run([python, "-c", "import asymp.reports; print(asymp.reports.__file__)"], **away).stdout
    assert where.startswith(str(site))
    ran = subprocess.run([home / "bin" / "asymp", "report", "-o", "out", CHEAP, "--workers", "1"], **away)
    assert f"{CHEAP}: supported" in ran.stdout
    assert (tmp_path / "out" / "index.html").stat().st_size > 10_000


PACKAGES = [importlib.import_module(name) for name in ("asymp", *(f"asymp.{top}" for top in TOPS))]


@pytest.mark.parametrize("public", [f"{package.__name__}.{name}" for package in PACKAGES for name in package.__all__])
def test_every_argument_of_a_public_name_is_in_its_docstring(public):
    package, _, name = public.rpartition(".")
    thing = getattr(importlib.import_module(package), name)
    if (inspect.isclass(thing) and issubclass(thing, Exception)) or not callable(thing):
        return
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    given = [p.name for p in inspect.signature(thing).parameters.values() if p.kind not in variable]
    text = f"{inspect.getdoc(thing)} {inspect.getdoc(thing.__init__) if inspect.isclass(thing) else ''}"
    assert [argument for argument in given if not re.search(rf"\b{argument}\b", text)] == []
