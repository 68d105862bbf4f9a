"""The property test that every part of every claim takes: at drawn settings the simulation does not refute the law."""

import time
from functools import cache

import pytest
from hypothesis import HealthCheck, assume, given, settings

from asymp.reports import claims
from asymp.reports import strategies as asymp_strategies
from asymp.reports.draws import SKIPPED, draw_of
from asymp.reports.index import INDEX, LEDGER_SIZE
from asymp.reports.properties import stages_against

__all__ = ["parts_of_section", "test_no_drawn_setting_refutes_the_law"]

# The property suite fails by chance with probability at most 5e-7: half of the 1e-6 that a whole run of the tests has.
CHANCE = 5e-7
# Examples of a part, by profile: one cell each, or all sizes of a rate or capacity. The first examples of Hypothesis
# repeat each other now and then, so 28 are asked for where 20 different ones are wanted.
EXAMPLES = {"commit": {"cell": 28, "group": 5}, "nightly": {"cell": 400, "group": 40}}
GROUPS = ("rate", "capacity")
# A part that takes longer (processor seconds) leaves out what is left of its settings, and the summary says so.
SECONDS, FEWEST = 12, 3


@cache
def parts_of_section(section):
    """(claim, part) for the claims of a section."""
    found = []
    for id, entry in INDEX.items():
        if entry.section == section:
            for part in claims[id].parts:
                reason = SKIPPED.get((id, part.name))
                marks = [pytest.mark.skip(reason=reason)] if reason else []
                found.append(pytest.param((id, part.name), id=f"{id}-{part.name}", marks=marks))
    return found or [
        pytest.param(None, marks=pytest.mark.skip(reason=f"section {section} has no claims yet"), id="none")
    ]


def examples_of(claim, part, name="commit"):
    """How many settings of a part are drawn: enough for 20 a claim even where it has nothing but rates."""
    counts = EXAMPLES[name]
    hook = draw_of(claim.id, part.name)
    if hook is not None and hook.trained:
        return counts["group"]
    if part.kind not in GROUPS:
        return counts["cell"]
    lonely = all(p.kind in GROUPS for p in claim.parts)
    return max(counts["group"], -(-counts["cell"] // len(claim.parts))) if lonely else counts["group"]


def test_no_drawn_setting_refutes_the_law(claim_part, record_property, profile_name):
    id, name = claim_part
    claim = claims[id]
    part = next(p for p in claim.parts if p.name == name)
    if part.erratum:
        # a statement that is known to be wrong is refuted somewhere; its correction must not be
        part = part.with_corrected_law()
    total = sum(examples_of(claim, p, profile_name) for p in claim.parts)
    level = CHANCE / LEDGER_SIZE / total
    seen, start, late = set(), time.process_time(), []

    @settings(max_examples=examples_of(claim, part, profile_name), suppress_health_check=list(HealthCheck))
    @given(cells=asymp_strategies.drawn_cells(id, part))
    def holds(cells):
        if profile_name == "commit" and len(seen) >= FEWEST and time.process_time() - start > SECONDS:
            late.append(cells)
            return
        try:
            for cell in cells:
                part.law.validate(**part.law_values(cell))
            looks = stages_against(part, cells, level=level)
        except (ValueError, IndexError, KeyError):
            # outside the domain of the law or of the experiment: no setting
            assume(False)
        seen.add(repr(cells))
        assert not all(look.against for look in looks) or len(looks) < 3, looks[-1].words

    holds()
    record_property("settings", [id, name, len(seen)])
    if late:
        record_property("out-of-time", f"{id} {name}: {len(late)} drawn settings were not tried")
    assert seen, "no setting of this part could be drawn"
