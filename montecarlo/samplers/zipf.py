"""Exact sampling of the Zipf law p(x) = C x^-alpha on 1..N, N finite or infinite.

T samples are drawn as counts on a head 1..H and as sorted inputs beyond it, at a cost that hardly grows with T:

- the head's counts (and the number of samples in each tail) are multinomial: a tree of binomials halves the range at
  each level, so that H leaves cost H binomial draws whatever T is;
- the tail's samples are order statistics. If V is uniform, -log of the n largest of n uniforms is the running sum
  of E_j/(n - j), j = 0, 1, ... with E_j exponential (Renyi), so samples come out sorted, without a sort, in chunks of
  any size, and equal inputs are neighbours.

A uniform V becomes an input by inverting the tail sum. With R(y) = sum over k >= 0 of (y + 1/2 + k)^-alpha and
I(y) = y^(1-alpha)/(alpha-1), the midpoint Euler-Maclaurin formula gives I(Y) = R(y) for Y = y + alpha/(24 y) + ...;
Y has a Pareto law, whose inverse is elementary, and the series is inverted to order Y^-5. Inputs start at y >= 32,
where the first neglected term moves a boundary between two inputs by less than 1e-11 of their distance (alpha <= 4).

What double precision does to very large inputs: the boundaries between inputs are resolved to about
x log(x) 2^-52/(alpha-1) of their distance, so that p of a single input beyond 10^10 is rough but p of any longer
range is right. Beyond 2^53 inputs are rounded to the doubles; beyond 10^308 (at alpha near 1) they are infinite and
their p is 0. Such inputs are told apart correctly up to coincidences of doubles, each of which can change a sum of p
over distinct inputs by at most p(2^53) < 2e-16. No sum over inputs is truncated: the tail's mass is added as a whole.

Which inputs occur among T samples, at a cost that does not depend on T: the coupon collector, run by new coupons.

Let the samples come at the points of a Poisson process. Input x first comes at a time E_x/p(x) with E_x exponential,
independently of the others, so the order of these times is the order in which the inputs are first seen. Given that
order, the number of samples from one new input to the next is geometric, with the probability R of the inputs not seen
so far, independently of all else: 1 + floor(E/-log(1 - R)), E exponential. An input is seen if the samples up to its
first occurrence are at most T. Counts, which schemes with rho > 0 need, are not drawn; they cost several times more.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch

from asymp.montecarlo.draws import Draw

LEAST_EDGE = 32
"""The smallest y at which the series between y and Y is used."""


def power_integral(alpha: float, low: float, high: float) -> float:
    """The integral of t^-alpha from low to high (high may be infinite if alpha > 1)."""
    if high == math.inf:
        return float(low ** (1 - alpha) / (alpha - 1))
    ratio = math.log(high / low)
    if alpha == 1:
        return ratio
    return float(low ** (1 - alpha) * math.expm1((1 - alpha) * ratio) / (1 - alpha))


def tail_edge(alpha: float, y: float) -> float:
    """Y with I(Y) = R(y): the point from which the integral equals the sum from y + 1/2 on (y >= 32)."""
    if y == math.inf:
        return y
    a, t = alpha, 1 / (y * y)
    c1 = a / 24
    c3 = -a * (2 * a * a + 21 * a + 14) / 5760
    c5 = a * (16 * a**4 + 454 * a**3 + 2961 * a * a + 4650 * a + 2232) / 2903040
    return y * (1 + t * (c1 + t * (c3 + t * c5)))


def zipf_total(alpha: float, N: float) -> float:
    """The sum of x^-alpha over 1..N (alpha > 1 if N is infinite): 1/C."""
    head = int(min(N, 4096))
    total = math.fsum((np.arange(1, head + 1, dtype=np.float64) ** -alpha).tolist())
    if head < N:
        total += power_integral(alpha, tail_edge(alpha, head + 0.5), tail_edge(alpha, N + 0.5))
    return total


def zipf_law(alpha: float, N: int, device: torch.device | None = None) -> torch.Tensor:
    """p(x) ~ x^-alpha on x = 1..N, as a tensor that sums to one."""
    p = torch.arange(1, N + 1, dtype=torch.float64, device=device) ** -alpha
    return p / p.sum()


@dataclass(frozen=True)
class ZipfTail:
    """The inputs x > H with x mod M = c, for c = 0..M-1, as laws of their own; a mass is a plain sum of x^-alpha."""

    alpha: float
    M: int
    offset: np.ndarray
    """x = M (k + offset), k whole: the class as an offset in (0, 1]."""
    low: np.ndarray
    high: np.ndarray
    """Y at the two ends."""
    last: np.ndarray
    """The largest k."""
    mass: np.ndarray

    def inputs(self, depth: torch.Tensor) -> torch.Tensor:
        """The inputs at V = exp(-depth), V uniform, increasing in depth; the last axis but one is the class."""

        def column(values: np.ndarray) -> torch.Tensor:
            return torch.as_tensor(values[:, None], dtype=torch.float64, device=depth.device)

        a = self.alpha
        low = column(self.low)
        if self.high[0] == math.inf:
            Y = low * torch.exp(depth / (a - 1))
        elif a == 1:
            # t^-1 has the logarithm for its integral; 1 - V = -expm1(-depth) is uniform too
            Y = low * torch.exp(-torch.expm1(-depth) * column(np.log(self.high / self.low)))
        else:
            # (Y/low)^(1-alpha) = V (1 - r) + r with r = (high/low)^(1-alpha), by the form that does not cancel
            power = (1 - a) * np.log(self.high / self.low)
            rest = -np.expm1(power)
            if rest[0] > 0.5:
                logs = torch.log(torch.exp(-depth) * column(rest) + column(np.exp(power)))
            else:
                logs = torch.log1p(torch.expm1(-depth) * column(rest))
            Y = low * torch.exp(logs / (1 - a))
        inverse = 1 / Y
        t = inverse * inverse
        c1 = a / 24
        c3 = -a * (a + 2) * (2 * a + 7) / 5760
        c5 = a * (a + 4) * (16 * a**3 + 222 * a * a + 729 * a + 558) / 2903040
        y = Y - inverse * (c1 + t * (c3 + t * c5))
        offset = column(self.offset)
        k = torch.floor(y + 0.5 - offset)
        k = torch.minimum(torch.maximum(k, column(self._first())), column(self.last))
        return self.M * (k + offset)

    def _first(self) -> np.ndarray:
        first: np.ndarray = np.round(self.low - self.offset + 0.5 - self.alpha / (24 * self.low))
        return first


def zipf_tail(alpha: float, H: int, N: float, M: int = 1) -> ZipfTail:
    """The tails x > H of the Zipf law on 1..N by class x mod M; needs H >= 33 M, and N >= H + M."""
    if H < (LEAST_EDGE + 1) * M or N < H + M:
        raise ValueError(f"H must be at least {LEAST_EDGE + 1} M and at most N - M; got H = {H}, M = {M}, N = {N}")
    residue = np.arange(M, dtype=np.float64)
    residue[0] = M
    offset = residue / M
    first = np.floor((H - residue) / M) + 1
    last = np.full(M, math.inf) if math.isinf(N) else np.floor((N - residue) / M)
    low = np.array([tail_edge(alpha, y) for y in first + offset - 0.5])
    high = np.array([tail_edge(alpha, y) for y in last + offset + 0.5])
    mass = np.array([power_integral(alpha, a, b) for a, b in zip(low, high, strict=True)]) * float(M) ** -alpha
    return ZipfTail(alpha, M, offset, low, high, last, mass)


def binomial(count: torch.Tensor, chance: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Binomial draws, one for each element of `count`."""
    return torch.binomial(count, chance.clamp(0.0, 1.0).expand_as(count), generator=generator)


