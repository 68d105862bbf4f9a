"""Mutation testing of the declared formulas: `.venv/bin/python tests/mutation/run.py`; survivors are listed.

Every number, sign, exponent and symbol of every law's formula is changed, one at a time, and the changed formula is
evaluated beside the law's second route (tests/theory/second_routes), which shares nothing with it. A formula that differs
there, or cannot be evaluated any more, is noticed. At least 95 % must be. A formula that is only a name is left out of the
count, and listed with the reason. With --through-check 40 so many, drawn at random (--seed), are also put in the right
law's place in the quick checks: each must be refuted there, or killed by the second route, unless its value is the same.
With --each-law every law that a statement is judged by, laws of arrays included, must have a change that they refute.
"""

import argparse
import json
import random
import sys
from pathlib import Path

import sympy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "theory"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from judge import Judge, default_words
from operators import MOST, mutants, of_the_whole
from sympy.core.function import AppliedUndef

MIRRORED = "the same value: the variable of an integral over the whole line with the other sign"
AT_JUMP = "the same value: the height of a step at the place where it goes up; the infimum is the limit from before it"
# Laws that are an infimum over an open half-line of something continuous and of steps up, which d >= 2 makes them.
STEPS_UP = {"finite-memory-upper:source"}
UNJUDGED = "no judge: the right formula cannot be evaluated where the second route has a value, or not to eight digits"


def uncounted(law, words):
    """Why a law's formula cannot be mutated meaningfully, or None."""
    expr = law.variant(**words)
    if isinstance(expr, AppliedUndef):
        return f"the formula is a name, {expr}, for a number that a routine finds"
    return None


def route_of(id):
    """What a law's formula is compared with: the law's second route, or that of the leading order which the formula is."""
    from second_routes import LEADING, ROUTES

    return LEADING.get(id, ROUTES[id])


def unseen(law, mutant, words):
    """Why a change makes no difference wherever the law is evaluated, or None."""
    for integral in mutant.expr.atoms(sympy.Integral):
        (variable, *ends), *more = integral.limits
        if not more and ends == [-sympy.oo, sympy.oo]:
            mirrored = sympy.Integral(integral.function.xreplace({variable: -variable}), integral.limits[0])
            if mutant.expr.xreplace({integral: mirrored}) == law.variant(**words):
                return MIRRORED
    if law.id in STEPS_UP and _steps(mutant.expr) == _steps(law.variant(**words)):
        return AT_JUMP
    return None


def _steps(expr):
    """A formula whose steps have the height 1 where they go up."""
    return expr.replace(
        lambda e: isinstance(e, sympy.Heaviside) and e.args[1].is_nonnegative, lambda e: sympy.Heaviside(e.args[0], 1)
    )


def chosen_words(law, route):
    """The law's own words, or those of the route's first point if it has none with these."""
    own = default_words(law)
    return (
        own if any(default_words(law, point) == own for point in route.points) else default_words(law, route.points[0])
    )


def judged(law, route, made, words):
    """A row for every mutant: what was changed, and what noticed."""
    judge = Judge(law, route, words)
    for mutant in made:
        row = {"law": law.id, "what": mutant.what, "place": mutant.place, "killer": judge.notices(mutant.expr)}
        if not judge.known:
            row |= {"killer": None, "why": UNJUDGED}
        elif row["killer"] is None and (why := unseen(law, mutant, words)):
            row["why"] = why
        yield row


