"""How large the house is: the figures of the changelog's census, each with the number that version 0.1 had.

    make census                                        this checkout
    python benchmarks/census.py --root DIR             another one (0.1 too: its old folder names are known here)

What is counted:

* Lines: all lines of the Python files of the installed packages, and of tests/.
* Modules entered: the modules of asymp in which a function runs while `asymp check missing-mass --no-store --workers 1`
  does its work (and `asymp report`), in this process. The machinery is imported before counting starts, so that a
  decorator that runs at import counts nothing; the files of laws, claims and figures are not, so that a command which
  loads all of them is seen to do so.
* Modules that ask for the kind: files of reports, outside reports/kinds, that compare a `kind` with the name of one, look
  something up by it (`TABLE[part.kind]`), or ask `isinstance` of a class of reports/kinds.
* `Any`: the name in code and annotations, quoted annotations included, import lines not.
* Constants for a formula: statements judged against a law whose expression has no symbol. An order has no law. The few
  statements that say of something that it is 0, or a number, count too.
* Ids with three files: the law, the sampler and the claim of an id stand at the same path below their folders.
* Places a claim is declared in: files of the installed packages that name it by its id, for the id with most of them;
  figures, which show many claims, not counted, nor ids that are ordinary words (`adam`), nor `laws["id"]`, a use of its law.
"""

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("asymp", "theory", "models", "montecarlo", "reports")
KINDS = ("reports/kinds/", "reports/judge/")
NAMES = {"identity", "equality", "bound", "rate", "constant", "capacity", "order"}

# Rows: what, what 0.1 had, what 0.2 must reach.
ROWS = {
    "source": ("lines of source (installed packages)", "60,700", "45,000"),
    "tests": ("lines of tests", "22,500", "17,000"),
    "files": ("files of source", "478", ""),
    "check": ("modules that `asymp check missing-mass` enters", "62", "35"),
    "report": ("modules that `asymp report missing-mass` enters", "126", "60"),
    "places": ("places a claim is declared in", "up to 10", "3"),
    "kinds": ("modules that ask for the kind, outside kinds/", "14", "0"),
    "any": ("`Any` in source", "2,458", "900"),
    "constants": ("statements judged against a constant", "72", "0"),
    "paths": ("ids with law, sampler and claim at one path", "7 of 66", "66 of 66"),
}

TRACE = """
import importlib, json, pkgutil, sys
from pathlib import Path

import asymp.reports

def machinery(package):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        parts = set(found.name.split("."))
        if not parts & {"laws", "formulas", "claims", "ledger", "figures", "gallery", "__main__", "early"}:
            yield found.name

for name in ("theory", "models", "montecarlo", "reports"):
    for module in machinery(importlib.import_module("asymp." + name)):
        importlib.import_module(module)
main = sys.modules.get("asymp.reports.cli.main") or sys.modules["asymp.reports.command.cli"]
entered = {}

def look(frame, event, argument):
    code, module = frame.f_code, frame.f_globals.get("__name__", "")
    if event == "call" and module.startswith("asymp.") and code.co_flags & 1:  # a function, no body of module or class
        entered.setdefault(module, code.co_name)

sys.argv = ["asymp", *sys.argv[2:]]
sys.setprofile(look)
try:
    main.main()
except SystemExit:
    pass
finally:
    sys.setprofile(None)
    Path(OUT).write_text(json.dumps(list(entered.items())))
"""


def python_files(root: Path, folders: tuple[str, ...] = PACKAGES) -> list[Path]:
    """The Python files of these folders, in order."""
    return [file for folder in folders for file in sorted((root / folder).rglob("*.py"))]


