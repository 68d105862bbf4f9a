"""Laws that follow from random embeddings: `gaussian` N(0, I/d), or `sphere` uniform on the unit sphere of R^d.

Only rotation invariance is used: the component of an embedding along a direction chosen independently of it has the
law of its first coordinate, and U = L Q with L lower trapezoidal (Bartlett) has the law of a gaussian matrix.
"""

import torch

from asymp.montecarlo.draws import Draw, on_sphere

EMBEDDINGS = ("gaussian", "sphere")


def length(draw: Draw, kind: str, shape: tuple[int, ...], d: int) -> torch.Tensor:
    """Lengths of embeddings in R^d: chi_d/sqrt(d), or 1."""
    if kind == "sphere":
        return torch.ones_like(draw.zeros(shape))
    return (chi_square(draw, shape, d) / d).sqrt()


def component(draw: Draw, kind: str, shape: tuple[int, ...], d: int) -> torch.Tensor:
    """Components of embeddings in R^d along a fixed direction."""
    first = draw.normal(shape)
    if kind == "gaussian":
        return first.mul_(d**-0.5)
    if d == 1:
        return on_sphere(first[..., None])[..., 0]
    return first / (first * first + chi_square(draw, shape, d - 1)).sqrt()


def chi_square(draw: Draw, shape: tuple[int, ...], degrees: int) -> torch.Tensor:
    """Chi-square variables, at a cost that does not grow with the degrees of freedom."""
    return 2 * torch._standard_gamma(draw.zeros(shape).add_(degrees / 2), generator=draw.generator)


def factor(draw: Draw, rows: int, d: int) -> torch.Tensor:
    """L (replicas, rows, min(rows, d)), lower trapezoidal, with L Q of the law of a standard normal rows x d matrix.

    Q has orthonormal rows and is not needed: L L^T is the Gram matrix. L_ii = chi_{d-i} (i from 0), normals below.
    """
    return triangles(draw.normal((rows, min(rows, d))), d, generator=draw.generator)


def triangles(drawn: torch.Tensor, d: int, *, generator: torch.Generator) -> torch.Tensor:
    """The matrices of `factor` in the place of normals (replicas, rows, min(rows, d)): chi variables on the diagonal."""
    L = drawn.tril_(-1)
    degrees = (d - torch.arange(L.shape[2], dtype=torch.float64, device=L.device)) / 2
    squares = torch._standard_gamma(degrees.expand(len(L), -1), generator=generator)
    L.diagonal(dim1=1, dim2=2).add_(squares.mul_(2.0).sqrt_())
    return L
