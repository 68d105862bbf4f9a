"""Replicas come in fixed blocks, each with a generator seeded from names.

A block is the unit of work: its size and shape never depend on how many workers, how much memory or which order
a run uses, so a result is the same bits however it was run. `sum`, batched products and `randn` all change with
the number of threads or the batch, hence one torch thread per block and one shape.
"""

import hashlib
import json
import math
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

__all__ = ["block_generator", "canonical", "derive_seed", "one_thread", "pick_device"]


PLAIN = frozenset({bool, int, str, type(None)})


def canonical(value: Any) -> Any:
    """A JSON-able form of a parameter that is equal for equal values: 2, 2.0 and numpy's 2.0 all become 2."""
    if type(value) in PLAIN:  # nearly all are; asking for a Mapping is slow
        return value
    if isinstance(value, Mapping):
        return {str(k): canonical(value[k]) for k in sorted(value)}
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu().numpy()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        return [canonical(v) for v in value]
    if isinstance(value, bool) or value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return int(value) if value.is_integer() else value
    raise ValueError(f"a parameter must be a number, a string or a list of them; got {type(value).__name__}")


def derive_seed(*names: Any) -> int:
    """A 63-bit seed from names: the same names give the same seed on every machine and in every process."""
    text = json.dumps(canonical(list(names)), sort_keys=True, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def block_generator(device: torch.device, *names: Any) -> torch.Generator:
    """The generator of one block, on the block's device.

    Torch's generator on the CPU keeps the lower 32 bits of a seed: two given blocks share a stream once in 4e9 pairs.
    """
    return torch.Generator(device=device).manual_seed(derive_seed(*names))


_turn = threading.Lock()
_inside, _before = 0, 1


@contextmanager
def one_thread() -> Iterator[None]:
    """Run with one torch thread: sums and products then have one order of operations.

    Several threads of a process may be inside at once (a cluster's worker): the last one out puts the number back.
    """
    global _inside, _before
    with _turn:
        if _inside == 0:
            _before = torch.get_num_threads()
        _inside += 1
        torch.set_num_threads(1)  # by every thread: with OpenMP the number belongs to the thread that sets it
    try:
        yield
    finally:
        with _turn:
            _inside -= 1
            if _inside == 0:
                torch.set_num_threads(_before)


def pick_device(device: str = "auto") -> torch.device:
    """The device to run on: `auto` takes a GPU if there is one."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except RuntimeError:
        raise ValueError(f"device must be 'auto', 'cpu' or 'cuda' (or 'cuda:1', ...); got {device!r}") from None
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"device {device!r} is not there: this torch sees no GPU; use 'auto' or 'cpu'")
    if chosen.type not in {"cpu", "cuda"}:
        raise ValueError(f"device must be 'auto', 'cpu' or 'cuda' (or 'cuda:1', ...); got {device!r}")
    return chosen
