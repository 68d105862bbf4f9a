"""What a random setting of a claim may be, where it cannot be read off the claim's grid.

By default `strategies.drawn_cells` takes the structure of a cell of the quick grid and draws its sizes over the range of
the grid, upwards to a factor of ten. Here stand the exceptions, each with its reason, which comes from the statement of
the claim or from its cost. One does not: the item errors marked LOSSY were given fuller memories after drawn settings
in which nothing was lost had refuted right laws. The judge was at fault and is mended; the ranges are not yet put back.
"""

from asymp.reports.properties.draws_capacity import DRAWS as CAPACITY
from asymp.reports.properties.draws_scaling import DRAWS as SCALING
from asymp.reports.properties.draws_scores import DRAWS as SCORES
from asymp.reports.properties.draws_training import DRAWS as TRAINING
from asymp.reports.properties.draws_transformers import DRAWS as TRANSFORMERS
from asymp.reports.properties.exception import Draw, Draws

__all__ = ["DRAWS", "FEWER", "SKIPPED", "Draw", "draw_of"]

DRAWS: Draws = {**SCORES, **CAPACITY, **SCALING, **TRAINING, **TRANSFORMERS}

# Parts for which no settings are drawn, with the reason; the tests list them as skipped.
SKIPPED: dict[tuple[str, str], str] = {}

# Claims that are tried at fewer settings on every commit than the others, with the reason; the tests list them.
FEWER: dict[str, str] = {
    "best-linear": "d alone is drawn, a whole number from 4 on, and whether a matrix exists takes seconds at d = 32",
    "listwise": "whether a matrix exists takes most of a second a setting at the smallest sizes",
    "induction-head": "a setting trains eight transformers of each kind, ten seconds",
    "induction-probes": "a setting trains eight transformers, some seconds",
    "hallucination-phase": "a setting integrates the flow of training, seconds",
}


def draw_of(claim: str, part: str) -> Draw | None:
    """The exceptions of a part: its own, or those of its whole claim (part '*')."""
    return DRAWS.get((claim, part), DRAWS.get((claim, "*")))
