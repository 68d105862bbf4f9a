"""Whether the values of an experiment look like independent draws: blocks that repeat, or replicas that share randomness."""

from collections.abc import Callable

import numpy as np
from scipy import special, stats

LEVEL = 1e-6
"""How often independent values are taken for dependent ones, at most, at one setting; the statement is then left open."""
REPEATED = 1e-9
"""Blocks that come out equal are an accident only if it is more probable than this."""
SUSPECT = 0.01
"""Blocks that look alike so often by chance are no fault, but nothing is decided before there are more of them."""
BLOCKS = 8
"""So many blocks are compared before values that were drawn many at once decide anything."""
FEWEST = 5
"""So many values of a block must differ from the most frequent one, on average, for the test between blocks."""


def dependence(values: np.ndarray, block: int, stream: Callable[[int], int] | None = None) -> str:
    """What is wrong with values that should be independent, in one sentence; nothing if they may be.

    `values`: in the order in which they were drawn. `block`: so many were drawn together. `stream`: the stream of random
    numbers of the block of some number, which two of many blocks may have in common by chance.
    """
    count = len(values) // block
    if count < 2 or values.min() == values.max():
        return ""
    blocks = values[: count * block].reshape(count, block)
    if _repeats(blocks) < REPEATED and (stream is None or _repeats(_of_own_streams(blocks, stream)) < REPEATED):
        return (
            "blocks of values came out equal: its sampler draws from a generator of its own, with a constant seed or one that "
            "every worker has; it must take all random numbers from `draw`"
        )
    p = _alike(blocks)
    if p < LEVEL:
        return (
            f"values of one block are more alike than those of different blocks (F test on ranks, p = {p:.1g}): its replicas "
            "share randomness and are not independent; draw everything anew for each replica, or declare block=1"
        )
    return ""


def too_few_blocks(values: np.ndarray, block: int, settings: int) -> bool:
    """Whether it is too early to say that replicas of a block share nothing; of small blocks that matters little.

    `values`, `block`: as in `dependence`. `settings`: how many are asked about.
    """
    count = len(values) // block
    if count < min(BLOCKS, block // 8):
        return True
    return count > 1 and _alike(values[: count * block].reshape(count, block)) < SUSPECT / settings


def _alike(blocks: np.ndarray) -> float:
    """The p-value against independence, where values of one block are more alike than those of others."""
    count, block = blocks.shape
    # the F test holds for means of several values that differ: a rare event twice in one block is no evidence
    _, times = np.unique(blocks, return_counts=True)
    if block * (1 - times.max() / blocks.size) < FEWEST:
        return 1.0
    ranks = stats.rankdata(blocks).reshape(blocks.shape)
    within, between = ranks.var(axis=1, ddof=1).mean(), block * ranks.mean(1).var(ddof=1)
    return float(stats.f.sf(between / within, count - 1, count * (block - 1))) if within > 0 else 0.0


def _of_own_streams(blocks: np.ndarray, stream: Callable[[int], int]) -> np.ndarray:
    """The blocks without those whose stream an earlier one has."""
    _, first = np.unique([stream(number) for number in range(len(blocks))], return_index=True)
    return blocks[np.sort(first)]


def _repeats(blocks: np.ndarray) -> float:
    """How probable it is, at most, that as many blocks of independent values come out equal as do here.

    That m of n given blocks are equal has the probability (sum of p^m)^k for blocks of k values with probabilities p;
    shares of the values stand for these, which are rather too large where values are few.
    """
    count, block = blocks.shape
    _, number, times = np.unique(blocks, return_inverse=True, return_counts=True)
    _, copies = np.unique(number.reshape(blocks.shape), axis=0, return_counts=True)
    most = int(copies.max())
    if most == 1:
        return 1.0
    choices = special.gammaln(count + 1) - special.gammaln(most + 1) - special.gammaln(count - most + 1)
    equal = block * special.logsumexp(most * np.log(times / blocks.size))
    return float(np.exp(min(0.0, choices + equal + np.log(count))))
