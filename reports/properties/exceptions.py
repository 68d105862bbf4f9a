"""What a random setting of a claim may be, where it cannot be read off the claim's grid.

By default `strategies.drawn_cells` takes the structure of a cell of the quick grid and draws its sizes over the range of
the grid, upwards to a factor of ten. Here stand the exceptions, each with its reason, which comes from the statement of
the claim or from its cost. The item errors marked STATED were restricted to the shares of lost items of which their
statements speak after settings with fewer losses had refuted the laws, which are leading orders and fail there.
"""

from asymp.reports.properties.draws_capacity import DRAWS as CAPACITY
from asymp.reports.properties.draws_scaling import DRAWS as SCALING
from asymp.reports.properties.draws_scores import DRAWS as SCORES
from asymp.reports.properties.draws_training import DRAWS as TRAINING
from asymp.reports.properties.draws_transformers import DRAWS as TRANSFORMERS
from asymp.reports.properties.exception import Draw, Draws

__all__ = ["DRAWS", "FEWER", "Draw", "draw_of"]

DRAWS: Draws = {**SCORES, **CAPACITY, **SCALING, **TRAINING, **TRANSFORMERS}

# Claims that are tried at fewer settings on every commit than the others, with the reason; the tests list them.
FEWER: dict[str, str] = {
    "induction-head": "a setting trains four transformers of two layers, three seconds; 5 would be wanted",
}


def draw_of(claim: str, part: str) -> Draw | None:
    """The exceptions of a part: its own, or those of its whole claim (part '*')."""
    return DRAWS.get((claim, part), DRAWS.get((claim, "*")))
