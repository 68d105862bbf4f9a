"""Linear memories: one matrix W, score u_y . W e. They differ in how W is found.

`Hebbian` sums outer products; `LeastSquares` solves for W e_x = u_f(x); `Fitted` starts at zero and has the cross-entropy by
which a loop trains it; `Given` takes a matrix from elsewhere.
"""

from abc import abstractmethod
from typing import Self

import torch
from torch import Tensor, nn

from asymp.models.memory import Memory, TrainedMemory, check_associations, check_weights, excess


class LinearMemory(Memory):
    """A matrix (replicas, d_out, d_in) and candidates; `store` is left to the kinds of it."""

    weight: nn.Parameter

    def score(self, queries: Tensor) -> Tensor:
        """u_y . W e: the queries go through W first, d_out numbers each, then meet the candidates."""
        return torch.matmul(torch.matmul(queries, self.weight.mT), self.outputs.mT)

    def store(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """Find the matrix of this kind."""
        targets = check_associations(inputs, outputs, targets)
        self.keep(outputs)
        with torch.no_grad():
            self.weight = nn.Parameter(self.matrix(inputs, outputs, targets))
        return self

    @abstractmethod
    def matrix(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Tensor:
        """W from the associations: `inputs` (replicas, N, d_in), `outputs` (replicas, M, d_out), `targets` (replicas, N)."""


def linear_scores(W: Tensor, U: Tensor, x: Tensor) -> Tensor:
    """u_k . W x_i (replica, input, output) of a matrix W (replica, d_out, d_in): a memory without the module around it."""
    return torch.einsum("rmd,rde,rne->rnm", U, W, x)


def answers_of(outputs: Tensor, targets: Tensor) -> Tensor:
    """The output of every input, (replicas, N, d_out)."""
    return outputs.gather(1, targets[..., None].expand(-1, -1, outputs.shape[-1]))


class Hebbian(LinearMemory):
    """W = sum_x q(x) u_f(x) e_x^T, one outer product for each stored input.

    `weights`: the q(x), of shape (N,) or (replicas, N); without them every q(x) is 1.
    """

    def __init__(self, weights: Tensor | None = None) -> None:
        super().__init__()
        if weights is not None:
            check_weights("weights", weights.reshape(1, 1, -1), "1, replicas, N")
        self.weights = weights

    def matrix(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Tensor:
        """The sum of outer products as one product of matrices."""
        if self.weights is not None and tuple(self.weights.shape) not in {inputs.shape[1:2], inputs.shape[:2]}:
            raise ValueError(
                f"weights must have the shape ({inputs.shape[1]},) or {tuple(inputs.shape[:2])}, one number for each input; "
                f"got {tuple(self.weights.shape)}"
            )
        scaled = inputs if self.weights is None else inputs * self.weights.to(inputs)[..., None]
        return torch.matmul(answers_of(outputs, targets).mT, scaled)


class LeastSquares(LinearMemory):
    """W that minimises sum_x |W e_x - u_f(x)|^2, by the pseudo-inverse (N < d too)."""

    def matrix(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Tensor:
        """Through the pseudo-inverse."""
        return torch.matmul(torch.linalg.pinv(inputs), answers_of(outputs, targets)).mT


class Fitted(LinearMemory, TrainedMemory):
    """A linear memory whose matrix a training loop finds. `store` keeps the associations and starts at zero."""

    def store(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """Keep what is to be learnt."""
        super().store(inputs, outputs, targets)
        return self.learn(inputs, outputs, targets.to(inputs.device).expand(inputs.shape[:2]))

    def matrix(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Tensor:
        """The start."""
        return inputs.new_zeros(inputs.shape[0], outputs.shape[-1], inputs.shape[-1])

    @torch.no_grad()
    def slopes(self, scale: float = 1.0) -> dict[str, Tensor]:
        """The gradient of each replica's `cross_entropy`."""
        answer = torch.matmul(excess(scale * self.score(self.inputs), self.targets), self.outputs)
        return {"weight": torch.matmul(answer.mT, self.inputs).mul_(scale)}


class Given(LinearMemory):
    """W comes from elsewhere, (replicas, d_out, d_in); what is stored says only which outputs are the candidates.

    `weight`: the matrix W.
    """

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.given = check_weights("weight", weight, "replicas, d_out, d_in")

    def matrix(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Tensor:
        """The matrix that was given."""
        like = (len(inputs), outputs.shape[-1], inputs.shape[-1])
        return check_weights("weight", self.given, "replicas, d_out, d_in", like=like).to(inputs)


class Identity(LinearMemory):
    """W = I: the query itself is compared with the outputs. With e_x = u_f(x), learned inputs, this is a lookup."""

    def matrix(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Tensor:
        """The identity, d_out = d_in."""
        if inputs.shape[-1] != outputs.shape[-1]:
            raise ValueError(
                f"inputs and outputs must have one dimension for W = I; got {inputs.shape[-1]} and {outputs.shape[-1]}"
            )
        return torch.eye(inputs.shape[-1], dtype=inputs.dtype, device=inputs.device).repeat(len(inputs), 1, 1)
