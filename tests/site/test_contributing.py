"""Adding a claim is three files: those of CONTRIBUTING.md, added to a copy of the packages, are a claim."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build(house):
    """Copy the packages, as they stand when installed, with the files of the diff in CONTRIBUTING.md."""
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


def run(house, *commands):
    """Run commands of the copy in one process: the code of the last one, and what all of them printed."""
    code = f"import sys\nfrom asymp.reports.cli.main import cli, main\nfor words in {list(commands[:-1])}:\n"
    code += f"    cli.main(words, standalone_mode=False)\nsys.argv[1:] = {commands[-1]}\nmain()\n"
    paths = {"PYTHONPATH": str(house), "PYTHONSAFEPATH": "1", "ASYMP_STORE": str(house / "store")}
    env = {**os.environ, **paths}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, cwd=house)


CHECK = ["check", "random-cosine", "--quiet"]


def test_the_claim_is_listed_shown_and_checked_and_a_wrong_law_in_its_place_is_refuted(tmp_path):
    house = tmp_path / "house"
    build(house)
    ran = run(house, ["list"], ["show", "random-cosine"], CHECK)
    assert ran.returncode == 0, ran.stderr
    listed, shown = ran.stdout.index("random-cosine"), ran.stdout.index("[sharp] identity")
    assert listed < shown < ran.stdout.index("random-cosine: supported")
    # The negative control: 2/d in the place of 1/d.
    file = house / "asymp" / "theory" / "laws" / "scores" / "random_cosine.py"
    file.write_text(file.read_text().replace('"1/d"', '"2/d"'))
    ran = run(house, CHECK)
    assert ran.returncode == 1 and ran.stdout.startswith("random-cosine: refuted")
