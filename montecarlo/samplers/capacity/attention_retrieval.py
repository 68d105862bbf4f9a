"""Softmax attention over patterns: as a gradient step, as descent, and how many patterns it tells apart."""

import math

import numpy as np
import torch
from scipy import special
from torch._subclasses.fake_tensor import FakeTensor

from asymp.models.linear import Hebbian
from asymp.models.patterns import Attention
from asymp.montecarlo.arguments import Number, Positive, TwoOrMore, Whole, batched, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.recalled_items import lost_under_noise

QUERIES = 16
CHUNK = 2**18
"""Numbers held at once."""
NODES = 60
"""Of Gauss's quadrature; half as many give the same kurtosis to twelve digits."""


@checked
def sample_retrieval_step(draw: Draw, *, d: Whole, N: Whole, beta: Positive) -> dict[str, torch.Tensor]:
    """x - grad E(x), by automatic differentiation of the energy, with the patterns xi and the query x."""
    memory = Attention(beta)
    xi, x = draw.normal((N, d)), draw.normal((1, d)).requires_grad_()
    memory.store(xi)
    (slope,) = torch.autograd.grad(memory.energy(x).sum(), x)
    at = torch.full((draw.replicas,), beta, dtype=torch.float64, device=draw.device)
    return {"measured": (x - slope)[:, 0].detach(), "xi": xi, "x": x[:, 0].detach(), "beta": at}


@checked
def sample_attention_step(
    draw: Draw, *, d: Whole, N: Whole, beta: Positive, eta: float = 1.0, relative: bool = False
) -> torch.Tensor:
    """|x - eta grad E(x) - a(x)|, the gradient by automatic differentiation of the energy, a(x) by attention.

    With `relative` over |x - a(x)|. Patterns and x have standard normal entries.
    """
    memory = Attention(beta).store(draw.normal((N, d)))
    x = draw.normal((1, d)).requires_grad_()
    (slope,) = torch.autograd.grad(memory.energy(x).sum(), x)
    with torch.no_grad():
        answer = memory.step(x)
        off = torch.linalg.vector_norm(x - eta * slope - answer, dim=-1)
        size = torch.linalg.vector_norm(x - answer, dim=-1) if relative else torch.ones_like(off)
    shares: torch.Tensor = (off / size).select(1, 0)
    return shares


@checked
def sample_attention_descent(draw: Draw, *, d: Whole, N: Whole, beta: Positive) -> torch.Tensor:
    """(E(a(x)) - E(x))/|x - a(x)|^2: what a step of attention does to the energy."""
    memory = Attention(beta).store(draw.normal((N, d)))
    x = draw.normal((1, d))
    answer = memory.step(x)
    return ((memory.energy(answer) - memory.energy(x)) / (x - answer).square().sum(-1)).select(1, 0)


