"""`asymp new`: a small package with one claim, a test of it and a workflow, which work as they stand."""

import re
import sys
import sysconfig
from keyword import iskeyword
from pathlib import Path
from string import Template

import click

NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")

FILES = {
    "pyproject.toml": """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "$name"
version = "0.1"
description = "The claims of $name, checked by simulation"
requires-python = ">=3.11"
dependencies = ["asymp[sim]"]

[project.optional-dependencies]
test = ["pytest>=8"]

# Once the package is installed, asymp list, check, report and so on know its claims.
[project.entry-points."asymp.claims"]
$name = "$package.claims"

[tool.setuptools]
packages = ["$package"]
""",
    "$package/__init__.py": '''"""The claims of $name."""
''',
    "$package/claims.py": '''"""What $name says, each statement with a simulation that does not use its formula."""

import asymp


@asymp.claim.rate("c * d**-b", variable="d", d=(16, 16384), b=(0.5, 2), c=(1, 2), source="$name, Theorem 1")
def ${prefix}_rate(draw, *, d, b, c):
    """The error falls as a power of d."""
    # Replace this by your own simulation: one number for each of draw.replicas independent runs.
    return c * d**-b * (1 + 1 / d) * draw.uniform(0.8, 1.2)
''',
    "tests/test_claims.py": '''"""Every claim of $name holds: a right one fails with probability at most 1e-6."""

import pytest

import asymp
from $package import claims

CLAIMS = [claim for claim in vars(claims).values() if isinstance(claim, asymp.reports.Claim)]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_claim(claim):
    asymp.assert_claim(claim)
''',
    ".github/workflows/claims.yml": """name: claims
on: [push, pull_request]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: { python-version: "3.12" }
      - run: pip install -e ".[test]"
      - run: pytest
      - run: asymp report $name --time 10m -o report
      - uses: actions/upload-artifact@v4
        if: always()
        with: { name: report, path: report }
""",
    "README.md": """# $name

What $name says, checked by simulation with asymp.

    asymp check --claims $package            # a verdict on every claim
    asymp report --claims $package           # pages with figures, in asymp-report
    pip install -e ".[test]" && pytest       # the same as tests
    asymp check $name                        # once it is installed

Claims are in `$package/claims.py`: a formula, where it holds, and a simulation that does not use it.
""",
    ".gitignore": "__pycache__/\n*.egg-info/\nasymp-report/\n",
}


def write_package(name: str, into: str = ".") -> list[Path]:
    """Write a package of claims; the files written. A folder that is there already is left alone, with an error.

    `name`: of the project, such as my-paper. `into`: the folder in which its folder is made.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"the name must be lower-case letters and digits, joined by -, such as my-paper; got {name!r}")
    package = name.replace("-", "_")
    if iskeyword(package) or package in sys.stdlib_module_names or _is_installed(package):
        raise ValueError(f"{package!r} is a word of Python's or a module that is there already; give another name")
    folder = Path(into) / name
    if folder.exists():
        raise ValueError(f"{folder} is there already; give another name, or remove it")
    words = {"name": name, "package": package, "prefix": package}
    written = []
    for path, text in FILES.items():
        file = folder / Template(path).substitute(words)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(Template(text).substitute(words), encoding="utf-8")
        except OSError as error:
            raise ValueError(
                f"{folder} cannot be written ({error.strerror}); name another folder with --into"
            ) from None
        written.append(file)
    return written


def _is_installed(package: str) -> bool:
    """Whether an installed package has the name, which this one would hide or be hidden by."""
    there = package == "asymp" or Path(sysconfig.get_path("purelib"), package).exists()
    return there or Path(sysconfig.get_path("platlib"), package).exists()


@click.command(short_help="Write a small package with a claim of your own.")
@click.argument("name")
@click.option("--into", default=".", show_default=True, metavar="DIR", help="Where its folder is made.")
def new(name: str, into: str) -> None:
    """Write a small package with one claim, a test and a workflow for continuous integration, which work as they stand.

    \b
    Example: asymp new my-paper
             asymp check --claims my-paper/my_paper
    """
    written = write_package(name, into)
    folder = written[1].parent
    click.echo("\n".join(f"wrote {file}" for file in written) + f"\nnext: asymp check --claims {folder}")
