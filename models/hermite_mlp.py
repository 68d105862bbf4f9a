"""A layer of m neurons with Hermite activation in the kernel regime: frozen directions, one correlation step.

F(e) = (1/m) sum over neurons i of v_i s'(w_i . e)(d_i . e), d_i = sum_x (v_i . u_f(x)) s'(w_i . e_x) e_x: what a step of the
input weights, from w_i, adds to an MLP v_i s(w_i . e) whose activation is s = He_k, to first order in the step.

A layer of m neurons that reads two inputs: features He_p(w.e_s) He_p(w~.e~_r)/p!, values of one correlation step.
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
