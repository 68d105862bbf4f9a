"""What is installed: every folder declared, wheel and sdist complete, the wheel alive away from the checkout."""

import ast
import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("theory", "models", "montecarlo", "reports")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_package_is_declared():
    declared = set(PROJECT["tool"]["setuptools"]["packages"])
    present = {
        "asymp." + ".".join(init.parent.relative_to(ROOT).parts)
        for top in TOPS
        for init in (ROOT / top).rglob("__init__.py")
    }
    assert present == declared


def test_every_folder_with_code_is_a_package():
    for top in TOPS:
        assert (ROOT / top / "py.typed").is_file()
        for file in (ROOT / top).rglob("*.py"):
            assert (file.parent / "__init__.py").is_file(), file.parent


def test_torch_is_pinned_exactly_and_the_package_declares_ranges():
    pins = (ROOT / "constraints.txt").read_text().split()
    assert "torch==2.13.0" in pins
    assert all(line.count("==") == 1 and "+" not in line and "/" not in line for line in pins)
    assert all(">=" in d and "==" not in d for d in PROJECT["project"]["dependencies"])


def test_the_version_is_in_one_place():
    version = ast.literal_eval((ROOT / "theory" / "_version.py").read_text().split("=")[1].strip())
    others = [f for f in ("pyproject.toml", "CITATION.cff", "README.md") if version in (ROOT / f).read_text()]
    assert others == []


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist, and the wheel built from it (not from the checkout)."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT], check=True, capture_output=True
    )
    return next(out.glob("*.tar.gz")), next(out.glob("*.whl"))


@pytest.mark.slow
def test_the_wheel_has_every_module_and_data_file_and_nothing_else(built):
    names = {n for n in zipfile.ZipFile(built[1]).namelist() if ".dist-info/" not in n}
    wanted = {
        "asymp/" + f.relative_to(ROOT).as_posix()
        for top in TOPS
        for f in (ROOT / top).rglob("*")
        if f.is_file() and "__pycache__" not in f.parts
    }
    assert names == wanted


@pytest.mark.slow
def test_the_sdist_has_the_tests_and_the_make_file(built):
    with tarfile.open(built[0]) as archive:
        names = {n.split("/", 1)[1] for n in archive.getnames() if "/" in n}
    assert {"Makefile", "constraints.txt", "LICENSE", "README.md", "tests/test_packaging.py"} <= names


@pytest.mark.slow
def test_the_wheel_works_in_an_environment_of_its_own(built, tmp_path):
    home = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    python = home / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", built[1]]
    subprocess.run(pip, check=True, capture_output=True)
    # The libraries come from this environment by path; that does not load its editable asymp, which needs a hook.
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    (Path(site) / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    away = {"cwd": tmp_path, "check": True, "capture_output": True, "text": True}
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    where = subprocess.run(
        [python, "-c", "import asymp.reports; print(asymp.reports.__file__)"], env=clean, **away
    ).stdout
    assert where.startswith(site)
    ran = subprocess.run([home / "bin" / "asymp", "report", "-o", "out", "score-variance"], env=clean, **away)
    assert "score-variance: supported" in ran.stdout
    assert (tmp_path / "out" / "index.html").stat().st_size > 10_000
