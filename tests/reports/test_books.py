"""Claims of files, of packages and of other books: all verbs know them, ids are unique, a budget is a book's own."""

import json
import os
import subprocess
import sys

import pytest

from asymp.reports.check import BUDGET, share_of
from asymp.reports.claims import claims, register, registered
from asymp.reports.claims_file import load_claims

CLAIM = """
from asymp.montecarlo import experiment
from asymp.reports import claim
from asymp.theory import Param, integer, law

gap = law("{id}", "1/(n + 1)", relation="=", params={{"n": Param(integer(1), (4, 64))}}, source="Textbook 2020")

def simulate(draw, *, n):
    return 1 - draw.uniform(shape=(int(n),)).amax(1)

claim("{id}", law=gap, experiment=experiment("{id}-gap", simulate, bounds=(0, 1), block=2048), kind="identity", grid=[{{"n": 4}}])
"""
LAWS = """
from asymp.theory import Param, integer, law
N = Param(integer(1), typical=(4, 64), meaning="how many are drawn")
LAWS = (law("gap", "1/(n + 1)", relation="=", params={"n": N}, source="textbook2020, Theorem 1"),)
"""
SAMPLERS = """
from asymp.montecarlo.experiment import Experiment

def sample(draw, *, n):
    return 1 - draw.uniform(shape=(int(n),)).amax(1)

gaps = Experiment("book-gap", sample, bounds=(0, 1), block=2048)
"""
CLAIMS = """
from asymp.reports.declaring import Claim, Grid, Identity, laws, settings
from order_statistics.samplers.maxima.gap import gaps

CLAIM = Claim(
    id="gap",
    title="The largest of n uniform numbers",
    source="textbook2020, Theorem 1",
    parts=(Identity("source", "It misses 1 by 1/(n + 1).", law=laws["gap"], experiment=gaps, grid=Grid(settings(n=(4, 16)))),),
)
"""
BOOK = """
from asymp.books import Book
BOOK = Book("order-statistics", "Order statistics", {"maxima": "Largest values"}, shares=4)
"""
BIB = """% Textbook (2020)
@book{textbook2020,
  title = {Order statistics},
  author = {A. Author},
  year = {2020}
}

% Notes 2021
@misc{notes2021,
  title = {Notes}
}
"""


@pytest.fixture
def book(tmp_path):
    """A folder that holds a package with a book, and its entry point as an installer would leave it."""
    package = tmp_path / "order_statistics"
    for side, text in (("laws", LAWS), ("samplers", SAMPLERS), ("claims", CLAIMS)):
        folder = package / side / "maxima"
        folder.mkdir(parents=True)
        for init in (package / side, folder):
            (init / "__init__.py").write_text("")
        (folder / "gap.py").write_text(text)
    (package / "__init__.py").write_text(BOOK)
    (package / "claims" / "maxima" / "gap.md").write_text("## Notes\n\nA note of the other book.\n")
    (package / "bibliography.bib").write_text(BIB)
    info = tmp_path / "order_statistics-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: order-statistics\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[asymp.claims]\norder-statistics = order_statistics:BOOK\n")
    return tmp_path


def run(folder, *args):
    """The command in a process of its own, with a folder on Python's path."""
    where = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "asymp", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, env=where, cwd=folder, check=False)


def test_a_book_of_an_installed_package_stands_beside_the_ledger(book):
    listed = run(book, "list")
    assert listed.returncode == 0, listed.stderr
    lines = listed.stdout.splitlines()
    assert lines[0] == "Associative memories" and "Order statistics" in lines and "6. Largest values" in lines
    code = (
        "from asymp.reports.claims import claims, index; from asymp.theory import laws, BIBLIOGRAPHY;"
        "from asymp.montecarlo import experiments; from asymp.reports.check import share_of;"
        "print(len(index()), laws['gap:source'](n=9), 'book-gap' in experiments, claims['gap'].notes[0], "
        "BIBLIOGRAPHY['textbook2020'].short, BIBLIOGRAPHY['notes2021'].short, "
        "share_of(claims['gap']), share_of(claims['missing-mass']) * 66)"
    )
    where = {**os.environ, "PYTHONPATH": str(book)}
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=where, check=True)
    assert seen.stdout.strip() == "67 0.1 True A note of the other book. Textbook (2020) Notes 2021 0.00025 0.001"
    ran = run(book, "check", "order-statistics", "--no-store", "--quiet", "--json")
    [verdict] = json.loads(ran.stdout)
    assert verdict["claim"] == "gap" and verdict["outcome"] == "supported" and verdict["budget"] == BUDGET / 4


