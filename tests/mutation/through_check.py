"""A changed formula in the right one's place in the claims: does a check at `quick` refute it?

Every part whose law it is, or whose corrected law, is measured (from the store, where it is there) and judged with the
changed formula at the claim's own budget. An exponent is worked out of the changed formula; a value is computed by mpmath.
A formula of arrays is evaluated on what the simulation drew, so that its statements are measured anew with the changed one.
"""

import math
from dataclasses import replace
from functools import cache

from judge import SECONDS, TimeIsUpError, at_most, default_words, number

from asymp.reports import claims
from asymp.reports.check import BUDGET
from asymp.reports.claims import LEDGER_SIZE, index
from asymp.reports.judging import judged, outcome_of
from asymp.reports.planning import measured_part
from asymp.reports.reference import reference_of

PRESET = "quick"


def parts_of(law):
    """(claim, part) wherever the law is judged as a right one."""
    found = []
    for id in index():
        for part in claims[id].parts:
            right = part.right
            if right.formula is not None and right.formula.id == law.id:
                found.append((id, right))
    return found


def refuted_by(mutant, law, words, *, seed, store):
    """What the quick checks say of a changed formula: (whether one refutes it, in words)."""
    said = []
    for id, part in parts_of(law):
        try:
            with at_most(10 * SECONDS):
                wrong = _mutated(part, law, mutant, words)
        except (Exception, TimeIsUpError) as error:  # whatever happens to a wrong formula
            said.append(f"{id} {part.name}: not evaluated ({type(error).__name__}: {str(error)[:80]})")
            continue
        try:
            # where theory evaluates the formula on the draws, the formula is part of what is measured
            measured = _measured(wrong if law.of_arrays else part, id, seed, store)
        except ValueError as error:  # a changed formula of arrays that is not finite on the draws
            said.append(f"{id} {part.name}: not evaluated ({error})")
            continue
        outcome = _outcome(wrong, measured)
        if outcome == "refuted":
            return True, f"{id} {part.name}"
        said.append(f"{id} {part.name}: {outcome}")
    return False, "; ".join(said) or "no part of a claim has this law"


def control_refuted(law, *, seed, store):
    """What the quick checks say of the wrong laws that the law's statements make themselves: (whether one is refuted, in words).

    For a law whose formula is a name: there is nothing in it to change, but its value.
    """
    said = []
    for id, part in parts_of(law):
        measured = _measured(part, id, seed, store)
        for control in part.wrong_laws():
            outcome = _outcome(control.statement(measured), measured)
            if outcome == "refuted":
                return True, f"{control.how} ({id} {part.name})"
            said.append(f"{control.how} ({id} {part.name}: {outcome})")
    return False, "; ".join(said) or "no part of a claim has this law"


def routine_refuted(law, *, seed):
    """Whether the quick checks refute a law of arrays when the routine that computes it says the contrary: (whether, in words)."""
    said = []
    contrary = replace(law, numeric=lambda **values: -law.numeric(**values))
    for id, part in parts_of(law):
        wrong = part.with_law(contrary)
        # not from a store, which knows a formula of arrays by its text and not by its routine
        outcome = _outcome(wrong, _measured(wrong, id, seed, None))
        if outcome == "refuted":
            return True, f"{id} {part.name}"
        said.append(f"{id} {part.name}: {outcome}")
    return False, "; ".join(said) or "no part of a claim has this law"


def _outcome(part, measured):
    level = BUDGET / LEDGER_SIZE
    return outcome_of(judged(part, measured, level=level), level)


MORE = 4
"""Rounds after that of the reference run that a check may take to decide the right law."""


@cache
def round_of(id, name, seed, store):
    """The round after which a check decides a statement with its right law: it begins with that of the reference run."""
    part = next(part for part in claims[id].parts if part.name == name).right
    known = reference_of(id, name)
    first = 5 if known is None or known.round is None else known.round
    for round in range(first, first + MORE):
        measured = measured_part(part, round=round, seed=seed, store=store)
        if _outcome(part, measured) != "inconclusive":
            return round
    return first + MORE


def _measured(part, id, seed, store):
    """The settings of a part with what is measured there after the round that decides it."""
    return measured_part(part, round=round_of(id, part.name, seed, store), seed=seed, store=store)


def _mutated(part, law, mutant, words):
    """The part with the changed formula; cells with other words than it was changed for keep what the right law says."""
    expr, change = mutant.expr, mutant.of_value
    if law.of_arrays:
        return part.with_law(replace(law, expression=lambda: expr, numeric=None, exact=None))
    cells = part.cells(PRESET, {})
    variable = part.variable_name
    if variable is not None:
        if variable in law.exponents:
            raise ValueError("its exponent is declared beside the formula: a check does not look at the formula")
        right = law.variant
        changed = replace(
            law,
            expression=lambda **given: expr if given == words else right(**given),
            numeric=None,
            exact=None,
        )
        for cell in cells:
            changed.exponent(
                variable, **{k: v for k, v in part.law_values(cell).items() if k not in (variable, *words)}
            )
        # a rate is judged by its exponent; the values only draw its plot
        return replace(part, law=changed).without_law_values()
    if change is not None:
        return part.saying(lambda cell: part.factor * change(part.predicted(cell) / part.factor))
    # By what the law is asked for, and not by cell: a capacity is compared with the law without its size.
    says = {}
    for cell in cells:
        values = part.law_values(cell)
        if default_words(law, values) == words and _key(values) not in says:
            numbers = {k: v for k, v in values.items() if k not in words}
            found = part.factor * float(number(expr, law, numbers))
            if not math.isfinite(found):
                raise ValueError("not finite")
            says[_key(values)] = found
    if not says:
        raise ValueError("no cell with these words")

    def wrong(cell):
        key = _key(part.law_values(cell))
        return says[key] if key in says else part.predicted(cell)

    return part.saying(wrong)


def _key(values):
    return repr(sorted(values.items()))
