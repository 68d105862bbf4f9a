"""What a refactoring must not change, as three files: verdicts, laws and public names.

    python benchmarks/oracle.py write DIR [--claims ID ...] [--rounds 3] [--workers 2]
    python benchmarks/oracle.py compare OLD_DIR NEW_DIR

`write` checks every claim at seed 0 for so many rounds (verdicts.json: outcomes and their numbers; never a limit of time,
with which a verdict would depend on the machine), evaluates every law at the points of its second route to 30 digits
(laws.json) and lists the public names (names.json). A statement of which the reference run could not finish a first round,
or whose first round takes more than `--seconds`, is left out, and named. `compare` prints what differs; numbers count as equal
within 1e-9 of themselves, since a sum may be taken in another order.
"""

import argparse
import json
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("theory", "models", "montecarlo", "reports")


def rounds_of(claim, rounds, seconds):
    """The rounds of each statement of a claim: none if its first one takes longer than a limit, or than anybody knows."""
    from asymp.reports.reference import reference_of

    first = {part.name: getattr(reference_of(claim.id, part.name), "first_round", 0.0) for part in claim.parts}
    return {name: rounds if cost is not None and cost <= seconds else 0 for name, cost in first.items()}


def verdicts(ids, workers, rounds, seconds):
    """Every verdict and its numbers after some rounds at seed 0."""
    from asymp.reports import check, claims
    from asymp.reports.serialise import clean, verdict_view

    told = {}
    for id in ids or claims:
        allowed = rounds_of(claims[id], rounds, seconds)
        data = clean(verdict_view(check(id, rounds=allowed, seed=0, executor=workers)))
        for part in data["parts"]:
            if not allowed[part["name"]]:
                print(f"left out, too dear: {id} {part['name']}", flush=True)
                continue
            told[f"{data['claim']} {part['name']}"] = {
                "outcome": part["outcome"],
                "expected": part["expected"],
                "p_value": part["p_value"],
                "seen": part["smallest_discrepancy"],
                "needed": part["replicas_needed"],
                "margin": part["margin"],
                "cells": [
                    [c["params"], c["predicted"], c["mean"], c["low"], c["high"], c["replicas"]] for c in part["cells"]
                ],
            }
    return told


def laws_in_digits():
    """Every law at the points of its second route, to 30 digits or to what it has."""
    sys.path.insert(0, str(ROOT / "tests" / "theory"))
    import mpmath
    from second_routes import ROUTES

    from asymp.theory import laws

    told = {}
    for id in laws:
        for point in ROUTES[id].points if id in ROUTES else ():
            try:
                value = mpmath.nstr(laws[id].evaluate(**point, digits=30), 30)
            except ValueError:
                value = repr(laws[id](**point))
            told[f"{id} {point}"] = value
    return told


def names():
    """The public names of the packages."""
    from importlib import import_module

    from asymp.reports import claims
    from asymp.theory import laws

    told = {package: sorted(import_module(f"asymp.{package}").__all__) for package in PACKAGES}
    return {
        **told,
        "laws": list(laws),
        "claims": list(claims),
        "parts": {id: [p.name for p in claims[id].parts] for id in claims},
    }


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("write", "compare"))
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--claims", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one processor, for a statement's first round")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", choices=("verdicts", "laws", "names"))
    given = parser.parse_args()
    if given.action == "compare":
        sys.exit(compare(*map(Path, given.folders)))
    folder = Path(given.folders[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in (
        ("names", names),
        ("laws", laws_in_digits),
        ("verdicts", lambda: verdicts(given.claims, given.workers, given.rounds, given.seconds)),
    ):
        if given.only in (None, name):
            (folder / f"{name}.json").write_text(json.dumps(make(), indent=1, sort_keys=True))
            print("wrote", folder / f"{name}.json", flush=True)


def compare(old, new):
    """Print every difference; 1 if there is any."""
    differences = 0
    for name in ("names", "laws", "verdicts"):
        if not ((old / f"{name}.json").exists() and (new / f"{name}.json").exists()):
            print(f"{name}: not in both folders, left out")
            continue
        before, after = (json.loads((folder / f"{name}.json").read_text()) for folder in (old, new))
        lines = list(differing(before, after, name))
        differences += len(lines)
        print(f"{name}: {len(before)} entries before, {len(after)} after, {len(lines)} differences")
        for line in lines[:200]:
            print("  " + line)
    return 1 if differences else 0


def differing(before, after, path):
    """Where two pieces of plain data differ, in words."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before | after:
            if key not in after:
                yield f"{path} / {key}: gone"
            elif key not in before:
                yield f"{path} / {key}: new"
            else:
                yield from differing(before[key], after[key], f"{path} / {key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (b, a) in enumerate(zip(before, after, strict=True)):
            yield from differing(b, a, f"{path} [{i}]")
    elif before != after and not close(before, after):
        yield f"{path}: {before} became {after}"


def close(before, after):
    """Whether two numbers are the same but for rounding."""
    if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in (before, after)):
        return False
    return math.isclose(before, after, rel_tol=1e-9, abs_tol=1e-300)


if __name__ == "__main__":
    main()
