"""The property test that every part of every claim takes: at drawn settings the simulation does not refute the law."""

import hashlib
import math

import pytest
from hypothesis import HealthCheck, assume, given, seed, settings
from support.stages import REPLICAS, stages_against

from asymp.reports import claims
from asymp.reports.claims import LEDGER_SIZE, index
from asymp.reports.kinds.evidence import Undeclared
from asymp.reports.testing import strategies as asymp_strategies

# The property suite fails by chance with probability at most 5e-7: half of the 1e-6 that a whole run of the tests has.
CHANCE = 5e-7
# Examples of a part, by profile: one cell each, or all sizes of a rate or capacity, or the training of models. More are
# asked for than the 20 different ones that are wanted, since some repeat others.
EXAMPLES = {
    "commit": {"cell": 28, "group": 3, "trained": 6},
    "nightly": {"cell": 400, "group": 40, "trained": 20},
}
# On a commit the parts of a claim share this many examples of one cell, and each has at least as many as the second says.
SHARED, LEAST = 30, 12


PARTS = [
    pytest.param((id, part.name), id=f"{id}-{part.name}", marks=pytest.mark.xdist_group(id))
    for id in index()
    for part in claims[id].parts
]


def examples_of(claim, part, profile="commit"):
    """How many settings of a part are drawn: as many as its exception says, or else by its kind."""
    hook = part.draw
    if hook is not None and hook.examples is not None and profile == "commit":
        return hook.examples
    others = sharing(claim, part)
    if others and profile == "commit":
        return max(LEAST, math.ceil(SHARED / len(others)))
    counts = EXAMPLES[profile]
    if hook is not None and hook.trained:
        return counts["trained"]
    return counts["cell" if part.across is None else "group"]


def sharing(claim, part):
    """The parts of one cell an example that share the claim's settings, this one included; none if it has its own."""
    hooks = {p.name: p.draw for p in claim.parts if p.across is None}
    alike = [name for name, hook in hooks.items() if hook is None or (hook.examples is None and not hook.trained)]
    return alike if part.name in alike and len(alike) > 1 else []


def seed_of(id, name):
    """A seed of its own for each part, so that parts of equal ranges draw different settings.

    Without it Hypothesis would derive one from the text of the test: an edit here would draw other settings everywhere.
    """
    return int.from_bytes(hashlib.sha256(f"{id} {name}".encode()).digest()[:8], "big")


@pytest.mark.parametrize("claim_part", PARTS)
def test_no_drawn_setting_refutes_the_law(claim_part, record_property, profile_name):
    id, name = claim_part
    claim = claims[id]
    part = next(p for p in claim.parts if p.name == name)
    if part.erratum:
        # a statement that is known to be wrong is refuted somewhere; its correction must not be
        part = part.with_corrected_law()
    hook = part.draw
    if examples_of(claim, part, profile_name) == 0:
        pytest.skip(f"{id} {name}: {hook.reason}")
    replicas = hook.replicas if hook is not None and hook.replicas is not None else REPLICAS
    total = sum(examples_of(claim, p, profile_name) for p in claim.parts)
    level = CHANCE / LEDGER_SIZE / total
    seen, outside = set(), []

    @settings(max_examples=examples_of(claim, part, profile_name), suppress_health_check=list(HealthCheck))
    @given(cells=asymp_strategies.drawn_cells(part))
    def holds(cells):
        drawn = hashlib.sha256(repr(cells).encode()).hexdigest()[:12]
        if drawn in seen:
            return  # the first examples of Hypothesis repeat each other now and then
        try:
            for cell in cells:
                part.validate(cell)
            looks = stages_against(part, cells, level=level, replicas=replicas)
        except Undeclared:
            pytest.skip(f"{id} {name}: no bound on the tails of its values is known, so that nothing is judged")
        except ValueError as error:
            # outside the domain of the law or of the experiment: no setting
            outside.append(f"{error}")
            assume(False)
        seen.add(drawn)
        assert not (len(looks) >= 3 and all(look.against for look in looks)), looks[-1].words

    (seed(seed_of(id, name))(holds) if profile_name == "commit" else holds)()
    record_property("settings", [id, name, sorted(seen)])
    if outside:
        record_property("outside", f"{id} {name}: {len(outside)} draws, the last because {outside[-1]}")
    assert seen, "no setting of this part could be drawn"
