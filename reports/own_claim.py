"""`claim(...)`, by which users declare claims of their own."""

from collections.abc import Sequence

from asymp.montecarlo import Experiment
from asymp.reports.claim import Claim
from asymp.reports.claims import index, registered
from asymp.reports.kinds import Setting
from asymp.reports.kinds.declare import declare
from asymp.theory import Law


def claim(
    id: str,
    *,
    law: Law,
    experiment: Experiment,
    kind: str,
    variable: str | None = None,
    margin: float | None = None,
    title: str = "",
    grid: Sequence[Setting] | None = None,
    families: Sequence[str] = ("power", "corrected", "floor", "log"),
    size: str | None = None,
    threshold: float = 0.5,
) -> Claim:
    """Declare a claim of your own: one law and one experiment, judged by kind.

    `kind` is 'rate' (the exponent in `variable`), 'identity' or 'constant' (equality within a relative margin at every
    point of the grid), 'bound' (the law's relation, <= or >=), 'order' (the same, run by run) or 'capacity' (the largest
    `size` of the grid at which the experiment's mean is at least `threshold`, or its exponent in `variable`). Without a
    grid, sizes are spread over the typical range of `variable` with the others in the middle of theirs. `families` is the
    class of laws over which an exponent's interval holds.

    `id`: the name by which it is checked. `title`: the statement in words.
    """
    if not isinstance(id, str) or not id:
        raise ValueError(f"a claim's id must be a non-empty string; got {id!r}")
    if id in index():
        raise ValueError(f"{id!r} is a claim of the ledger; give yours another id")
    text = title
    if not text and isinstance(law, Law):
        text = f"{law.quantity} {law.relation} {law.expression if isinstance(law.expression, str) else id}"
    only = declare(
        kind,
        id=id,
        law=law,
        experiment=experiment,
        text=text,
        variable=variable,
        margin=margin,
        grid=grid,
        families=tuple(families),
        size=size,
        threshold=threshold,
    )
    made = Claim(id=id, parts=(only,), title=title or id, source=str(law.source), parameters=tuple(law.domain))
    registered[id] = made
    return made
