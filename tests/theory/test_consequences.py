"""What is said to follow from a law is looked for among sizes drawn at random, with nothing of the order calculus."""

import random

import numpy as np
import pytest
import sympy

from asymp.theory import law, laws

SIZES = ("d", "T", "N")
LETTERS = {name: sympy.Symbol(name, positive=True) for name in (*SIZES, "Q")}
RELATIONS = {
    ">>": lambda gap: gap > 1e-9,
    "<<": lambda gap: gap < -1e-9,
    ">~": lambda gap: gap > -1e-9,
    "<~": lambda gap: gap < 1e-9,
}
POINTS = 20_000


def formula(draw, depth, letters):
    if depth == 0:
        return draw.choice(letters) if draw.random() < 0.9 else "2"
    a, b = (formula(draw, depth - 1, letters) for _ in range(2))
    power = draw.choice(("2", "(1/2)", "(-1)", "(2/3)"))
    forms = (f"({a} + {b})", f"({a} + {b})", f"Min({a}, {b})", f"Max({a}, {b})", f"({a}*{b})", f"({a}/{b})")
    return draw.choice((*forms, f"({a})**{power}"))


def log_of(expr, at):
    """The order of a positive formula at logarithms of sizes, as arrays."""
    if expr.is_Symbol:
        return at[expr.name]
    if expr.is_number:
        return np.zeros(POINTS)
    parts = [log_of(part, at) for part in expr.args]
    if expr.is_Mul:
        return sum(parts)
    if expr.is_Pow:
        return parts[0] * float(expr.exp)
    return np.minimum.reduce(parts) if isinstance(expr, sympy.Min) else np.maximum.reduce(parts)


def comparison(draw, letters):
    return formula(draw, draw.choice((0, 1, 1)), letters), draw.choice(tuple(RELATIONS)), formula(draw, 1, letters)


def holds(compared, at):
    left, relation, right = (
        sympy.sympify(text, locals=LETTERS) if text not in RELATIONS else text for text in compared
    )
    return RELATIONS[relation](log_of(left, at) - log_of(right, at))


@pytest.mark.parametrize("seed", range(40))
def test_no_sizes_contradict_what_is_said_to_follow(seed):
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    text = "2"
    while len(sympy.sympify(text, locals=LETTERS).free_symbols) < 2:
        text = formula(draw, draw.choice((1, 2)), SIZES)
    expr, relation = sympy.sympify(text, locals=LETTERS), draw.choice((">~", "<~"))
    used = sorted(symbol.name for symbol in expr.free_symbols)
    declared = law("own", str(expr), relation=relation, quantity="Q", params=dict.fromkeys(used, (2, "oo")))
    at = {name: numbers.exponential(size=POINTS) * numbers.integers(1, 8, POINTS) for name in SIZES}
    at["Q"] = log_of(expr, at) + numbers.normal(size=POINTS) * numbers.choice((0, 0.05, 3), POINTS)
    law_holds = RELATIONS[relation](at["Q"] - log_of(expr, at))
    asked = 0
    while asked < 6:
        given = [comparison(draw, used) for _ in range(draw.choice((0, 1, 2)))]
        other = comparison(draw, (*used, "Q", "Q", "1/T" if "T" in used else "2") if draw.random() < 0.7 else used)
        enough = draw.random() < 0.5
        try:
            found = (declared.enough if enough else declared.implies)(" ".join(other), given=list(map(" ".join, given)))
        except ValueError as error:
            assert "no sizes have all that is given" in str(error)
            continue
        asked += 1
        supposed = np.logical_and.reduce([np.ones(POINTS, bool), *(holds(one, at) for one in given)])
        against = supposed & (holds(other, at) & ~law_holds if enough else ~holds(other, at) & law_holds)
        for more in [[], *([text.split()] for text in found.follows_if)]:
            if more or found.holds:
                left = against & np.logical_and.reduce([np.ones(POINTS, bool), *(holds(one, at) for one in more)])
                assert not left.any(), (text, relation, enough, other, given, found)


LETTERED = {  # letters with a sign to decide, and their ranges
    "exact-recall-error:binary": {"alpha": (0.3, 3), "rho": (0.05, 2)},
    "power-scheme:source": {"alpha": (1.1, 3), "rho": (0.05, 2)},
    "threshold-scheme:best": {"alpha": (1.1, 3), "rho": (0.05, 2)},
    "joint-law": {"alpha": (1.1, 3)},
    "attention-learnability": {},
}


@pytest.mark.parametrize("id", list(LETTERED))
def test_at_any_letters_and_sizes_exactly_one_regime_of_a_law_holds(id):
    numbers = np.random.default_rng(1)
    regimes = laws[id].regimes()
    sizes = sorted({size for regime in regimes for size in regime.exponents})
    for _ in range(60):
        letters = {name: numbers.uniform(*ends) for name, ends in LETTERED[id].items()}
        logs = {name: numbers.exponential() for name in sizes}
        assert sum(all(_true(c, letters, logs) for c in regime.conditions) for regime in regimes) == 1, (letters, logs)


def _true(condition, letters, logs):
    left, relation, right = condition.partition(" > ") if " > " in condition else condition.rpartition(" >> ")
    if not relation:
        right, relation, left = condition.partition(" << ")
    names = {name: sympy.Symbol(name, positive=True) for name in (*letters, *logs)}
    left, right = (
        sympy.sympify(side, locals=names).subs({names[n]: v for n, v in letters.items()}) for side in (left, right)
    )
    if relation == " > ":
        return left > right
    logged = sympy.expand_log(sympy.log(left) - sympy.log(right), force=True)
    return logged.subs({sympy.log(names[n]): v for n, v in logs.items()}) > 0
