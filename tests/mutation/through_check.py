"""A changed formula in the right one's place in the claims: does a check at `quick` refute it?

Every part whose law it is, or whose corrected law, is measured (from the store, where it is there) and judged with the
changed formula at the claim's own budget. An exponent is worked out of the changed formula; a value is computed by mpmath.
"""

from dataclasses import replace

from judge import SECONDS, TimeIsUpError, at_most, default_words, number

from asymp.reports import claims
from asymp.reports.check import BUDGET
from asymp.reports.claims import LEDGER_SIZE, index
from asymp.reports.judging import judge_parts
from asymp.reports.planning import measured_part

__all__ = ["parts_of", "refuted_by"]

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
                wrong = _mutated(part, law, mutant.expr, words)
        except (Exception, TimeIsUpError) as error:  # whatever happens to a wrong formula
            said.append(f"{id} {part.name}: not evaluated ({type(error).__name__})")
            continue
        measured = measured_part(part, preset=PRESET, seed=seed, store=store)
        outcome = judge_parts([wrong], [measured], budget=BUDGET / LEDGER_SIZE)[part.name].outcome
        if outcome == "refuted":
            return True, f"{id} {part.name}"
        said.append(f"{id} {part.name}: {outcome}")
    return False, "; ".join(said) or "no part of a claim has this law"


def _mutated(part, law, expr, words):
    """The part with the changed formula; cells with other words than it was changed for keep what the right law says."""
    cells = part.cells(PRESET, {})
    variable = part.variable_name
    if variable is not None:
        right = law.variant
        changed = replace(
            law,
            expression=lambda **given: expr if given == words else right(**given),
            numeric=None,
            exact=None,
            exponents={},
        )
        for cell in cells:
            changed.exponent(
                variable, **{k: v for k, v in part.law_values(cell).items() if k not in (variable, *words)}
            )
        # a rate is judged by its exponent; the values only draw its plot
        return replace(part, law=changed).without_law_values()
    says = {}
    for cell in cells:
        values = part.law_values(cell)
        if default_words(law, values) == words:
            numbers = {k: v for k, v in values.items() if k not in words}
            says[repr(sorted(cell.items()))] = part.factor * float(number(expr, law, numbers))
    if not says:
        raise ValueError("no cell with these words")
    return part.saying(lambda cell: says.get(repr(sorted(cell.items())), part.predicted(cell)))
