"""Freed memory is kept for the next array instead of going back to the system.

glibc gives a freed array of a few megabytes back at once, and the next one is paged in afresh: up to a third of the
time of a recall replica. It learns from the largest block freed so far (32 MB at most), so one untouched block,
allocated and freed, is enough; up to 64 MB then stay with the process. Other systems are not affected.
"""

from functools import cache

import torch

__all__ = ["keep_freed_memory"]

BLOCK = 31 * 2**20


@cache
def keep_freed_memory() -> None:
    """Once a process: teach the allocator to keep freed arrays."""
    block = torch.empty(BLOCK, dtype=torch.uint8)
    del block
