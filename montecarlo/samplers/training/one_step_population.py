"""One gradient step from W = 0 on a population with Zipf frequencies and orthonormal embeddings.

The loss is written out and differentiated once; measured is the coefficient of u_k e_x^T in W after the step.
"""

import torch

from asymp.montecarlo.arguments import Whole, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.gradients import population_gradient
from asymp.montecarlo.samplers.one_step import Output
from asymp.montecarlo.samplers.zipf import zipf_law


@checked
def sample_one_step_weight(
    draw: Draw, *, N: Whole, M: Whole, x: Whole, alpha: float, eta: float = 1.0, output: Output = "target"
) -> torch.Tensor:
    """The coefficient of u_k e_x^T in W after a population step, p(x) ~ x^-alpha; orthonormal embeddings read it off."""
    if not (x <= N and M >= 2):
        raise ValueError(f"x must be at most N={N} and M at least 2; got x={x}, M={M}")
    d = max(N, M)
    bases = [torch.linalg.qr(draw.gaussian((d, d)))[0][:, :count].contiguous() for count in (N, M)]
    p, targets = zipf_law(float(alpha), N, draw.device), torch.arange(1, N + 1, device=draw.device) % M
    W = -float(eta) * population_gradient(draw.zeros((d, d)), bases[1], bases[0], targets, p)
    k = (x + (output == "other")) % M
    return torch.einsum("rd,rde,re->r", bases[1][:, k], W, bases[0][:, x - 1])


# orthonormal embeddings are rotations of each other, and the coefficients do not see them
one_step_weight_experiment = experiment("one-step-weight", sample_one_step_weight, block=4, deterministic=True)
