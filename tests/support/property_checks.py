"""The property test that every part of every claim takes: at drawn settings the simulation does not refute the law."""

import time
from functools import cache

import pytest
from hypothesis import HealthCheck, assume, given, settings

from asymp.reports import claims
from asymp.reports import strategies as asymp_strategies
from asymp.reports.draws import SKIPPED, draw_of
from asymp.reports.index import INDEX, LEDGER_SIZE
from asymp.reports.properties import REPLICAS, stages_against

__all__ = ["parts_of_section", "test_no_drawn_setting_refutes_the_law"]

# The property suite fails by chance with probability at most 5e-7: half of the 1e-6 that a whole run of the tests has.
CHANCE = 5e-7
# Examples of a part, by profile: one cell each, or all sizes of a rate or capacity. The first examples of Hypothesis
# repeat each other now and then, so 28 are asked for where 20 different ones are wanted.
EXAMPLES = {"commit": {"cell": 28, "group": 5}, "nightly": {"cell": 400, "group": 40}}
GROUPS = ("rate", "capacity")
# A part that takes longer (processor seconds) leaves out what is left of its settings, and the summary says so.
SECONDS, FEWEST = 2, 1


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


# The ranges of the others' parts have not been gone through one by one, and their settings take too long.
COMMIT_SECTIONS = (1, 3)
NIGHTLY = ("fill-scheme", "seen-s-times", "fill-is-best", "error-map")
# Experiments of which one block takes seconds, or a flow minutes at drawn sizes: drawn in the nightly profile only.
DEAR = (
    "induction-accuracy",
    "induction-gap",
    "probe-order",
    "training-runs",
    "training-ratio",
    "sgd-against-map",
    "trained",
    "learning-time",
    "plateau-loss",
    "conserved-drift",
)


def first_look(part, cells):
    """Processor seconds that the first look at a setting takes, from one block of its first cell."""
    start = time.process_time()
    block = part.experiment.block
    part.experiment.run(**cells[0], replicas=block, seed=1)
    blocks = -(-min(REPLICAS, part.replicas_at("quick", cells[0])) // block)
    return (time.process_time() - start) * blocks * len(cells)


def test_no_drawn_setting_refutes_the_law(claim_part, record_property, profile_name):
    id, name = claim_part
    claim = claims[id]
    part = next(p for p in claim.parts if p.name == name)
    if profile_name == "commit" and (INDEX[id].section not in COMMIT_SECTIONS or id in NIGHTLY):
        record_property("settings-skipped", id)
        pytest.skip(f"settings of {id} are drawn with ASYMP_HYPOTHESIS_PROFILE=nightly only: all claims' take too long")
    if profile_name == "commit" and part.experiment.id.startswith(DEAR):
        record_property("settings-skipped", id)
        pytest.skip(f"one setting of {id} {name} trains many models: ASYMP_HYPOTHESIS_PROFILE=nightly draws them")
    if part.erratum:
        # a statement that is known to be wrong is refuted somewhere; its correction must not be
        part = part.with_corrected_law()
    total = sum(examples_of(claim, p, profile_name) for p in claim.parts)
    level = CHANCE / LEDGER_SIZE / total
    seen, start, late, failed = set(), time.process_time(), [], set()

    @settings(max_examples=examples_of(claim, part, profile_name), suppress_health_check=list(HealthCheck))
    @given(cells=asymp_strategies.drawn_cells(id, part))
    def holds(cells):
        # A setting that failed is tried again whatever the time, so that Hypothesis sees it fail again.
        over = time.process_time() - start > SECONDS and repr(cells) not in failed and (len(seen) >= FEWEST or late)
        if profile_name == "commit" and over:
            late.append(cells)
            return
        try:
            for cell in cells:
                part.law.validate(**part.law_values(cell))
            if profile_name == "commit" and repr(cells) not in failed and first_look(part, cells) > SECONDS:
                late.append(cells)
                return
            looks = stages_against(part, cells, level=level)
        except (ValueError, IndexError, KeyError):
            # outside the domain of the law or of the experiment: no setting
            assume(False)
        seen.add(repr(cells))
        against = len(looks) >= 3 and all(look.against for look in looks)
        if against:
            failed.add(repr(cells))
        assert not against, looks[-1].words

    holds()
    if late and not seen:
        record_property("settings-skipped", id)
        pytest.skip(f"a setting of {id} {name} takes over {SECONDS} s: ASYMP_HYPOTHESIS_PROFILE=nightly draws them")
    record_property("settings", [id, name, len(seen)])
    if late:
        record_property("out-of-time", f"{id} {name}: {len(late)} drawn settings were not tried")
    assert seen, "no setting of this part could be drawn"
