"""Adding a claim is three files: those of CONTRIBUTING.md, added to a copy of the packages, are a claim."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the packages, as they stand when installed, with the files of the diff in CONTRIBUTING.md."""
    house = tmp_path_factory.mktemp("house")
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "asymp", house / "asymp", ignore=without)
    for folder in ("theory", "models", "montecarlo", "reports"):
        shutil.copytree(ROOT / folder, house / "asymp" / folder, ignore=without)
    (diff,) = re.findall(r"^```diff\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE | re.DOTALL)
    files = re.findall(r"^--- /dev/null\n\+\+\+ b/(\S+)\n@@ -0,0 \+1,(\d+) @@\n((?:\+.*\n)+)", diff, flags=re.MULTILINE)
    assert [path.split("/")[:2] for path, _, _ in files] == [
        ["theory", "laws"],
        ["montecarlo", "samplers"],
        ["reports", "claims"],
    ]
    for path, count, text in files:
        lines = [line[1:] for line in text.splitlines()]
        assert len(lines) == int(count)
        assert not (ROOT / path).exists()
        (house / "asymp" / path).write_text("\n".join([*lines, ""]))
    return house


def run(house, *words):
    paths = {"PYTHONPATH": str(house), "PYTHONSAFEPATH": "1", "ASYMP_STORE": str(house / "store")}
    return subprocess.run(
        [sys.executable, "-m", "asymp", *words], env={**os.environ, **paths}, capture_output=True, text=True, cwd=house
    )


def test_the_claim_is_listed_shown_and_checked(house):
    assert "random-cosine" in run(house, "list").stdout
    assert "[sharp] identity" in run(house, "show", "random-cosine").stdout
    checked = run(house, "check", "random-cosine", "--quiet")
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.startswith("random-cosine: supported")


def test_a_wrong_law_in_the_same_place_is_refuted(house):
    """The negative control: 2/d in the place of 1/d."""
    file = house / "asymp" / "theory" / "laws" / "scores" / "random_cosine.py"
    right = file.read_text()
    try:
        file.write_text(right.replace('"1/d"', '"2/d"'))
        checked = run(house, "check", "random-cosine", "--quiet")
    finally:
        file.write_text(right)
    assert checked.returncode == 1
    assert checked.stdout.startswith("random-cosine: refuted")
