"""A lookup layer: one ReLU neuron for every stored input, which fires only near it."""

from typing import Self

import torch
from torch import Tensor, nn

from asymp.models.linear import answers_of
from asymp.models.memory import Memory, check_associations


class LookupMLP(Memory):
    """F(e) = sum over stored x of u_f(x) relu(e_x . e - b), N hidden units; the answer is argmax_y u_y . F(e).

    `b`: the threshold of the neurons, between 0 and 1.
    """

    def __init__(self, b: float = 0.5) -> None:
        super().__init__()
        if not 0 < b < 1:
            raise ValueError(f"b must lie in (0, 1), the bias of the neurons; got {b!r}")
        self.b = float(b)
        self.first: nn.Parameter
        self.second: nn.Parameter

    def store(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """Hold the associations (as in `Memory.store`): the inputs become the first layer, their outputs the second."""
        targets = check_associations(inputs, outputs, targets)
        self.keep(outputs)
        self.first = nn.Parameter(inputs.detach().clone())
        self.second = nn.Parameter(answers_of(outputs, targets).detach().clone())
        return self

    def hidden(self, queries: Tensor) -> Tensor:
        """The hidden units relu(e_x . e - b) for each of the `queries` e, (replicas, queries, N)."""
        return torch.relu(torch.matmul(queries, self.first.mT) - self.b)

    def score(self, queries: Tensor) -> Tensor:
        """u_y . F(e) for every stored output u_y and each of the `queries` e."""
        return torch.matmul(torch.matmul(self.hidden(queries), self.second), self.outputs.mT)
