"""A `Draw`: the one source of random numbers of a sampler, for a number of independent runs, seeded from names.

A sampler takes a `Draw` first and its own parameters as keywords, and returns one value a replica:

    def sample(draw, *, d, b):
        return d**-b * draw.uniform(0.8, 1.2)

Numbers come from one generator in the order in which they are asked for: the same calls give the same numbers.

Replicas come in fixed blocks, each with a generator of its own. A block is the unit of work: its size and shape never
depend on how many workers, how much memory or which order a run uses, so a result is the same bits however it was run.
`sum`, batched products and `randn` all change with the number of threads or the batch, hence one torch thread per block
and one shape.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from asymp.montecarlo.lazy import torch

Size = tuple[int, ...]
FEW = 4096
"""Below this many numbers seeding a second generator costs more than it saves."""
PLAIN = frozenset({bool, int, str, type(None)})


@dataclass(frozen=True, eq=False)
class Draw:
    """Random numbers for `replicas` independent runs, from one generator on one device.

    Every method returns a tensor whose first dimension counts the replicas, followed by `shape`; numbers are float64
    unless they are whole. `generator` and `device` are there for what no method draws.

    Args:
        replicas: How many values a sampler returns, one for each independent run.
        generator: The torch generator that all numbers come from.
        device: The torch device that tensors are on.
        leading: Whether tensors have the dimension of the replicas; without it there is one replica.
    """

    replicas: int
    generator: torch.Generator
    device: torch.device
    leading: bool = True

    @property
    def alone(self) -> Draw:
        """The same numbers without the dimension of the replicas: for what all replicas share, or for a single run."""
        return replace(self, replicas=1, leading=False)

    def of(self, replicas: int) -> Draw:
        """The same generator for another number of replicas."""
        return replace(self, replicas=replicas)

    def batches(self, size: int) -> Iterator[Draw]:
        """The replicas in consecutive groups of `size`, the last one smaller if need be: for work that must fit memory."""
        for start in range(0, self.replicas, size):
            yield self.of(min(size, self.replicas - start))

    def equal_batches(self, most: int) -> Iterator[Draw]:
        """The replicas in as few consecutive groups of at most `most` as will do, all of one size but the last."""
        return self.batches(math.ceil(self.replicas / math.ceil(self.replicas / most)))

    def seed(self) -> int:
        """A whole number below 2**32, another at every call, to seed what draws for itself: `jax.random.key(draw.seed())`."""
        return int(torch.empty((), dtype=torch.int64, device=self.device).random_(generator=self.generator)) % 2**32

    def numpy(self) -> np.random.Generator:
        """A generator of NumPy's, for NumPy, SciPy and scikit-learn: `draw.numpy().poisson(3, draw.replicas)`."""
        return np.random.default_rng([self.seed() for _ in range(4)])

    def each(self) -> Iterator[Draw]:
        """The replicas one by one, without their dimension."""
        for _ in range(self.replicas):
            yield self.alone

    def uniform(self, low: float = 0.0, high: float = 1.0, shape: Size | int = ()) -> torch.Tensor:
        """Uniform numbers from `low` to `high`."""
        drawn = torch.rand(self._all(shape), dtype=torch.float64, device=self.device, generator=self.generator)
        return drawn if (low, high) == (0.0, 1.0) else low + (high - low) * drawn

    def normal(self, shape: Size | int = ()) -> torch.Tensor:
        """Standard normal numbers."""
        return normals(self._all(shape), generator=self.generator, device=self.device)

    def exponential(self, shape: Size | int = ()) -> torch.Tensor:
        """Standard exponential numbers."""
        return exponentials(self._all(shape), generator=self.generator, device=self.device)

    def simplex(self, shape: Size | int) -> torch.Tensor:
        """Uniform points of the simplex in the last dimension: numbers above 0 whose sum is 1."""
        drawn = self.exponential(shape)
        return drawn / drawn.sum(-1, keepdim=True)

    def integers(self, high: int, shape: Size | int = (), *, low: int = 0) -> torch.Tensor:
        """Whole numbers from `low` to `high` - 1, all equally likely."""
        return torch.randint(low, high, self._all(shape), generator=self.generator, device=self.device)

    def signs(self, shape: Size | int = ()) -> torch.Tensor:
        """1 or -1 with equal probability, in float64: their sums are whole numbers and exact."""
        return self.integers(2, shape).to(torch.float64).mul_(2).sub_(1)

    def choice(self, probabilities: torch.Tensor | Sequence[float], shape: Size | int = ()) -> torch.Tensor:
        """Places 0, 1, ... drawn with these probabilities (which need not sum to 1), with replacement."""
        weights = torch.as_tensor(probabilities, device=self.device, dtype=torch.float64)
        edges = torch.cumsum(weights, 0)
        if not (weights.ndim == 1 and len(weights) and weights.min() >= 0 and 0 < edges[-1] < math.inf):
            raise ValueError("the probabilities of draw.choice must be numbers >= 0, of which one is above 0")
        # the last edge is left out, so that rounding in the sum cannot give a place beyond the last
        return torch.searchsorted(edges[:-1], self.uniform(0.0, float(edges[-1]), shape), right=True)

    def permutation(self, count: int) -> torch.Tensor:
        """A permutation of 0 .. count - 1, one for each replica."""
        if not self.leading:
            return torch.randperm(count, generator=self.generator, device=self.device)
        return self.uniform(shape=(count,)).argsort(-1)

    def embeddings(self, kind: str, shape: Size | int) -> torch.Tensor:
        """Random vectors along the last dimension d: 'gaussian' N(0, I/d), or 'sphere', uniform on the unit sphere."""
        drawn = self.normal(shape)
        if kind == "gaussian":
            return drawn.mul_(1 / math.sqrt(drawn.shape[-1]))
        return on_sphere(drawn)

    def gaussian(self, shape: Size | int) -> torch.Tensor:
        """Vectors along the last dimension d whose coordinates are normal with variance 1/d."""
        return self.embeddings("gaussian", shape)

    def sphere(self, shape: Size | int) -> torch.Tensor:
        """Vectors along the last dimension, uniform on the unit sphere."""
        return self.embeddings("sphere", shape)

    def zeros(self, shape: Size | int = ()) -> torch.Tensor:
        """Zeros in float64, to be filled."""
        return torch.zeros(self._all(shape), dtype=torch.float64, device=self.device)

    def _all(self, shape: Size | int) -> Size:
        own = tuple(shape) if isinstance(shape, Sequence) else (shape,)
        return (self.replicas, *own) if self.leading else own


