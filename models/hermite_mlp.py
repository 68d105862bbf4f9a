"""A layer of m neurons with Hermite activation in the kernel regime: frozen directions, one correlation step.

F(e) = (1/m) sum over neurons i of v_i s'(w_i . e)(d_i . e), d_i = sum_x (v_i . u_f(x)) s'(w_i . e_x) e_x: what a step of the
input weights, from w_i, adds to an MLP v_i s(w_i . e) whose activation is s = He_k, to first order in the step.
"""

import math
from typing import Self

import torch
from torch import Tensor, nn

from asymp.models.linear import answers_of
from asymp.models.memory import Memory, check_associations, check_integer, check_weights


def hermite(x: Tensor, degree: int) -> Tensor:
    """The Hermite polynomial He_degree(x)/sqrt(degree!), which has variance one where x is a standard normal number."""
    before, now = torch.zeros_like(x), torch.ones_like(x)
    for n in range(degree):
        before, now = now, x * now - n * before
    return now / math.sqrt(math.factorial(degree))


class HermiteMLP(Memory):
    """A layer of m neurons whose activation is a Hermite polynomial.

    `directions`: the w_i, (replicas, m, d_in). `values`: the v_i, (replicas, m, d_out). `k`: the degree, at least 1.
    """

    def __init__(self, directions: Tensor, values: Tensor, *, k: int = 2) -> None:
        super().__init__()
        check_integer("k", k, 1, what=", the degree of the activation")
        check_weights("directions", directions, "replicas, m, d_in")
        check_weights("values", values, "replicas, m, d_out", like=(*directions.shape[:2], None))
        self.k = k
        self.register_buffer("directions", directions)
        self.register_buffer("values", values)
        self.directions: Tensor
        self.values: Tensor
        self.moved: nn.Parameter

    def slope(self, inputs: Tensor) -> Tensor:
        """s'(w_i . e) for each of the `inputs` e, (replicas, inputs, m), with s' = He_(k-1)/sqrt((k-1)!)."""
        return hermite(torch.matmul(inputs, self.directions.mT), self.k - 1)

    def store(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """Hold the associations (as in `Memory.store`): one correlation step sets the d_i, (replicas, m, d_in)."""
        targets = check_associations(inputs, outputs, targets)
        check_weights("directions", self.directions, "replicas, m, d_in", like=(len(inputs), None, inputs.shape[-1]))
        check_weights("values", self.values, "replicas, m, d_out", like=(len(inputs), None, outputs.shape[-1]))
        self.keep(outputs)
        with torch.no_grad():
            weight = torch.matmul(answers_of(outputs, targets), self.values.mT).mul_(self.slope(inputs))
            self.moved = nn.Parameter(torch.matmul(weight.mT, inputs))
        return self

    def score(self, queries: Tensor) -> Tensor:
        """u_y . F(e) for every stored output u_y and each of the `queries` e."""
        hidden = self.slope(queries) * torch.matmul(queries, self.moved.mT) / self.moved.shape[1]
        return torch.matmul(torch.matmul(hidden, self.values), self.outputs.mT)
