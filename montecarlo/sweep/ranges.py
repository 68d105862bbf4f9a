"""Arithmetic of block ranges [first, last): what is covered, what is missing, which shard owns what."""

from collections.abc import Iterable
from itertools import pairwise

__all__ = ["Range", "cover", "cut", "gaps", "meet", "stripes"]

Range = tuple[int, int]
MOST_STRIPES = 8  # pieces of one setting that shards share: more would make thousands of tiny files


def cover(ranges: Iterable[Range], blocks: int) -> list[Range]:
    """The fewest of the ranges that cover as much of [0, blocks) as all of them do; they may overlap."""
    chosen: list[Range] = []
    waiting = sorted(ranges)
    reached, i = 0, 0
    while i < len(waiting) and reached < blocks:
        best: Range | None = None
        while i < len(waiting) and waiting[i][0] <= reached:
            if waiting[i][1] > reached and (best is None or waiting[i][1] > best[1]):
                best = waiting[i]
            i += 1
        if best is not None:
            chosen.append(best)
            reached = best[1]
        elif i < len(waiting):
            reached = waiting[i][0]
    return chosen


def gaps(ranges: Iterable[Range], blocks: int) -> list[Range]:
    """What of [0, blocks) the ranges leave out."""
    missing, reached = [], 0
    for first, last in sorted(ranges):
        if first > reached:
            missing.append((reached, min(first, blocks)))
        reached = max(reached, last)
        if reached >= blocks:
            break
    if reached < blocks:
        missing.append((reached, blocks))
    return [r for r in missing if r[0] < r[1]]


def cut(piece: Range, size: int) -> list[Range]:
    """A range in pieces of at most `size` blocks."""
    first, last = piece
    return [(at, min(at + size, last)) for at in range(first, last, size)]


def meet(ranges: Iterable[Range], others: Iterable[Range]) -> list[Range]:
    """What two sets of ranges have in common."""
    common = [(max(a, c), min(b, d)) for a, b in ranges for c, d in others]
    return sorted(r for r in common if r[0] < r[1])


def stripes(blocks: int, number: int) -> list[Range]:
    """[0, blocks) in at most `number` nearly equal pieces, at most eight: shards own these, whatever they cost."""
    pieces = min(blocks, number, MOST_STRIPES)
    edges = [blocks * i // pieces for i in range(pieces + 1)]
    return list(pairwise(edges))