def normals(shape: Size, *, generator: torch.Generator, device: torch.device) -> torch.Tensor:
    """Standard normals in float64; on the CPU by Box-Muller in vectorised steps, four times as fast as torch.randn.

    The uniforms have 53 bits, so values end at 8.6: the same as torch.randn in float64.
    """
    if device.type != "cpu":
        return torch.randn(shape, dtype=torch.float64, device=device, generator=generator)
    _keep_freed_memory()
    count = math.prod(shape)
    half = (count + 1) // 2
    uniform = uniforms((2, half), generator=generator, device=device)
    # 1 - U lies in (0, 1] and is exact
    radius = uniform[0].neg_().add_(1.0).log_().mul_(-2.0).sqrt_()
    angle = uniform[1].mul_(2 * math.pi)
    out = torch.empty(2, half, dtype=torch.float64, device=device)
    torch.cos(angle, out=out[0])
    torch.sin(angle, out=out[1])
    out *= radius
    return out.view(-1)[:count].view(shape)


def uniforms(shape: Size, *, generator: torch.Generator, device: torch.device) -> torch.Tensor:
    """Uniforms in [0, 1) with 53 bits; many on the CPU come from NumPy's SFC64, at 40 % of the time of torch.rand.

    SFC64 is seeded with 126 bits of the block's generator, so its state alone still decides every number.
    """
    if device.type != "cpu" or math.prod(shape) < FEW:
        return torch.rand(shape, dtype=torch.float64, device=device, generator=generator)
    return torch.from_numpy(_fast(generator).random(shape))


def exponentials(shape: Size, *, generator: torch.Generator, device: torch.device) -> torch.Tensor:
    """Standard exponential variables in float64, drawn like `uniforms`."""
    if device.type != "cpu" or math.prod(shape) < FEW:
        drawn = torch.rand(shape, dtype=torch.float64, device=device, generator=generator)
        return drawn.neg_().log1p_().neg_()
    return torch.from_numpy(_fast(generator).standard_exponential(shape))


def _fast(generator: torch.Generator) -> np.random.Generator:
    entropy = torch.empty(2, dtype=torch.int64).random_(generator=generator).tolist()
    return np.random.Generator(np.random.SFC64(entropy))


def on_sphere(rows: torch.Tensor) -> torch.Tensor:
    """The rows divided by their lengths; exactly 1 or -1 in one dimension, so that equal scores are equal in bits."""
    if rows.shape[-1] == 1:
        return torch.where(rows < 0, -1.0, 1.0).to(torch.float64)
    lengths: torch.Tensor = torch.linalg.vector_norm(rows, dim=-1, keepdim=True)
    return rows / lengths


BLOCK_THAT_TEACHES = 31 * 2**20


@cache
def _keep_freed_memory() -> None:
    """Once a process: have freed arrays kept for the next ones instead of given back to the system.

    glibc gives a freed array of a few megabytes back at once, and the next one is paged in afresh: up to a third of the
    time of a recall replica. It learns from the largest block freed so far (32 MB at most), so one untouched block,
    allocated and freed, is enough; up to 64 MB then stay with the process. Other systems are not affected.
    """
    block = torch.empty(BLOCK_THAT_TEACHES, dtype=torch.uint8)
    del block


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
