"""Memories of patterns of signs: Hopfield nets and dense memories, from one of their own patterns."""

import torch

from asymp.models.dense import Dense
from asymp.models.hopfield import Hopfield
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.memories.grow import crossing, sizes_between
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole

__all__ = [
    "bit_capacity_experiment",
    "bit_error_experiment",
    "fixed_patterns_experiment",
    "near_patterns_experiment",
    "sample_bit_capacity",
    "sample_bit_error",
    "sample_fixed_patterns",
    "sample_near_patterns",
    "signs",
]

AT_ONCE = 2**21
"""Bits held at once."""
PROBES = 32
GROWN = 16


def signs(shape: tuple[int, ...], *, generator: torch.Generator, device: torch.device) -> torch.Tensor:
    """Fair signs, float64: their sums are whole numbers and exact."""
    return torch.randint(2, shape, generator=generator, device=device).to(torch.float64).mul_(2).sub_(1)


def memory_of(kind: str, k: int) -> Hopfield | Dense:
    """A Hopfield net with its diagonal zero or kept, or a dense memory of degree k."""
    check_choice("kind", kind, ("zero", "kept", "dense"))
    return Dense(check_whole("k", k, low=2)) if kind == "dense" else Hopfield(diagonal=kind)


def sample_bit_error(
    *,
    d: int,
    N: int,
    kind: str = "zero",
    k: int = 2,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share of bits that change in one step from a stored pattern, averaged over a few of the patterns."""
    d, N, memory = check_whole("d", d), check_whole("N", N), memory_of(kind, k)
    asked = min(N, 8)
    parts = []
    rows = max(1, AT_ONCE // (N * d))
    for start in range(0, replicas, rows):
        patterns = signs((min(rows, replicas - start), N, d), generator=generator, device=device)
        states = patterns.narrow(1, 0, asked)
        parts.append((memory.store(patterns).step(states) != states).to(torch.float64).mean((1, 2)))
    return torch.cat(parts)


def sample_fixed_patterns(
    *,
    d: int,
    N: int,
    kind: str = "zero",
    k: int = 2,
    items: str = "one",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share of patterns, on a few of them, of which no bit changes; for items = 'all' whether that holds for all."""
    d, N, memory = check_whole("d", d), check_whole("N", N), memory_of(kind, k)
    check_choice("items", items, ("one", "all"))
    asked = N if items == "all" else min(N, PROBES)
    parts = []
    rows = max(1, AT_ONCE // (N * d))
    for start in range(0, replicas, rows):
        patterns = signs((min(rows, replicas - start), N, d), generator=generator, device=device)
        states = patterns.narrow(1, 0, asked)
        kept = (memory.store(patterns).step(states) == states).all(2)
        parts.append(kept.all(1).to(torch.float64) if items == "all" else kept.to(torch.float64).mean(1))
    return torch.cat(parts)


def sample_bit_capacity(
    *,
    d: int,
    k: int = 2,
    kind: str = "zero",
    bits: int = 16,
    low: float = 0.06,
    high: float = 1.2,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The size at which half of the patterns asked have one of their first `bits` bits changed, N = low..high x d^(k-1).

    With a fixed number of bits no logarithm of d comes in. Fields of these bits add up pattern by pattern; at k = 2 they
    are those of a Hopfield net without diagonal.
    """
    d, k, bits = check_whole("d", d), check_whole("k", k, low=2), check_whole("bits", bits, high=d)
    check_choice("kind", kind, ("zero", "dense"))
    scale = float(d) ** (k - 1)
    # as many at every d: the first crossing of a share of few comes earlier than that of many
    asked = GROWN if k == 2 else 2 * GROWN
    sizes = sizes_between(max(asked, check_number("low", low) * scale), check_number("high", high) * scale)
    chunk = max(1, AT_ONCE // max(d, asked * bits))
    found = []
    for _ in range(replicas):
        probes = signs((asked, d), generator=generator, device=device)
        field = torch.zeros((asked, bits), dtype=torch.float64, device=device)
        recalls, stored = [], 0
        for N in sizes:
            while stored < N:
                count = min(chunk, N - stored)
                # the first patterns are those that are asked about
                xi = probes.narrow(0, stored, min(count, asked - stored)) if stored < asked else None
                if xi is None:
                    xi = signs((count, d), generator=generator, device=device)
                field += _fields(xi, probes, bits, k)
                stored += len(xi)
            kept = (field * probes.narrow(1, 0, bits) >= 0).all(1)
            recalls.append(kept.to(torch.float64).mean())
        found.append(crossing(sizes, torch.stack(recalls)[:, None]))
    return torch.cat(found)


def _fields(xi: torch.Tensor, probes: torch.Tensor, bits: int, k: int) -> torch.Tensor:
    """What the patterns xi add to the fields of the first bits of the probes, as a dense memory of degree k has them."""
    s = probes @ xi.mT
    up, down = (s + 2) ** k, (s - 2) ** k
    common = (s**k - (up + down) / 2).sum(1, keepdim=True)
    return ((up - down) / 2) @ xi.narrow(1, 0, bits) + probes.narrow(1, 0, bits) * common


def sample_near_patterns(
    *,
    d: int,
    N: int,
    overlap: float = 0.9,
    steps: int = 100,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Whether the net, started at a stored pattern, ends near it: at least `overlap`, one pattern a net.

    Bits move one after the other in a random order, in sweeps, until none moves, or after `steps` sweeps: the theory
    speaks of stable states, and without a diagonal all bits at once may end in a cycle of two.
    """
    d, N = check_whole("d", d), check_whole("N", N)
    check_number("overlap", overlap)
    parts = []
    rows = max(1, AT_ONCE // (d * d))
    for start in range(0, replicas, rows):
        n = min(rows, replicas - start)
        patterns = signs((n, N, d), generator=generator, device=device)
        W = patterns.mT @ patterns
        W.diagonal(dim1=1, dim2=2).zero_()
        first = patterns.select(1, 0)
        state, field = first.clone(), (W @ first[..., None])[..., 0]
        for _ in range(steps):
            # a sweep in groups of bits: within a group the bits move at once, a few per cent of them at most
            moved = torch.zeros((), dtype=torch.bool, device=device)
            for group in torch.randperm(d, generator=generator, device=device).chunk(16):
                here = state.index_select(1, group)
                want = field.index_select(1, group)
                new = torch.where(want == 0, here, torch.sign(want))
                change = new - here
                state = state.index_copy(1, group, new)
                field = field + (W.index_select(2, group) @ change[..., None])[..., 0]
                moved = moved | (change != 0).any()
            if device.type == "cpu" and not bool(moved):
                break
        parts.append(((state * first).mean(1) >= overlap).to(torch.float64))
    return torch.cat(parts)


bit_error_experiment = experiment("bit-error", sample_bit_error, block=64)
fixed_patterns_experiment = experiment("fixed-patterns", sample_fixed_patterns, block=64, bounds=(0, 1))
bit_capacity_experiment = experiment("bit-capacity", sample_bit_capacity, block=8)
near_patterns_experiment = experiment("near-patterns", sample_near_patterns, block=16, bounds=(0, 1))
