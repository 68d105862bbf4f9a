"""Lookup by the nearest stored input: what a memory without any limit but its size would answer."""

from typing import Self

import torch
from torch import Tensor
from torch.nn import functional

from asymp.models.memory import Memory, check_associations

__all__ = ["NearestNeighbour"]


class NearestNeighbour(Memory):
    """The answer is the output of the stored input with the largest inner product with the query.

    The score of an output is the largest inner product among its inputs, minus infinity if it has none.
    """

    def store(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """Keep everything."""
        targets = check_associations(inputs, outputs, targets)
        self.keep(outputs)
        self.register_buffer("inputs", inputs)
        self.register_buffer("targets", targets)
        return self

    def score(self, queries: Tensor) -> Tensor:
        """max over x with f(x) = y of e_x . e."""
        close = torch.matmul(queries, self.get_buffer("inputs").mT)
        where = self.get_buffer("targets")[:, None].expand_as(close)
        best = close.new_full((*close.shape[:2], self.outputs.shape[1]), -torch.inf)
        return best.scatter_reduce(-1, where, close, "amax")

    def recall(self, queries: Tensor) -> Tensor:
        """The output of the nearest input, without the scores of all outputs."""
        with torch.no_grad():
            nearest = functional.normalize(queries, dim=-1) @ self.get_buffer("inputs").mT
            return self.get_buffer("targets").gather(1, nearest.argmax(-1))
