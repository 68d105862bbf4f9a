"""Random embeddings: `gaussian` N(0, I/d), or `sphere` uniform on the unit sphere of R^d; and laws that follow.

Only rotation invariance is used: the component of an embedding along a direction chosen independently of it has the
law of its first coordinate, and U = L Q with L lower trapezoidal (Bartlett) has the law of a gaussian matrix.
"""

import math

import numpy as np
import torch

from asymp.montecarlo.scores.heap import keep_freed_memory

__all__ = [
    "EMBEDDINGS",
    "component",
    "draw_embeddings",
    "exponentials",
    "factor",
    "length",
    "normals",
    "on_sphere",
    "triangles",
    "uniforms",
]

EMBEDDINGS = ("gaussian", "sphere")
FEW = 4096
"""Below this many draws seeding a second generator costs more than it saves."""


def normals(shape: tuple[int, ...], *, generator: torch.Generator, device: torch.device) -> torch.Tensor:
    """Standard normals in float64; on the CPU by Box-Muller in vectorised steps, four times as fast as torch.randn.

    The uniforms have 53 bits, so values end at 8.6: the same as torch.randn in float64.
    """
    if device.type != "cpu":
        return torch.randn(shape, dtype=torch.float64, device=device, generator=generator)
    keep_freed_memory()
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


def uniforms(shape: tuple[int, ...], *, generator: torch.Generator, device: torch.device) -> torch.Tensor:
    """Uniforms in [0, 1) with 53 bits; many on the CPU come from NumPy's SFC64, at 40 % of the time of torch.rand.

    SFC64 is seeded with 126 bits of the block's generator, so its state alone still decides every draw.
    """
    if device.type != "cpu" or math.prod(shape) < FEW:
        return torch.rand(shape, dtype=torch.float64, device=device, generator=generator)
    return torch.from_numpy(_fast(generator).random(shape))


def exponentials(shape: tuple[int, ...], *, generator: torch.Generator, device: torch.device) -> torch.Tensor:
    """Standard exponential variables in float64."""
    if device.type != "cpu" or math.prod(shape) < FEW:
        drawn = torch.rand(shape, dtype=torch.float64, device=device, generator=generator)
        return drawn.neg_().log1p_().neg_()
    return torch.from_numpy(_fast(generator).standard_exponential(shape))


def _fast(generator: torch.Generator) -> np.random.Generator:
    entropy = torch.empty(2, dtype=torch.int64).random_(generator=generator).tolist()
    return np.random.Generator(np.random.SFC64(entropy))


def draw_embeddings(
    kind: str, shape: tuple[int, ...], *, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """Embeddings along the last axis, of length d = shape[-1]."""
    drawn = normals(shape, generator=generator, device=device)
    if kind == "gaussian":
        return drawn.mul_(1 / math.sqrt(shape[-1]))
    return on_sphere(drawn)


def on_sphere(rows: torch.Tensor) -> torch.Tensor:
    """The rows divided by their lengths; exactly 1 or -1 in one dimension, so that equal scores are equal in bits."""
    if rows.shape[-1] == 1:
        return torch.where(rows < 0, -1.0, 1.0).to(torch.float64)
    lengths: torch.Tensor = torch.linalg.vector_norm(rows, dim=-1, keepdim=True)
    return rows / lengths


def length(
    kind: str, shape: tuple[int, ...], d: int, *, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """Lengths of embeddings in R^d: chi_d/sqrt(d), or 1."""
    if kind == "sphere":
        return torch.ones(shape, dtype=torch.float64, device=device)
    return (chi_square(shape, d, generator=generator, device=device) / d).sqrt()


def component(
    kind: str, shape: tuple[int, ...], d: int, *, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """Components of embeddings in R^d along a fixed direction."""
    first = normals(shape, generator=generator, device=device)
    if kind == "gaussian":
        return first.mul_(d**-0.5)
    if d == 1:
        return on_sphere(first[..., None])[..., 0]
    return first / (first * first + chi_square(shape, d - 1, generator=generator, device=device)).sqrt()


def chi_square(
    shape: tuple[int, ...], degrees: int, *, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """Chi-square variables, at a cost that does not grow with the degrees of freedom."""
    shapes = torch.full(shape, degrees / 2, dtype=torch.float64, device=device)
    return 2 * torch._standard_gamma(shapes, generator=generator)


def factor(replicas: int, rows: int, d: int, *, generator: torch.Generator, device: torch.device) -> torch.Tensor:
    """L (replicas, rows, min(rows, d)), lower trapezoidal, with L Q of the law of a standard normal rows x d matrix.

    Q has orthonormal rows and is not needed: L L^T is the Gram matrix. L_ii = chi_{d-i} (i from 0), normals below.
    """
    drawn = normals((replicas, rows, min(rows, d)), generator=generator, device=device)
    return triangles(drawn, d, generator=generator)


def triangles(drawn: torch.Tensor, d: int, *, generator: torch.Generator) -> torch.Tensor:
    """The matrices of `factor` in the place of normals (replicas, rows, min(rows, d)): chi variables on the diagonal."""
    L = drawn.tril_(-1)
    degrees = (d - torch.arange(L.shape[2], dtype=torch.float64, device=L.device)) / 2
    squares = torch._standard_gamma(degrees.expand(len(L), -1), generator=generator)
    L.diagonal(dim1=1, dim2=2).add_(squares.mul_(2.0).sqrt_())
    return L