def test_a_package_that_cannot_be_loaded_is_left_out_with_a_note(book):
    (book / "order_statistics" / "__init__.py").write_text("BOOK = 3\n")
    listed = run(book, "list", "--json")
    assert listed.returncode == 0 and len(json.loads(listed.stdout)) == 66
    assert "asymp: note: the claims of the installed package 'order-statistics' are left out" in listed.stderr


def test_a_book_need_not_be_installed(book):
    ran = run(book, "check", "--claims", "order_statistics", "--no-store", "--quiet")
    assert ran.returncode == 0 and ran.stdout.startswith("gap: supported (budget 0.00025"), ran.stderr


def test_a_report_on_another_book_says_nothing_of_the_ledger(book):
    told = run(
        book, "report", "--claims", "order_statistics", "--no-store", "--quiet", "--workers", 1, "-o", "made"
    ).stdout
    assert "figures" not in told, told
    front = (book / "made" / "index.html").read_text()
    assert (
        "1 statement of 1 claim was measured" in front
        and "sharper laws" not in front
        and "figures.html" not in front[-5000:]
    )
    assert "No source's own words are at hand" in (book / "made" / "sources.html").read_text()
    page = json.loads((book / "made" / "claims" / "gap.json").read_text())
    assert page["source"] == "Textbook (2020), Theorem 1"
    assert f"asymp check gap --claims {book / 'order_statistics'} " in page["repeat"]["command"]
    assert f"load_claims({str(book / 'order_statistics')!r})" in page["repeat"]["python"]


def test_several_files_and_their_neighbours(asymp, tmp_path):
    (tmp_path / "helper_of_mine.py").write_text("ONE = 1\n")
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("import helper_of_mine\n" + CLAIM.format(id="mine-1"))
    two.write_text(CLAIM.format(id="mine-2") + CLAIM.format(id="mine-3"))
    both = ["--claims", one, "--claims", two]
    ran = asymp("check", *both, "--no-store", "--quiet", "--rounds", 8)
    assert ran.code == 0 and ran.out.count(": supported (") == 3
    assert "(budget 0.001," in ran.out and ran.out.count("(budget 0.0005,") == 2
    listed = asymp("list", *both)
    assert "mine-3" in listed.out and "missing-mass" not in listed.out
    assert f"--claims {two}" in asymp("show", "mine-3", *both).out
    assert asymp("eval", "mine-2", *both, "-s", "n=9").out.strip() == "0.1"
    assert "replicas" in asymp("measure", "mine-2-gap", *both, "-s", "n=9").out
    assert "asymp" in asymp("cite", "mine-2", *both).out


@pytest.mark.parametrize(
    ("second", "words"), [("mine-1", "is declared in"), ("missing-mass", "claim of the book 'associative-memories'")]
)
def test_an_id_is_declared_once(asymp, tmp_path, second, words):
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text(CLAIM.format(id="mine-1"))
    two.write_text(CLAIM.format(id=second))
    ran = asymp("list", "--claims", one, "--claims", two)
    assert ran.code == 2 and words in ran.err and "two.py" in ran.err and "in line" in ran.err


def test_one_file_declares_an_id_once_but_a_notebook_again(asymp, tmp_path):
    file = tmp_path / "one.py"
    file.write_text(CLAIM.format(id="mine-1") * 2)
    ran = asymp("list", "--claims", file)
    assert ran.code == 2 and "'mine-1' is declared twice" in ran.err
    file.write_text(CLAIM.format(id="mine-1"))
    assert load_claims(str(file)) == load_claims(str(file)) == ["mine-1"]
    again = claims["mine-1"]
    register(again)  # as a cell of a notebook does
    assert registered["mine-1"] is again and share_of(again) == BUDGET / 2


def test_an_empty_name_of_a_file_is_refused(asymp):
    ran = asymp("check", "--claims", "")
    assert ran.code == 2 and "--claims has an empty name" in ran.err
