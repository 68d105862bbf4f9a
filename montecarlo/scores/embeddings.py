"""Random embeddings: `gaussian` N(0, I/d), or `sphere` uniform on the unit sphere of R^d; and laws that follow.

Only rotation invariance is used: the component of an embedding along a direction chosen independently of it has the
law of its first coordinate, and U = L Q with L lower trapezoidal (Bartlett) has the law of a gaussian matrix.
"""

import math

import torch

__all__ = ["EMBEDDINGS", "component", "draw_embeddings", "factor", "length", "normals", "on_sphere"]

EMBEDDINGS = ("gaussian", "sphere")


def normals(shape: tuple[int, ...], *, generator: torch.Generator, device: torch.device) -> torch.Tensor:
    """Standard normals in float64; on the CPU by Box-Muller in vectorised steps, twice as fast as torch.randn.

    The uniforms have 53 bits, so values end at 8.6: the same as torch.randn in float64.
    """
    if device.type != "cpu":
        return torch.randn(shape, dtype=torch.float64, device=device, generator=generator)
    count = math.prod(shape)
    half = (count + 1) // 2
    uniform = torch.rand(2, half, dtype=torch.float64, device=device, generator=generator)
    radius = uniform[0].neg_().log1p_().mul_(-2.0).sqrt_()
    angle = uniform[1].mul_(2 * math.pi)
    out = torch.empty(2, half, dtype=torch.float64, device=device)
    torch.cos(angle, out=out[0])
    torch.sin(angle, out=out[1])
    out *= radius
    return out.view(-1)[:count].view(shape)


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
    rank = min(rows, d)
    L = normals((replicas, rows, rank), generator=generator, device=device).tril_(-1)
    degrees = (d - torch.arange(rank, dtype=torch.float64, device=device)) / 2
    diagonal = (2 * torch._standard_gamma(degrees.repeat(replicas, 1), generator=generator)).sqrt()
    on_diagonal = torch.arange(rows, device=device)[:, None] == torch.arange(rank, device=device)
    return torch.where(on_diagonal, diagonal[:, None, :], L)
