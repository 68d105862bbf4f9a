"""How fast every law is: `.venv/bin/python benchmarks/law_speed.py [LAW...]`; a few minutes for all of them.

Points are drawn from a law's typical range with every parameter drawn at once (no two points share a parameter's value
but by chance), the words of a law in turn. A closed form shall do a million points in about a second, a sum, an integral
or an iteration ten thousand. What cannot is an exemption with its reason. A law whose constant is dear is also timed as it
is used: many sizes, few different values of the other parameters.
"""

import argparse
import json
import math
import sys
import time
from itertools import product

import numpy as np

CLOSED, ITERATED = "closed form", "iterated"
WANTED = {CLOSED: 1_000_000, ITERATED: 10_000}
ABOUT = 1.5  # seconds of the processor: "about a second"
SEED = 3
# Laws whose cost a point is inherent, with the reason and the points a second they shall still reach.
RANDOMISED = "an integral in some hundred dimensions, to 1e-3 a point (1e-2 with samples); asymp.theory.recall_error"
EXEMPT: dict[str, tuple[float, str]] = dict.fromkeys(
    ("exact-recall-error", "exact-recall-error:item", "power-scheme", "threshold-scheme", "fill-scheme", "error-map"),
    (0.1, RANDOMISED),
)
# Laws with a constant that is dear, with the variable it does not depend on: the full speed is wanted where the other
# parameters have FEW different values, and so many points a second where all of them differ.
CONSTANT = (
    "a constant of its own for every (alpha, rho, M), M integrals of a parabolic cylinder function; kept once computed"
)
SHARED: dict[str, tuple[str, float, str]] = {"power-scheme:asymptotic": ("d", 50.0, CONSTANT)}
FEW = 16


# The formula is a number, but the domain is a root: below the crossover.
DOMAIN_IS_A_ROOT = {"fill-is-best:below"}


def kind(law):
    """Whether a law is a closed form or a sum, an integral, a root or an iteration."""
    import sympy
    from sympy.core.function import AppliedUndef

    words = {name: options[0] for name, options in law.words.items()}
    heads = (sympy.Sum, sympy.Product, sympy.Integral, AppliedUndef, sympy.hyper)
    # A law with a 50-digit routine of its own is not what its formula's leading terms say, but what they approximate.
    if law.id in DOMAIN_IS_A_ROOT:
        return ITERATED
    return ITERATED if law.exact is not None or law.variant(**words).has(*heads) else CLOSED


def draw(law, size, words, generator):
    """Values of every parameter at `size` points inside the domain and the conditions, drawn as the strategies draw."""
    from asymp.reports.testing.strategies import SIZES, SPAN

    kept = {}
    for _ in range(200):
        values = {}
        for name, domain in law.domain.items():
            if domain.kind == "choice":
                continue
            default = law.defaults.get(name)
            if name in law.typical:
                low, high = law.typical[name]
                if low > 0 and (domain.kind == "integer" or name in SIZES):
                    high = max(high, min(SPAN * low, domain.high))
            elif default is not None:
                values[name] = np.full(size, float(default))
                continue
            else:
                low = domain.low if np.isfinite(domain.low) else -1.0
                high = domain.high if np.isfinite(domain.high) else max(low, 1.0) * SPAN
            share = generator.random(size)
            drawn = low * (high / low) ** share if low > 0 and high >= SPAN * low else low + (high - low) * share
            drawn = np.round(drawn) if domain.kind == "integer" else drawn
            # an open end is rounding away
            inside = domain._inside(drawn)
            values[name] = np.where(inside, drawn, drawn[inside][0] if inside.any() else drawn)
        good = np.ones(size, dtype=bool)
        for condition in law.conditions:
            good &= np.broadcast_to(condition.holds({**values, **words}), size)
        for name, entries in values.items():
            kept[name] = np.concatenate([kept[name], entries[good]]) if name in kept else entries[good]
        if not values or len(next(iter(kept.values()))) >= size:
            break
    return {name: entries[:size] for name, entries in kept.items()}


def word_choices(law):
    """Every combination of the words of a law."""
    return [dict(zip(law.words, chosen, strict=True)) for chosen in product(*law.words.values())]


def repeated(values, moving):
    """The points with all parameters but one from the first FEW of them."""
    return {k: v if k == moving else v[np.arange(v.size) % FEW] for k, v in values.items()}


def seconds(law, goal, *, longest=20.0, moving=None):
    """Seconds for `goal` points, the slowest words; from fewer points where all would take longer than `longest`.

    With `moving`, a parameter, the others have a few different values only.
    """
    worst = 0.0
    for words in word_choices(law):
        generator = np.random.default_rng(SEED)
        size, compiled = 1, False
        while True:
            values = draw(law, size, words, generator)
            if moving:
                values = repeated(values, moving)
            start = time.process_time()
            law(**values, **words)
            took = time.process_time() - start
            if not compiled:  # the first call compiles and imports
                compiled = True
                if took < 20.0:
                    continue
            # Few points may be slow where many share tables: no verdict before some seconds.
            slow = took * goal / size > longest and took > 2.0
            if slow or size >= goal:
                # Once more, at new points: tables made once for all points are no cost of a point.
                values = draw(law, size, words, generator)
                if moving:
                    values = repeated(values, moving)
                start = time.process_time()
                law(**values, **words)
                took = min(took, time.process_time() - start)
                slow = took * goal / size > longest and took > 2.0
            if slow or size >= goal:
                break
            size = min(goal, size * 8 if took < 0.05 else int(size * max(2.0, 0.25 / took)))
        worst = max(worst, took * goal / size)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("law", nargs="*", help="ids of laws (all, if none is given)")
    parser.add_argument("--json", action="store_true", help="one JSON line a law")
    parser.add_argument("--worst", type=int, help="only so many, slowest for their kind first")
    given = parser.parse_args()
    from asymp.theory import laws

    rows = []
    for id in given.law or laws:
        law = laws[id]
        goal = WANTED[kind(law)]
        try:
            took = seconds(law, goal)
        except Exception as error:  # a law that fails at a typical point is a finding, not the end of the table
            print(f"{id}: {type(error).__name__}: {error}", file=sys.stderr)
            took = float("inf")
        rate = goal / took
        limit, reason = EXEMPT.get(id, (goal / ABOUT, ""))
        if id in SHARED:
            moving, limit, reason = SHARED[id]
            shared = goal / seconds(law, goal, moving=moving)
            reason += f"; {shared:,.0f} points a second where only {moving} differs"
            limit = limit if shared >= goal / ABOUT else math.inf
        row = {"law": id, "kind": kind(law), "seconds": took, "rate": rate, "reached": rate >= limit, "exempt": reason}
        rows.append(row)
        if given.json:
            print(json.dumps(row), flush=True)
    if not given.json:
        for row in sorted(rows, key=lambda row: -row["seconds"])[: given.worst]:
            said = f"exempt: {row['exempt']}" if row["exempt"] else "" if row["reached"] else "MISSED"
            print(f"{row['law']:42} {row['kind']:11} {row['rate']:14,.0f} points a second  {said}".rstrip())
    missed = [row["law"] for row in rows if not row["reached"]]
    exempt = sum(bool(row["exempt"]) for row in rows)
    print(f"{len(rows)} laws: {len(rows) - len(missed)} reach what is wanted ({exempt} of them an exempt rate)")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
