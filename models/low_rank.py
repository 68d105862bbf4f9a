"""Linear memories of rank m: one random factor and one step on the other, or two factors that a training loop finds."""

from typing import Self

import torch
from torch import Tensor, nn

from asymp.models.linear import answers_of
from asymp.models.memory import Memory, TrainedMemory, check_associations, check_weights, excess


class LowRank(Memory):
    """W = W_1^T W_2 with W_1 = G^T random and fixed, G (replicas, d_out, m), and W_2 = G^T sum_x u_f(x) e_x^T.

    W_2 is what one correlation step from zero leaves, the gradient of sum_x u_f(x) . W e_x; W itself is never formed.

    `factor`: the matrix G.
    """

    def __init__(self, factor: Tensor) -> None:
        super().__init__()
        self.register_buffer("factor", check_weights("factor", factor, "replicas, d_out, m"))
        self.factor: Tensor
        self.second: nn.Parameter

    def store(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """Hold the associations (as in `Memory.store`): one correlation step from zero sets W_2."""
        targets = check_associations(inputs, outputs, targets)
        check_weights("factor", self.factor, "replicas, d_out, m", like=(len(inputs), outputs.shape[-1], None))
        self.keep(outputs)
        with torch.no_grad():
            self.second = nn.Parameter(torch.matmul(torch.matmul(answers_of(outputs, targets), self.factor).mT, inputs))
        return self

    def score(self, queries: Tensor) -> Tensor:
        """u_y . G W_2 e for every stored output u_y and each of the `queries` e."""
        hidden = torch.matmul(queries, self.second.mT)
        return torch.matmul(hidden, torch.matmul(self.outputs, self.factor).mT)


class Factored(TrainedMemory):
    """W = A B starts at given factors, A (replicas, d_out, m) and B (replicas, m, d_in), which a loop trains.

    `left` is A and `right` is B.
    """

    def __init__(self, left: Tensor, right: Tensor) -> None:
        super().__init__()
        check_weights("left", left, "replicas, d_out, m")
        check_weights("right", right, "replicas, m, d_in", like=(len(left), left.shape[2], None))
        self.left, self.right = nn.Parameter(left), nn.Parameter(right)

    def store(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """Keep the associations that are to be learnt (as in `Memory.store`); the factors are not changed."""
        targets = check_associations(inputs, outputs, targets)
        check_weights("left", self.left, "replicas, d_out, m", like=(len(inputs), outputs.shape[-1], None))
        check_weights("right", self.right, "replicas, m, d_in", like=(len(inputs), None, inputs.shape[-1]))
        return self.learn(inputs, outputs, targets)

    def score(self, queries: Tensor) -> Tensor:
        """u_y . A B e for every stored output u_y and each of the `queries` e."""
        return torch.matmul(torch.matmul(queries, self.right.mT), torch.matmul(self.outputs, self.left).mT)

    @torch.no_grad()
    def slopes(self, scale: float = 1.0) -> dict[str, Tensor]:
        """The gradient of each replica's `cross_entropy(scale)`, by the name of the parameter."""
        hidden = torch.matmul(self.inputs, self.right.mT)
        readout = torch.matmul(self.outputs, self.left)
        over = excess(torch.matmul(hidden, readout.mT).mul_(scale), self.targets).mul_(scale)
        behind = torch.matmul(over, readout)
        return {
            "left": torch.matmul(self.outputs.mT, torch.matmul(over.mT, hidden)),
            "right": torch.matmul(behind.mT, self.inputs),
        }
