"""Mutation testing of the declared formulas: `python tests/mutation/run.py`; a few minutes, survivors are listed.

Every law has a second route: for a law that is evaluated from its formula, the oracles of the tests (direct sums,
quadrature, enumeration, printed values); for a law with a numerical function of its own, that function, which does not
use the formula. A mutant of the first kind is put in the law's place and the tests that use the law are run, fastest
first, until one fails; one of the second kind is evaluated at drawn points beside the function.
"""

import argparse
import json
import random
import signal
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from operators import MOST, mutants

TESTS = Path(__file__).resolve().parents[1]
# The files with oracles of laws.
FILES = (
    "test_formulas_1.py",
    "test_formulas_1_laws.py",
    "test_formulas_2.py",
    "test_formulas_2_items.py",
    "test_formulas_2_sizes.py",
    "test_formulas_3_exponents.py",
    "test_formulas_3_recall.py",
    "test_formulas_3_samples.py",
    "test_formulas_3_schemes.py",
    "test_formulas_4.py",
    "test_formulas_4_training.py",
    "test_formulas_5.py",
    "test_formulas_5_recall.py",
    "test_formulas.py",
    "test_missing_mass_theory.py",
    "test_optimal_storage.py",
    "test_score_moments.py",
    "test_sgd_map.py",
)
SECONDS = 20.0  # of the processor: a test that takes longer under a mutant counts as failed: the formula does not come to an end
POINTS = 6
# Formulas with a numerical function beside them agree with it to this share where both can be evaluated.
AGREE = 1e-3


class TimeIsUpError(Exception):
    """Raised in whatever runs too long."""


@contextmanager
def at_most(seconds):
    def stop(*_):
        raise TimeIsUpError(f"more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def in_place(law, expr):
    """The law with another formula for its default words, everything that was derived from the right one forgotten."""
    original = law.expression
    default = {name: law.defaults.get(name, options[0]) for name, options in law.words.items()}

    def changed(**words):
        if words == default:
            return expr
        return original(**words) if callable(original) else law_expr(original, law)

    object.__setattr__(law, "expression", changed)
    forget(law)
    try:
        yield
    finally:
        object.__setattr__(law, "expression", original)
        forget(law)


def law_expr(text, law):
    import sympy

    return sympy.sympify(text, locals=dict(law.symbols))


def forget(law):
    for name in ("_variants", "_functions"):
        law.__dict__.pop(name, None)


class Judge:
    """A pytest plugin: it runs the tests once, notes which laws each uses, then runs them again under every mutant."""

    def __init__(self, chosen, report):
        self.chosen = chosen
        self.report = report
        self.users = {}

    @pytest.hookimpl
    def pytest_runtestloop(self, session):
        from asymp.theory import laws

        self._trace(session.items)
        found = []
        for id in self.chosen:
            law = laws[id]
            for mutant in self.chosen[id]:
                killer = second_route(law, mutant) if law.numeric is not None else None
                if killer is None:
                    killer = self._killer(law, mutant)
                found.append({"law": id, "what": mutant.what, "place": mutant.place, "killer": killer})
                self.report(found[-1])
        self.found = found
        return True

    def _trace(self, items):
        from asymp.theory.law import Law

        touched, originals = set(), {}
        for name in ("__call__", "evaluate", "variant", "exponent", "_substitute"):
            originals[name] = getattr(Law, name)

            def noted(law, *args, _original=originals[name], **values):
                touched.add(law.id)
                return _original(law, *args, **values)

            setattr(Law, name, noted)
        try:
            for item in items:
                touched.clear()
                start = time.perf_counter()
                failed = self._fails(item)
                for id in touched:
                    if not failed:  # a test that fails as things are is no judge
                        self.users.setdefault(id, []).append((time.perf_counter() - start, item))
        finally:
            for name, original in originals.items():
                setattr(Law, name, original)
        for users in self.users.values():
            users.sort(key=lambda user: user[0])

    def _killer(self, law, mutant):
        with in_place(law, mutant.expr):
            for _, item in self.users.get(law.id, ()):
                if self._fails(item):
                    return item.nodeid.split("/")[-1]
        return None

    def _fails(self, item):
        from _pytest.runner import runtestprotocol

        item._initrequest()
        try:
            with at_most(SECONDS):
                reports = runtestprotocol(item, nextitem=None, log=False)
        except TimeIsUpError:
            return True
        return any(report.failed for report in reports)


def second_route(law, mutant):
    """Whether the mutated formula differs from the law's numerical function; None if it does not, or cannot be told."""
    points = reference(law)
    for values, wanted, right in points:
        if not right:
            continue
        try:
            with at_most(5):
                found = number(mutant.expr, law, values)
        except Exception as error:  # whatever happens to a wrong formula
            return f"numerical function ({type(error).__name__})"
        if not abs(found - wanted) <= 2 * AGREE * abs(wanted):
            return "numerical function"
    return None


KNOWN = {}


def reference(law):
    """Points, the numerical function there, and whether the right formula can be evaluated and agrees."""
    from hypothesis import HealthCheck, given, settings

    from asymp.reports.strategies import parameters

    if law.id in KNOWN:
        return KNOWN[law.id]
    drawn = []
    words = {name: law.defaults.get(name, options[0]) for name, options in law.words.items()}

    @settings(
        max_examples=POINTS, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(values=parameters(law, **words))
    def draw(values):
        drawn.append(values)

    draw()
    points = []
    for values in drawn:
        try:
            with at_most(5):
                wanted = float(law(**values))
                right = abs(number(law.expr, law, values) - wanted) <= AGREE * abs(wanted)
        except Exception:
            continue
        points.append((values, wanted, right))
    KNOWN[law.id] = points
    return points


def number(expr, law, values):
    import math

    import sympy

    full = {**law.defaults, **values}
    put = {
        law.symbols[k]: sympy.oo if v == math.inf else sympy.nsimplify(v) for k, v in full.items() if k in law.symbols
    }
    found = complex(expr.subs(put).doit().evalf(15))
    if abs(found.imag) > 1e-9 * abs(found):
        raise ValueError("not real")
    return found.real


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("law", nargs="*", help="ids of laws (all, if none is given)")
    parser.add_argument("--files", nargs="*", default=FILES)
    parser.add_argument("--sample", type=int, help="so many mutants at random instead of all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=MOST, help="mutants of one law")
    parser.add_argument("--output", type=Path, help="a file for one JSON line a mutant")
    given = parser.parse_args()
    from asymp.theory import laws

    chosen = {id: mutants(laws[id], given.most) for id in (given.law or laws)}
    if given.sample:
        flat = [(id, mutant) for id, made in chosen.items() for mutant in made]
        picked = random.Random(given.seed).sample(flat, min(given.sample, len(flat)))
        chosen = {id: [m for i, m in picked if i == id] for id in dict.fromkeys(id for id, _ in picked)}

    def report(row):
        if given.output:
            with given.output.open("a") as out:
                out.write(json.dumps(row) + "\n")

    judge = Judge(chosen, report)
    files = [str(TESTS / name) for name in given.files]
    pytest.main(
        [*files, "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--no-summary"], plugins=[judge]
    )
    rows = judge.found
    left = [row for row in rows if row["killer"] is None]
    for row in left:
        print(f"survived: {row['law']}: {row['what']}: {row['place']}")
    print(f"{len(rows)} mutants of {len(chosen)} laws, {len(rows) - len(left)} killed, {len(left)} survived")
    sys.exit(0 if len(left) <= 0.05 * len(rows) else 1)


if __name__ == "__main__":
    main()
