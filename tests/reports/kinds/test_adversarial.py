"""Every statement of the ledger has data that would refute it: a pass that could not have failed says nothing."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit

from asymp.montecarlo import Estimate
from asymp.montecarlo.tails import replicas_for
from asymp.reports.claims import claims
from asymp.reports.grid import groups_without
from asymp.reports.judging import judged
from asymp.reports.kinds import Bound, Capacity, Order, Rate
from asymp.reports.kinds.equality import Equality
from asymp.reports.kinds.evidence import LOOKS

LEVEL = 1e-3 / 66 / LOOKS
# Exponents of capacities whose sizes lie so close around the law that every capacity they enclose agrees with it. What their
# data can do is leave them open; wider sizes would make them refutable.
TOO_NARROW = [
    "learned-inputs:exponent",
    "factual-recall-mlp:facts-slope",
]


# Means of values of which no bounds and no kurtosis are known: they are open, whatever is measured.
UNDECLARED = [
    "attention-learnability:sharp",
    "attention-learnability:noise",
    "in-context-denoising:sharp",
]


def cases():
    """Every statement by its name."""
    for claim in claims.values():
        for part in claim.parts:
            name = f"{claim.id}:{part.name}"
            reasons = {"sizes too close around the law": TOO_NARROW, "nothing is declared of its values": UNDECLARED}
            marks = [pytest.mark.xfail(reason=why, strict=True) for why, names in reasons.items() if name in names]
            yield pytest.param(part, id=name, marks=marks)


def declared(one, params):
    """What an experiment declares at these parameters."""
    return one(**params) if callable(one) else one


def smallest(part, cells):
    """The settings at which a bound up to a constant shows its constant: the smallest size along which it is judged."""
    along = getattr(part, "along", "")
    groups = groups_without([(cell, None) for cell in cells], along) if along else []
    return [members[0][0] for _, members in groups]


def wrong_means(part, side):
    """Values above or below what the part says, at every setting, that its experiment is declared to be able to give.

    A bound up to a constant is contradicted by a trend: values on the other side where it shows its constant.
    """
    measured, rng, way = [], np.random.default_rng(0), side
    cells = part.cells("quick", {})
    first = smallest(part, cells)
    for cell in cells:
        side = -way if cell in first else way
        made, said = part.experiment, part.predicted(cell)
        low, high = declared(made.bounds, cell) or (-math.inf, math.inf)
        unit = part.unit(cell) if isinstance(part, Equality) else 1 + abs(said)
        if made.deterministic or isinstance(part, Order):
            values = np.full(1024, said + side * unit)
        elif math.isfinite(high - low):
            values = np.full(
                2**20, high if side > 0 else low
            )  # so many that even the smallest of lower bounds is refuted
        else:
            kurtosis = declared(made.kurtosis, cell)
            replicas = 64 if kurtosis is None else 4 * replicas_for(kurtosis, 1 - LEVEL / 100)
            values = said + unit * (side + 0.1 * rng.standard_normal(replicas))
        measured.append((cell, made.estimate(np.clip(values, low, high), **cell)))
    return measured


def adversarial(part):
    """Measurements that contradict the part: wrong means, another exponent, a recall that falls elsewhere or by another power."""
    if not isinstance(part, Rate | Capacity):
        yield from (wrong_means(part, side) for side in (1, -1))
        return
    rng, cells = np.random.default_rng(0), part.cells("quick", {})
    if isinstance(part, Rate):
        largest = max(float(cell[part.variable]) for cell in cells)
        for off in (0.5, -0.5):
            means = [
                (float(cell[part.variable]) / largest) ** (part.law_exponent(part.variable, cell) + off)
                for cell in cells
            ]
            drawn = [mean * (1 + 0.01 * rng.standard_normal(256)) for mean in means]
            yield [(cell, Estimate(values)) for cell, values in zip(cells, drawn, strict=True)]
        return
    groups = groups_without([(cell, None) for cell in cells], part.size)
    for falls in falling(part, groups):
        found = []
        for (_, members), fall in zip(groups, falls, strict=True):
            for cell, _ in members:
                recall = expit(logit(part.threshold) - 20 * math.log(cell[part.size] / fall))
                found.append((cell, part.experiment.estimate(rng.binomial(256, recall, 1024) / 256, **cell)))
        yield found


def falling(part, groups):
    """Where recall falls in each group of sizes: below, above, early or late in them; or by a power as far off as they enclose."""
    sizes = [sorted(float(cell[part.size]) for cell, _ in members) for _, members in groups]
    # halfway between two sizes with at least two on either side
    early = np.array([math.sqrt(some[1] * some[2]) for some in sizes])
    late = np.array([math.sqrt(some[-2] * some[-3]) for some in sizes])
    if part.variable is None:
        yield from (
            np.array([min(some) / 2 for some in sizes]),
            np.array([2 * max(some) for some in sizes]),
            early,
            late,
        )
        return
    logs = np.log([float(rest[part.variable]) for rest, _ in groups])
    place = 2 * (logs - logs.min()) / np.ptp(logs) - 1
    room = np.log(late / early).min() / 2
    for way in (1, -1):
        yield np.sqrt(early * late) * np.exp(way * room * place)


@pytest.mark.parametrize("part", list(cases()))
def test_some_data_refute_it(part):
    words = []
    for data in adversarial(part):
        found = judged(part, data, level=LEVEL)
        if found.could_refute and found.p_value <= LEVEL:
            return
        words.append(found.words)
    pytest.fail("; ".join(words))


def test_a_bound_that_nothing_can_break_is_found():
    part = next(part for part in claims["finite-memory-lower"].parts if isinstance(part, Bound))
    harmless = part.saying(lambda cell: 0.0)  # an error of at least 0
    assert not any(judged(harmless, data, level=LEVEL).could_refute for data in adversarial(harmless))
    assert any(judged(part, data, level=LEVEL).p_value <= LEVEL for data in adversarial(part))