@batched(lambda d, N: CHUNK // (N * max(N, d)))
def sample_attention_leak(draw: Draw, *, d: TwoOrMore, N: TwoOrMore, beta: Positive) -> torch.Tensor:
    """The weight of the other patterns over that of the right one, at a stored pattern; averaged over all of them."""
    memory = Attention(beta).store(draw.sphere((N, d)))
    own = memory.weights(memory.outputs).diagonal(dim1=1, dim2=2)
    return ((1 - own) / own).mean(1)


@batched(lambda d, N: CHUNK // (N * d))
def sample_attention_noise(draw: Draw, *, d: TwoOrMore, N: TwoOrMore, beta: Positive, s: Number) -> torch.Tensor:
    """The same at one stored pattern with noise N(0, s^2 I/d)."""
    memory = Attention(beta).store(draw.sphere((N, d)))
    noise = s / math.sqrt(d) * draw.normal((1, d))
    own = memory.weights(memory.outputs[:, :1] + noise).select(1, 0).select(1, 0)
    return (1 - own) / own


@batched(lambda: 1)
def sample_attention_linear(draw: Draw, *, d: Whole, N: TwoOrMore, s: Number) -> torch.Tensor:
    """Patterns that a step of attention, at beta = d, loses under noise N(0, s^2 I/d), over those that a linear memory loses.

    Both hold the same N patterns and see the same noisy ones, about 1024 or eight for every pattern; one is added to both
    counts.
    """
    own = torch.arange(N, device=draw.device)
    e = draw.sphere((N, d))
    return lost_under_noise(draw, Attention(float(d)).store(e), Hebbian().store(e, e, own), e, s)


@checked
def sample_attention_capacity(draw: Draw, *, d: TwoOrMore, lam: Positive, most: int = 2**26) -> torch.Tensor:
    """log N, N the number of patterns at which the others first outweigh the right one, at beta = lam d.

    Patterns are added to those that are there, up to `most`; a replica is the mean over 16 queries, which see the same
    patterns.
    """
    beta = lam * d
    values = []
    for one in draw.each():
        queries = one.sphere((QUERIES, d))
        leak = torch.zeros(QUERIES, dtype=torch.float64, device=one.device)
        found = torch.full((QUERIES,), math.nan, dtype=torch.float64, device=one.device)
        stored = 1
        while stored < most:
            count = min(max(256, stored), CHUNK // d)
            xi = one.sphere((count, d))
            sums = leak[:, None] + torch.cumsum(torch.exp(beta * (queries @ xi.mT - 1)), 1)
            over = sums > 1
            first = over.to(torch.float64).argmax(1)
            found = torch.where(over.any(1) & found.isnan(), torch.log(stored + first + 1.0), found)
            leak = sums.select(1, count - 1)
            stored += count
            if not isinstance(found, FakeTensor) and not bool(found.isnan().any()):
                break
        values.append(found.mean())
    return torch.stack(values)


retrieval_step_experiment = experiment("retrieval-step", sample_retrieval_step, block=16)
# x - eta grad E - a(x) is (1 - eta)(x - a(x)) whatever is drawn, and 0 at eta = 1
attention_step_experiment = experiment("attention-step", sample_attention_step, block=16, deterministic=True)
attention_descent_experiment = experiment("attention-descent", sample_attention_descent, block=16)


def _leak_bounds(*, d: int, N: int, beta: float) -> tuple[float, float]:
    """The weights of the N - 1 others are exp(beta (cosine - 1)) times the right one."""
    return (N - 1) * math.exp(-2 * beta), N - 1.0


attention_leak_experiment = experiment("attention-leak", sample_attention_leak, block=64, bounds=_leak_bounds)


def _noise_kurtosis(*, d: int, N: int, beta: float, s: float) -> float:
    """The exact one, by quadrature.

    Given the noise n the weights of the others are independent and alike, over that of xi_0: exp(beta (xi - xi_0).(xi_0 + n)).
    Their moments are h_k = exp(-k beta (1 + xi_0.n)) E exp(k beta xi.(xi_0 + n)), xi uniform on the sphere (a Bessel function of
    |xi_0 + n|). What is left is an integral over xi_0.n, which is normal, and over the rest of |n|^2, a gamma variable.
    """
    x, along = np.polynomial.hermite_e.hermegauss(NODES)
    t, across = special.roots_genlaguerre(NODES, (d - 3) / 2)
    shares = np.outer(along / along.sum(), across / across.sum())
    a = s / math.sqrt(d) * x[:, None]
    length, nu = np.sqrt((1 + a) ** 2 + 2 * s**2 / d * t), d / 2 - 1
    h = [np.ones_like(length)]
    for k in range(1, 5):
        r = k * beta * length
        bessel = np.log(special.ive(nu, r)) + r - nu * np.log(r / 2) + math.lgamma(d / 2)
        h.append(np.exp(bessel - k * beta * (1 + a)))
    mean = h[1]
    second = h[2] - mean**2
    third = h[3] - 3 * mean * h[2] + 2 * mean**3
    fourth = h[4] - 4 * mean * h[3] + 6 * mean**2 * h[2] - 3 * mean**4
    others = N - 1
    off = others * (mean - np.sum(shares * mean))
    variance = off**2 + others * second
    fourth = off**4 + others * (6 * off**2 * second + 4 * off * third + fourth) + 3 * others * (others - 1) * second**2
    return float(np.sum(shares * fourth) / np.sum(shares * variance) ** 2)


attention_noise_experiment = experiment(
    "attention-noise", sample_attention_noise, version=2, block=512, kurtosis=_noise_kurtosis
)
attention_linear_experiment = experiment("attention-linear", sample_attention_linear, block=4)
attention_capacity_experiment = experiment("attention-capacity", sample_attention_capacity, block=8)
