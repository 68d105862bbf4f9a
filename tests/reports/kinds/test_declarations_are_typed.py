"""mypy finds a mistake in a declaration: a misspelt field, a wrong kind of value, a field that is missing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from asymp.reports.kinds import Capacity, Constant, Identity, Rate

ROOT = Path(__file__).resolve().parents[3]
RIGHT = """\
from asymp.montecarlo.samplers.scaling.missing_mass import missing_mass_experiment as EXPERIMENT
from asymp.reports.grid import Grid
from asymp.reports.kinds import Bound, Capacity, Constant, Identity, Order, Rate
from asymp.reports.kinds.drawing import few_draws
from asymp.reports.claim import Claim
from functools import partial

from asymp.theory import Param, law, laws, real

LAW = laws["missing-mass"]
GRID = Grid([{"d": 2}])
rate = Rate("source", "It grows.", law=LAW, experiment=EXPERIMENT, grid=GRID, variable="d")
order = Order("order", "It is first.", below=1, experiment=EXPERIMENT, grid=GRID)
claim = Claim(id="mine", title="Mine", source="nowhere", parts=(rate, order))
mine = law("mine", "c/d", relation="=", params={"d": (1, "oo"), "c": real(0)})
d = Param(real(1), (10, 100), meaning="size", name="d")
declare = partial(law, relation="~", params=(d.over(10, 1000),))
other = declare("mine:other", "1/d", relation="=").but("mine:third", "2/d", title="Third")
"""
# What is wrong, and what mypy says of it.
WRONG = {
    'Rate("a", "b", law=LAW, experiment=EXPERIMENT, grid=GRID, varable="d")': 'keyword argument "varable"',
    'Rate("a", "b", law=LAW, experiment=EXPERIMENT, grid=GRID)': 'Missing named argument "variable"',
    'Rate("a", "b", experiment=EXPERIMENT, grid=GRID, variable="d")': 'Missing named argument "law"',
    'Rate("a", "b", law=LAW, experiment=EXPERIMENT, grid=GRID, variable=3)': 'incompatible type "int"',
    'Rate("a", "b", law="x", experiment=EXPERIMENT, grid=GRID, variable="d")': 'expected "Law"',
    'Rate("a", law=LAW, experiment=EXPERIMENT, grid=GRID, variable="d")': '"text"',
    'Identity("a", "b", law=LAW, experiment=EXPERIMENT, grid=GRID, margin="2 %")': 'expected "float"',
    'Identity("a", "b", law=LAW, experiment=EXPERIMENT, grid=GRID, variable="d")': '"variable"',
    'Constant("a", "b", law=LAW, experiment=EXPERIMENT)': 'Missing named argument "grid"',
    'Constant("a", "b", law=LAW, experiment=EXPERIMENT, grid=GRID, margin=None)': 'incompatible type "None"',
    'Rate("a", "b", law=LAW, experiment=EXPERIMENT, grid=GRID, variable="d", margn=0.02)': '"margn"',
    'Bound("a", "b", law=LAW, experiment=EXPERIMENT, grid=GRID, margin=0.02)': '"margin"',
    'Capacity("a", "b", law=LAW, experiment=EXPERIMENT, grid=GRID)': 'Missing named argument "size"',
    'Rate("a", "b", law=LAW, experiment=EXPERIMENT, grid={"quick": [{"d": 2}]}, variable="d")': 'expected "Grid"',
    'Grid([{"d": 2}], weight="many")': 'incompatible type "str"',
    'Order("a", "b", law=LAW, below=1, experiment=EXPERIMENT, grid=GRID)': '"law"',
    'Order("a", "b", below="1", experiment=EXPERIMENT, grid=GRID)': 'incompatible type "str"',
    'Claim(id="mine", parts=(rate,), tilte="Mine")': '"tilte"',
    'law("a", "d", relation="=", params=(d,), tilte="A")': '"tilte"',
    'law("a", "d", relation="=", domain={"d": (1, 2)})': '"domain"',
    'law("a", "d", relation="=", params={"d": 3})': '"str": "int"; expected',
    'law("a", "d", params=(d,))': 'Missing named argument "relation"',
    'law("a", "d", relation="=", params=(d,), notes=1)': 'incompatible type "int"',
    'declare("a", "d", notez=())': '"notez"',
    'mine.but("a", tilte="A")': '"tilte"',
    "d.but(typcal=(1, 2))": '"typcal"',
    "Param((1, 2))": 'expected "Domain"',
    'Claim(id="mine", parts=rate)': '"parts"',
    'few_draws(1, 2, reson="slow")': '"reson"',
}

# Declarations are typed by our own modules: those of others, which take mypy four times as long, are left out.
CONFIG = """\
[mypy]
strict = True
explicit_package_bases = True
follow_imports = silent
cache_dir = /dev/null

[mypy-torch.*,numpy.*,scipy.*,sympy.*,mpmath.*,matplotlib.*,hypothesis.*,jinja2.*,click.*,rich.*]
follow_imports = skip
ignore_missing_imports = True
"""


def test_without_a_margin_that_of_the_statistics_contract_holds():
    margins = {kind: kind.__dataclass_fields__["margin"].default for kind in (Identity, Constant, Rate, Capacity)}
    assert margins == {Identity: 0.02, Constant: 0.10, Rate: 0.05, Capacity: 0.10}


@pytest.mark.slow
def test_mypy_finds_every_mistake_and_nothing_else(tmp_path):
    (tmp_path / "asymp").mkdir()  # the folders under the names that they have when installed
    for path in [*(ROOT / "asymp").iterdir(), *(ROOT / top for top in ("theory", "models", "montecarlo", "reports"))]:
        (tmp_path / "asymp" / path.name).symlink_to(path)
    (tmp_path / "declared.py").write_text(RIGHT + "\n".join(WRONG) + "\n")
    (tmp_path / "mypy.ini").write_text(CONFIG)
    command = [sys.executable, "-m", "mypy", "declared.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={"PATH": ""})
    said: dict[int, str] = {}
    for line, words in re.findall(r"declared\.py:(\d+): error: (.*)", found.stdout):
        said[int(line)] = said.get(int(line), "") + words
    first = RIGHT.count("\n") + 1
    assert min(said) >= first, found.stdout  # the right ones are right
    for number, (wrong, words) in enumerate(WRONG.items(), first):
        assert words in said.get(number, ""), (wrong, said.get(number), found.stdout[-500:], found.stderr)
