"""A layer of m neurons that reads two inputs: features He_p(w.e_s) He_p(w~.e~_r)/p!, values of one correlation step."""

from typing import Self

import torch
from torch import Tensor, nn

from asymp.models.hermite_mlp import hermite
from asymp.models.linear import answers_of
from asymp.models.memory import Memory, check_associations, check_integer, check_weights

ITEMS_AT_ONCE = 2**22  # features held at one moment: 32 MB


class TwoInputMLP(Memory):
    """Directions w and w~ (replicas, m, d). An input is a pair in one row, (e_s, e~_r), of length 2 d.

    `directions` are w and `other_directions` w~; `p` is the degree of the Hermite polynomials.
    """

    def __init__(self, directions: Tensor, other_directions: Tensor, *, p: int = 2) -> None:
        super().__init__()
        check_integer("p", p, 1, what=", the degree of the features")
        check_weights("directions", directions, "replicas, m, d")
        check_weights("other_directions", other_directions, "replicas, m, d", like=tuple(directions.shape))
        self.p = p
        self.register_buffer("directions", directions)
        self.register_buffer("other_directions", other_directions)
        self.directions: Tensor
        self.other_directions: Tensor
        self.values: nn.Parameter

    def features(self, pairs: Tensor) -> Tensor:
        """He_p(w_i.e_s) He_p(w~_i.e~_r)/p!, of variance one over the directions, (replicas, number, m).

        `pairs`: the inputs (e_s, e~_r), each pair in one row, (replicas, number, 2 d).
        """
        first, second = pairs.chunk(2, -1)
        one = hermite(torch.matmul(first, self.directions.mT), self.p)
        return one.mul_(hermite(torch.matmul(second, self.other_directions.mT), self.p))

    def store(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """Hold the associations (as in `Memory.store`): values become the sum over the facts of features times outputs.

        `inputs` are pairs (e_s, e~_r) in one row of length 2 d.
        """
        targets = check_associations(inputs, outputs, targets)
        if inputs.shape[-1] != 2 * self.directions.shape[-1] or len(inputs) != len(self.directions):
            raise ValueError(
                f"inputs must be {len(self.directions)} replicas of pairs (e_s, e~_r) in one row of length 2 d = "
                f"{2 * self.directions.shape[-1]}; got {tuple(inputs.shape)}"
            )
        self.keep(outputs)
        replicas, count = targets.shape
        m = self.directions.shape[1]
        chunk = max(1, ITEMS_AT_ONCE // (replicas * m))
        with torch.no_grad():
            values = inputs.new_zeros(replicas, m, outputs.shape[-1])
            for i in range(0, count, chunk):
                answers = answers_of(outputs, targets[:, i : i + chunk])
                values += torch.matmul(self.features(inputs[:, i : i + chunk]).mT, answers)
            self.values = nn.Parameter(values)
        return self

    def score(self, queries: Tensor) -> Tensor:
        """u_y . (1/m) sum_i features_i values_i for every stored output u_y; the `queries` are pairs."""
        hidden = torch.matmul(self.features(queries), self.values) / self.values.shape[1]
        return torch.matmul(hidden, self.outputs.mT)
