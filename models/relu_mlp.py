"""A ReLU layer whose two matrices a training loop finds: argmax_y u_y . W_1 relu(W_2^T e)."""

from typing import Self

import torch
from torch import Tensor, nn

from asymp.models.memory import TrainedMemory, check_associations, check_weights, excess


class ReluMLP(TrainedMemory):
    """A network of one hidden layer with m ReLU units, which starts at given weights.

    `first`: the weights of the hidden layer, W_2^T, (replicas, m, d_in). `second`: those of the output, W_1,
    (replicas, d_out, m). `bias`: the biases of the hidden units, (replicas, m), or None for none.
    """

    def __init__(self, first: Tensor, second: Tensor, bias: Tensor | None = None) -> None:
        super().__init__()
        check_weights("first", first, "replicas, m, d_in")
        check_weights("second", second, "replicas, d_out, m", like=(len(first), None, first.shape[1]))
        if bias is not None:
            check_weights("bias", bias[..., None], "replicas, m, 1", like=(*first.shape[:2], 1))
        self.first, self.second = nn.Parameter(first), nn.Parameter(second)
        self.bias = None if bias is None else nn.Parameter(bias)

    def store(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """Keep the associations that are to be learnt (as in `Memory.store`); the weights are not changed."""
        targets = check_associations(inputs, outputs, targets)
        check_weights("first", self.first, "replicas, m, d_in", like=(len(inputs), None, inputs.shape[-1]))
        check_weights("second", self.second, "replicas, d_out, m", like=(len(inputs), outputs.shape[-1], None))
        return self.learn(inputs, outputs, targets)

    def score(self, queries: Tensor) -> Tensor:
        """u_y . W_1 relu(W_2^T e + bias) for every stored output u_y and each of the `queries` e."""
        hidden = torch.matmul(queries, self.first.mT)
        hidden = torch.relu(hidden if self.bias is None else hidden + self.bias[:, None])
        return torch.matmul(torch.matmul(hidden, self.second.mT), self.outputs.mT)

    @torch.no_grad()
    def slopes(self, scale: float = 1.0) -> dict[str, Tensor]:
        """The gradient of each replica's `cross_entropy(scale)`, by the name of the parameter."""
        hidden = torch.matmul(self.inputs, self.first.mT)
        hidden = (hidden if self.bias is None else hidden.add_(self.bias[:, None])).relu_()
        logits = torch.matmul(torch.matmul(hidden, self.second.mT), self.outputs.mT).mul_(scale)
        answer = torch.matmul(excess(logits, self.targets), self.outputs).mul_(scale)
        behind = torch.matmul(answer, self.second).mul_(hidden > 0)
        found = {"first": torch.matmul(behind.mT, self.inputs), "second": torch.matmul(answer.mT, hidden)}
        return found if self.bias is None else {**found, "bias": behind.sum(1)}
