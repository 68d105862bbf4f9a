"""A property of a claim: at a drawn setting the simulation does not refute the law.

The judgement goes in stages, each with a seed of its own and eight times the replicas of the one before. A setting
fails only if every stage is against the law: at 1 %, at 1 %, and at what is left of the level. The stages are
independent, so their levels multiply. This costs little where the law is right, sees small discrepancies where it is
not, and needs the tails of Student's statistic only at moderate levels, at the last stage with the most replicas: at
1e-9 and a hundred skewed values they would not be right.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from asymp.montecarlo import Estimate
from asymp.montecarlo.draws import derive_seed
from asymp.reports.kinds import Statement

Cell = dict[str, Any]

REPLICAS = 128
GROWTH = 8
FIRST_BLOCKS = 4
SCREEN = (0.01, 0.01)


@dataclass(frozen=True)
class Stage:
    """One look at a setting: the replicas, the level, the p-value against the law, and the judgement in words."""

    replicas: int
    level: float
    p_value: float
    words: str

    @property
    def against(self) -> bool:
        """Whether this look is against the law."""
        return self.p_value <= self.level


def stages_against(
    part: Statement, cells: Sequence[Cell], *, level: float, replicas: int = REPLICAS, seed: int = 0
) -> list[Stage]:
    """The looks at a setting until one is not against the law; if all are, the law is refuted at `level`."""
    part = part.without_law_values()
    levels = (*SCREEN, level / (SCREEN[0] * SCREEN[1]))
    if not 0 < levels[-1] <= 0.1:
        raise ValueError(f"level must lie above 0 and at most 1e-5, or the stages have no room; got {level!r}")
    looks: list[Stage] = []
    for number, allowed in enumerate(levels):
        fresh = derive_seed("property", seed, number)
        measured = [(cell, _run(part, cell, _count(part, cell, replicas, number), fresh)) for cell in cells]
        found = part.judge(measured, level=allowed)
        looks.append(
            Stage(
                min(e.replicas for _, e in measured), allowed, found.p_value if found.could_refute else 1.0, found.words
            )
        )
        if not looks[-1].against:
            break
    return looks


def _count(part: Statement, cell: Cell, replicas: int, stage: int) -> int:
    # small blocks are those of costly simulations, or of those whose every value is an average of many
    return int(min(replicas, FIRST_BLOCKS * part.experiment.block) * GROWTH**stage)


def _run(part: Statement, cell: Cell, replicas: int, seed: int) -> Estimate:
    # A block is computed whole: take all of it. But where few are wanted, because one takes long, the block is as small:
    # another arrangement of the random numbers, the same law.
    block = part.experiment.block
    if replicas < min(block, REPLICAS):
        return replace(part.experiment, block=replicas).run(**cell, replicas=replicas, seed=seed)
    return part.experiment.run(**cell, replicas=-(-replicas // block) * block, seed=seed)
