"""A linear memory of rank m: W = G G^T sum_x u_f(x) e_x^T, one random factor and one step on the other."""

from typing import Self

import torch
from torch import Tensor, nn

from asymp.models.linear import answers_of
from asymp.models.memory import Memory, check_associations, check_weights

__all__ = ["LowRank"]


class LowRank(Memory):
    """W = W_1^T W_2 with W_1 = G^T random and fixed, G (replicas, d_out, m), and W_2 = G^T sum_x u_f(x) e_x^T.

    W_2 is what one correlation step from zero leaves, the gradient of sum_x u_f(x) . W e_x; W itself is never formed.
    """

    def __init__(self, factor: Tensor) -> None:
        super().__init__()
        self.register_buffer("factor", check_weights("factor", factor, "replicas, d_out, m"))
        self.factor: Tensor
        self.second: nn.Parameter

    def store(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """One step on W_2."""
        targets = check_associations(inputs, outputs, targets)
        check_weights("factor", self.factor, "replicas, d_out, m", like=(len(inputs), outputs.shape[-1], None))
        self.keep(outputs)
        with torch.no_grad():
            self.second = nn.Parameter(torch.matmul(torch.matmul(answers_of(outputs, targets), self.factor).mT, inputs))
        return self

    def score(self, queries: Tensor) -> Tensor:
        """u_y . G W_2 e, m numbers a query in between."""
        hidden = torch.matmul(queries, self.second.mT)
        return torch.matmul(hidden, torch.matmul(self.outputs, self.factor).mT)