def through_checks(chosen, words, store):
    """Each mutant through the quick checks of its law's claims, a line each; whether every one is refuted or killed."""
    from through_check import refuted_by

    from asymp.montecarlo.running.store import Store
    from asymp.theory import laws

    kept = None if store is None else Store(store)
    counts = {"refuted": 0, "killed by the second route": 0, "of the same value": 0, "survived": 0}
    for id, made in chosen.items():
        judge = Judge(laws[id], route_of(id), words[id])
        for mutant in made:
            refuted, said = refuted_by(mutant, laws[id], words[id], seed=0, store=kept)
            if refuted:
                outcome = "refuted"
            elif judge.notices(mutant.expr):
                outcome = "killed by the second route"
            else:
                outcome = "of the same value" if unseen(laws[id], mutant, words[id]) else "survived"
            counts[outcome] += 1
            print(f"{outcome}: {id}: {mutant.what}: {mutant.place} ({said})", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return not counts["survived"]


def each_law(ids, store):
    """For every law that a statement has, the first change of it that a quick check refutes; whether all have one."""
    from through_check import parts_of

    from asymp.montecarlo.running.store import Store
    from asymp.theory import laws

    kept = None if store is None else Store(store)
    outcomes = {}
    for id in ids:
        if not parts_of(laws[id]):
            continue
        refuted, said = first_refuted(laws[id], kept)
        outcomes[id] = refuted
        print(f"{id}: {'refuted' if refuted else 'NO CHANGE REFUTED'}: {said}", flush=True)
    print(f"{sum(outcomes.values())} of {len(outcomes)} laws of statements have a changed formula that a check refutes")
    return all(outcomes.values())


def first_refuted(law, store):
    """The first change of a law that a quick check refutes, or all that none does: (whether there is one, in words).

    Changes of the whole formula are tried, then of every place in it, also in a formula of arrays. Where the formula is a
    name for what a routine finds, or the leading order of what is judged, it is the wrong laws that the statements make
    themselves; where a routine computes a formula of arrays, it is the routine's value with the other sign.
    """
    from second_routes import LEADING
    from through_check import control_refuted, refuted_by, routine_refuted

    if law.of_arrays and law.numeric is not None:
        refuted, found = routine_refuted(law, seed=0)
        return refuted, f"sign of the routine's value ({found})"
    words = default_words(law) if law.of_arrays else chosen_words(law, route_of(law.id))
    if not law.of_arrays and (law.id in LEADING or uncounted(law, words)):
        return control_refuted(law, seed=0, store=store)
    said = []
    for mutant in (*of_the_whole(law, words), *mutants(law, MOST, words)):
        refuted, found = refuted_by(mutant, law, words, seed=0, store=store)
        said.append(f"{mutant.what}: {mutant.place} ({found})")
        if refuted:
            return True, said[-1]
    return False, "; ".join(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("law", nargs="*", help="ids of laws (all, if none is given)")
    parser.add_argument("--sample", type=int, help="so many mutants at random instead of all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=MOST, help="mutants of one law")
    parser.add_argument(
        "--through-check", type=int, metavar="N", help="so many at random, through quick checks as well"
    )
    parser.add_argument("--each-law", action="store_true", help="one refuted change of every law that a statement has")
    parser.add_argument(
        "--store", type=Path, help="where the quick checks' cells are kept (computed, if it is not given)"
    )
    parser.add_argument("--output", type=Path, help="a file for one JSON line a mutant")
    given = parser.parse_args()
    from second_routes import LEADING, ROUTES

    from asymp.theory import laws

    if given.each_law:
        sys.exit(0 if each_law(given.law or list(laws), given.store) else 1)
    of_arrays = [id for id in given.law or laws if id not in ROUTES]
    words = {id: chosen_words(laws[id], route_of(id)) for id in given.law or laws if id in ROUTES}
    left_out = dict.fromkeys(
        of_arrays, "a formula of arrays: each of its terms and signs is changed by the checks' controls"
    )
    left_out |= {id: why for id in words if (why := uncounted(laws[id], words[id]))}
    for id, why in left_out.items():
        print(f"not counted: {id}: {why}")
    chosen = {id: mutants(laws[id], given.most, words[id]) for id in words if id not in left_out}
    if given.through_check:  # the checks measure the root, of which the formula is the leading order only
        chosen = {id: made for id, made in chosen.items() if id not in LEADING}
    if wanted := given.sample or given.through_check:
        flat = [(id, mutant) for id, made in chosen.items() for mutant in made]
        picked = random.Random(given.seed).sample(flat, min(wanted, len(flat)))
        chosen = {id: [m for i, m in picked if i == id] for id in dict.fromkeys(id for id, _ in picked)}
    if given.through_check:
        sys.exit(0 if through_checks(chosen, words, given.store) else 1)
    rows = []
    for id, made in chosen.items():
        for row in judged(laws[id], route_of(id), made, words[id]):
            rows.append(row)
            if given.output:
                with given.output.open("a") as out:
                    out.write(json.dumps(row) + "\n")
    left = [row for row in rows if row["killer"] is None]
    for row in left:
        print(f"survived: {row['law']}: {row['what']}: {row['place']}" + (f" ({row['why']})" if "why" in row else ""))
    print(f"{len(rows)} mutants of {len(chosen)} laws, {len(rows) - len(left)} killed, {len(left)} survived")
    sys.exit(0 if len(left) <= 0.05 * len(rows) else 1)


if __name__ == "__main__":
    main()