def lines(files: list[Path]) -> int:
    """Lines in all."""
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def entered(root: Path, verb: str, *options: str) -> list[str]:
    """The modules that a command enters, in the order of their first function call."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "entered.json"
        code = TRACE.replace("Path(OUT)", f"Path({str(out)!r})")
        given = [verb, "missing-mass", "--no-store", "--workers", "1", "--quiet", *options]
        where = {"PYTHONPATH": str(root / "build" / "links"), "PYTHONSAFEPATH": "1", "ASYMP_STORE": folder}
        subprocess.run(
            [sys.executable, "-c", code, "-", *given], env={**os.environ, **where}, cwd=folder, check=True, stdout=-3
        )
        return [name for name, _ in json.loads(out.read_text())]


def uses_of_any(file: Path) -> int:
    """How often the name `Any` stands in a file, but for imports; annotations in quotes are read too."""
    found = 0
    waiting: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while waiting:
        for node in ast.walk(waiting.pop()):
            found += isinstance(node, ast.Name) and node.id == "Any"
            for name in ("annotation", "returns"):
                quoted = getattr(node, name, None)
                if isinstance(quoted, ast.Constant) and isinstance(quoted.value, str):
                    waiting.append(ast.parse(quoted.value))
    return found


def asks_for_the_kind(root: Path) -> list[str]:
    """Files of reports outside reports/kinds that dispatch on a statement's kind, by its name or by its class."""
    classes = {
        node.name
        for file in python_files(root, ("reports/kinds",))
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    return [
        name
        for file in python_files(root, ("reports",))
        if not (name := file.relative_to(root).as_posix()).startswith(KINDS)
        and any(_asks(node, classes) for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    ]


def _asks(node: ast.AST, classes: set[str]) -> bool:
    """Whether this is `kind == "rate"` or the like, `TABLE[part.kind]`, or `isinstance(x, Rate)`."""
    if isinstance(node, ast.Compare):
        words = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        return any(_is_kind(side) for side in (node.left, *node.comparators)) and bool(words & NAMES)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Attribute) and _is_kind(node.slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        return any(isinstance(n, ast.Name) and n.id in classes for n in ast.walk(node.args[1]))
    return False


def _is_kind(node: ast.AST) -> bool:
    """Whether an expression is called kind: a variable, or a field of something."""
    return _name(node) == "kind"


def _name(node: ast.AST) -> str | None:
    """What a variable is called, or a field of something."""
    return getattr(node, "id", getattr(node, "attr", None))


CONSTANTS = """
import json
from asymp.reports import claims
found = []
for id in claims:
    for part in getattr(claims[id], "statements", None) or claims[id].parts:
        law = getattr(part, "law", None)
        if law is not None and not getattr(law.expr, "free_symbols", True):
            found.append(f"{id} {part.name}")
print(json.dumps(found))
"""


def judged_against_a_constant(root: Path) -> list[str]:
    """Statements whose law is a number: their formula, if there is one, stands in the simulation."""
    where = {"PYTHONPATH": str(root / "build" / "links"), "PYTHONSAFEPATH": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", CONSTANTS], env={**os.environ, **where}, check=True, capture_output=True, text=True
    )
    found: list[str] = json.loads(ran.stdout)
    return found


def declared_at(root: Path) -> dict[str, dict[str, bool]]:
    """For each id, whether its law, sampler and claim stand at the same path."""
    homes = ("theory/laws", "montecarlo/samplers", "reports/claims")
    claims = root / "reports" / "claims"
    paths = [file.relative_to(claims) for file in sorted(claims.glob("*/*.py")) if file.stem != "__init__"]
    return {path.stem.replace("_", "-"): {home: (root / home / path).is_file() for home in homes} for path in paths}


def places(root: Path, ids: list[str]) -> Iterator[tuple[int, str]]:
    """How many files of the packages name each id as a whole string, or stand for it by their own name."""
    named: dict[str, set[Path]] = {name: set() for name in ids}
    for file in python_files(root):
        if {"figures", "gallery"} & set(file.parts):
            continue
        if (own := file.stem.replace("_", "-")) in named:
            named[own].add(file)
        tree = ast.parse(file.read_text(encoding="utf-8"))
        asked = {id(n.slice) for n in ast.walk(tree) if isinstance(n, ast.Subscript) and _name(n.value) == "laws"}
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and "-" in node.value
                and id(node) not in asked
            ):
                named.get(node.value, set()).add(file)
    return ((len(files), name) for name, files in named.items())


def census(root: Path) -> dict[str, str]:
    """Every figure of this checkout, as text."""
    source, found = python_files(root), declared_at(root)
    most = max(places(root, list(found)), default=(0, ""))
    return {
        "source": f"{lines(source):,}",
        "tests": f"{lines(python_files(root, ('tests',))):,}",
        "files": f"{len(source)}",
        "check": f"{len(entered(root, 'check'))}",
        "report": f"{len(entered(root, 'report', '-o', 'report'))}",
        "places": f"up to {most[0]} ({most[1]})",
        "kinds": f"{len(asks_for_the_kind(root))}",
        "any": f"{sum(map(uses_of_any, source)):,}",
        "constants": f"{len(judged_against_a_constant(root))}",
        "paths": f"{sum(all(files.values()) for files in found.values())} of {len(found)}",
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to count (default: this one)")
    parser.add_argument("--names", action="store_true", help="print what was found, not only how much")
    given = parser.parse_args()
    root = given.root.resolve()
    if given.names:
        lists = {
            "check": entered(root, "check"),
            "report": entered(root, "report", "-o", "report"),
            "kinds": asks_for_the_kind(root),
            "constants": judged_against_a_constant(root),
            "places": [
                f"{count} {id}" for count, id in sorted(places(root, list(declared_at(root))), reverse=True)[:20]
            ],
            "paths": [f"{id}: {files}" for id, files in declared_at(root).items() if not all(files.values())],
        }
        print("\n\n".join(f"{ROWS[key][0]}\n  " + "\n  ".join(rows) for key, rows in lists.items()))
        return
    print(f"{'figure':<52}{'0.1':>10}{'here':>28}{'must':>10}")
    for key, value in census(root).items():
        words, before, must = ROWS[key]
        print(f"{words:<52}{before:>10}{value:>28}{must:>10}", flush=True)


if __name__ == "__main__":
    main()
