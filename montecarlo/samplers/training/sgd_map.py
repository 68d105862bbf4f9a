"""The weight that SGD gives an association after n sights.

Orthonormal embeddings are drawn, the gradient of the cross-entropy is taken by automatic differentiation at every sight;
measured is the coefficient of u_f e_x^T in W.
"""

import torch

from asymp.montecarlo.arguments import Positive, TwoOrMore, WholeOrZero, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.memory_training.map_weights import Written, weights_by_sight


@checked
def sample_sgd_weight(
    draw: Draw, *, gamma: Positive, M: TwoOrMore, n: WholeOrZero, q: float = 0.0, written: Written = "all"
) -> torch.Tensor:
    """The weight of an input after n sights with steps of size gamma, from the weight q on its target."""
    return weights_by_sight(draw, gamma=gamma, M=M, n=n, start=float(q), written=written, keep=[n])[n]


# orthonormal embeddings are rotations of each other, and the weights do not see them
sgd_weight_experiment = experiment("sgd-weight", sample_sgd_weight, block=4, deterministic=True)