def multinomial_counts(weights: np.ndarray, totals: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Counts (replicas, len(weights)) of `totals` (replicas,) independent draws from weights/sum(weights).

    Level by level a range's count is split between its halves by one binomial draw.
    """
    width = 1 << max(0, (len(weights) - 1).bit_length())
    sums = [np.concatenate([np.asarray(weights, dtype=np.float64), np.zeros(width - len(weights))])]
    while len(sums[-1]) > 1:
        sums.append(sums[-1][0::2] + sums[-1][1::2])
    counts = totals.to(torch.float64)[:, None]
    for whole, halves in zip(sums[:0:-1], sums[-2::-1], strict=True):
        left = np.divide(halves[0::2], whole, out=np.zeros_like(whole), where=whole > 0)
        drawn = binomial(counts, torch.as_tensor(left, device=counts.device), generator)
        counts = torch.stack([drawn, counts - drawn], dim=-1).flatten(1)
    return counts[:, : len(weights)]


def slots(T: int, mass: float) -> int:
    """How many samples of T a range of probability `mass` can hold: exceeded with probability < 1e-30 (Bernstein).

    A fixed number keeps every shape independent of the draws, so nothing is copied to the host on the way.
    """
    mean = T * mass
    return min(T, math.ceil(mean + 23.1 + math.sqrt(533.0 + 138.6 * mean)))


def seen_inputs(draw: Draw, p: torch.Tensor, T: float) -> torch.Tensor:
    """1 where an input occurs among T samples from p (which sums to one), else 0: float64, (replicas, len(p))."""
    drawn = draw.alone.exponential((2, draw.replicas, len(p)))
    # the latest first: running sums are then the probabilities still unseen, without cancellation
    order = _argsort(p / drawn[0])
    unseen = p.expand(draw.replicas, -1).gather(1, order).cumsum(1).clamp_(max=1.0)
    # minus the waits, so that log(1 - R) needs no change of sign: minus infinity at R = 0
    waits = drawn[1].div_(unseen.neg_().log1p_()).ceil_().sub_(1.0)
    taken = waits.flip(1).cumsum(1).flip(1)
    # an input of probability zero has an infinite wait (or, at 0/0, none: NaN, which is not >= -T either)
    return torch.zeros_like(taken).scatter_(1, order, taken.ge_(-T))


def _argsort(keys: torch.Tensor) -> torch.Tensor:
    # NumPy's sort of short rows is five times as fast; equal keys have probability zero
    if keys.device.type == "cpu":
        return torch.from_numpy(keys.numpy().argsort(axis=1))
    return keys.argsort(dim=1)
