"""Memories of patterns of signs: Hopfield nets and dense memories, from one of their own patterns."""

from typing import Annotated

import torch

from asymp.models.patterns import Dense, Hopfield
from asymp.montecarlo.arguments import Number, TwoOrMore, Whole, batched, checked, one_of
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.growing_memory import Curve, sizes_between

AT_ONCE = 2**21
"""Bits held at once."""
PROBES = 32
GROWN = 16


Kind = Annotated[str, one_of("zero", "kept", "dense")]
"""A Hopfield net with its diagonal zero or kept, or a dense memory of degree k."""


def _one_step(draw: Draw, d: int, N: int, kind: str, k: int, asked: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The first patterns (replicas, asked, d) of a memory of N, before and after one step."""
    patterns = draw.signs((N, d))
    states = patterns.narrow(1, 0, asked)
    memory = Dense(k) if kind == "dense" else Hopfield(diagonal=kind)
    return states, memory.store(patterns).step(states)


@batched(lambda d, N: AT_ONCE // (N * d))
def sample_bit_error(draw: Draw, *, d: Whole, N: Whole, kind: Kind = "zero", k: TwoOrMore = 2) -> torch.Tensor:
    """The share of bits that change in one step from a stored pattern, averaged over a few of the patterns."""
    before, after = _one_step(draw, d, N, kind, k, min(N, 8))
    return (after != before).to(torch.float64).mean((1, 2))


@batched(lambda d, N: AT_ONCE // (N * d))
def sample_fixed_patterns(
    draw: Draw, *, d: Whole, N: Whole, kind: Kind = "zero", k: TwoOrMore = 2,
    items: Annotated[str, one_of("one", "all")] = "one",
) -> torch.Tensor:  # fmt: skip
    """The share of patterns, on a few of them, of which no bit changes; for items = 'all' whether that holds for all."""
    before, after = _one_step(draw, d, N, kind, k, N if items == "all" else min(N, PROBES))
    kept = (after == before).all(2)
    return kept.all(1).to(torch.float64) if items == "all" else kept.to(torch.float64).mean(1)


@checked
def sample_bit_capacity(
    draw: Draw,
    *,
    d: Whole,
    k: TwoOrMore = 2,
    kind: Annotated[str, one_of("zero", "dense")] = "zero",
    bits: int = 16,
    low: Number = 0.06,
    high: Number = 1.2,
) -> torch.Tensor:
    """The size at which half of the patterns asked have one of their first `bits` bits changed, N = low..high x d^(k-1).

    With a fixed number of bits no logarithm of d comes in. Fields of these bits add up pattern by pattern; at k = 2 they
    are those of a Hopfield net without diagonal.
    """
    bits = check_whole("bits", bits, high=d)
    scale = float(d) ** (k - 1)
    # as many at every d: the first crossing of a share of few comes earlier than that of many
    asked = GROWN if k == 2 else 2 * GROWN
    sizes = sizes_between(max(asked, low * scale), high * scale)
    chunk = max(1, AT_ONCE // max(d, asked * bits))
    found = []
    for one in draw.each():
        probes = one.signs((asked, d))
        field = torch.zeros((asked, bits), dtype=torch.float64, device=one.device)
        curve, stored = Curve(sizes), 0
        for N in sizes:
            while stored < N:
                count = min(chunk, N - stored)
                # the first patterns are those that are asked about
                xi = probes.narrow(0, stored, min(count, asked - stored)) if stored < asked else None
                if xi is None:
                    xi = one.signs((count, d))
                stored += len(xi)
                if not curve.settled:
                    field += _fields(xi, probes, bits, k)
            if curve.settled:
                continue
            kept = (field * probes.narrow(1, 0, bits) >= 0).all(1)
            curve.recalls.append(kept.to(torch.float64).mean())
        found.append(curve.capacity())
    return torch.cat(found)


def _fields(xi: torch.Tensor, probes: torch.Tensor, bits: int, k: int) -> torch.Tensor:
    """What the patterns xi add to the fields of the first bits of the probes, as a dense memory of degree k has them."""
    s = probes @ xi.mT
    up, down = (s + 2) ** k, (s - 2) ** k
    common = (s**k - (up + down) / 2).sum(1, keepdim=True)
    return ((up - down) / 2) @ xi.narrow(1, 0, bits) + probes.narrow(1, 0, bits) * common


bit_error_experiment = experiment("bit-error", sample_bit_error, block=64, bounds=(0.0, 1.0))
fixed_patterns_experiment = experiment("fixed-patterns", sample_fixed_patterns, block=64, bounds=(0, 1))
bit_capacity_experiment = experiment("bit-capacity", sample_bit_capacity, block=8)
