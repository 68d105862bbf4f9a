"""Training with the weights themselves: any optimiser, layer norm, learned embeddings; batched over replicas.

Gradients are written out. With residuals D (M x n: softmax - one-hot, weighted by 1/B, counts/B or p) on n inputs X
(n x d):
- without layer norm, and with no more outputs than inputs, everything goes through the M x d matrix U W:
  scores U W X^T, then A = D X gives dW = U^T A, dU = A W^T, dX = D^T (U W). The cost is M d^2 + n M d, not n d^2;
- otherwise through the hidden vectors H = X W^T, dH = D^T U, dW = dH^T X, dX = dH W. Layer norm divides h by
  r = sqrt(|h|^2 + 1e-6), so dh = (D^T U)/r - h (sum over y of D_y s_y)/r^2 with s the scores.
- the exponential model has no W: h = relu(e_x), scores u_y^T h.
"""

from dataclasses import dataclass

import torch

from asymp.montecarlo.samplers.memory_training.measure import Recorder, split_scores

NORM_EPS = 1e-6


@dataclass
class WeightProblem:
    """Tensors of a group of replicas: W (R, d, d) or None, E (R, N, d), U (R, M, d), f (N); samples or weights as in
    `ScoreProblem`."""

    W: torch.Tensor | None
    E: torch.Tensor
    U: torch.Tensor
    f: torch.Tensor
    rates: list[float]
    batch: int = 1
    samples: torch.Tensor | None = None
    weights: torch.Tensor | None = None
    learn: str = "W"
    optimiser: str = "sgd"
    layer_norm: bool = False
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8


@dataclass
class Gradients:
    """Residuals D; dW = left^T right as a pair, so that SGD never forms it; dX of the batch's inputs; dU."""

    D: torch.Tensor
    W: tuple[torch.Tensor, torch.Tensor] | None
    X: torch.Tensor | None
    U: torch.Tensor | None


def weight_scores(problem: WeightProblem) -> torch.Tensor:
    """The scores of every input: (R, M, N)."""
    return _forward(problem, problem.E)[0]


def train_weights(problem: WeightProblem, recorder: Recorder) -> torch.Tensor:
    """Run every step, changing the problem's tensors in place; returns the final scores (R, M, N)."""
    f, E = problem.f, problem.E
    R, N, d = E.shape
    B = problem.batch
    stepper = _Stepper(problem)
    effective = _EffectiveQ(problem, wanted="q" in recorder.measure)
    first_row = torch.arange(R, device=E.device)[:, None] * N
    if recorder.wants(0):
        recorder.take(split_scores(weight_scores(problem), f), effective.q())
    for t, rate in enumerate(problem.rates):
        rows: torch.Tensor | None = None
        if problem.weights is not None:
            weight = problem.weights[:, min(t, problem.weights.shape[1] - 1)]
            X, targets = E, f.expand(R, N)
            gradients = weight_gradients(problem, X, weight, targets)
        else:
            assert problem.samples is not None
            x = problem.samples[:, t * B : (t + 1) * B]
            rows = (first_row + x).reshape(-1)
            X, targets = E.reshape(R * N, d).index_select(0, rows).view(R, B, d), f.take(x)
            gradients = weight_gradients(problem, X, None, targets)
        effective.add(gradients.D, targets, rows, rate)
        stepper.step(gradients, rows, rate)
        if recorder.wants(t + 1):
            recorder.take(split_scores(weight_scores(problem), f), effective.q())
    return weight_scores(problem)


class _EffectiveQ:
    """The coefficient of u_f(x) e_x^T in W - W0.

    Plain SGD without layer norm adds such terms: their sum is kept. Otherwise least squares over all u_y e_x^T, of
    least norm where they are linearly dependent.
    """

    def __init__(self, problem: WeightProblem, wanted: bool) -> None:
        self.problem = problem
        self.added: torch.Tensor | None = None
        self.start: torch.Tensor | None = None
        if wanted and problem.W is not None:
            if problem.optimiser == "sgd" and not problem.layer_norm:
                self.added = torch.zeros_like(problem.E[:, :, 0])
            else:
                self.start = problem.W.clone()

    def add(self, D: torch.Tensor, targets: torch.Tensor, rows: torch.Tensor | None, rate: float) -> None:
        """One step's residuals."""
        if self.added is not None:
            change = D.gather(1, targets[:, None, :])[:, 0]
            if rows is None:
                self.added.sub_(change, alpha=rate)
            else:
                self.added.view(-1).index_add_(0, rows, change.reshape(-1), alpha=-rate)

    def q(self) -> torch.Tensor | None:
        """(R, N)."""
        if self.start is None or self.problem.W is None:
            return self.added
        E, U = self.problem.E, self.problem.U
        moved = torch.linalg.pinv(U).mT @ (self.problem.W - self.start) @ torch.linalg.pinv(E)
        q: torch.Tensor = moved.gather(1, self.problem.f.expand(len(E), 1, E.shape[1]))[:, 0]
        return q


def _outputs_first(problem: WeightProblem, rows: int) -> bool:
    return problem.W is not None and not problem.layer_norm and problem.U.shape[1] <= rows


def _forward(problem: WeightProblem, X: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """Scores (R, M, n); U W or the hidden vectors, whichever was formed; and r of the layer norm."""
    U, W = problem.U, problem.W
    if W is not None and _outputs_first(problem, X.shape[1]):
        UW = torch.bmm(U, W)
        return torch.bmm(UW, X.mT), UW, None
    H = X.relu() if W is None else torch.bmm(X, W.mT)
    S = torch.bmm(U, H.mT)
    if not problem.layer_norm:
        return S, H, None
    r = torch.linalg.vector_norm(H, dim=2, keepdim=True).square_().add_(NORM_EPS).sqrt_()
    return S.div_(r.mT), H, r


def weight_gradients(
    problem: WeightProblem, X: torch.Tensor, weight: torch.Tensor | None, f: torch.Tensor
) -> Gradients:
    """Gradients of the weighted cross-entropy (mean if weight is None) at inputs X (R, n, d), targets f (R, n)."""
    U, W, everything = problem.U, problem.W, problem.learn != "W"
    S, formed, r = _forward(problem, X)
    D = S.softmax(1)
    D.scatter_add_(1, f[:, None, :], torch.full_like(D[:, :1], -1.0))
    D = D / X.shape[1] if weight is None else D.mul_(weight[:, None, :])
    if W is not None and _outputs_first(problem, X.shape[1]):
        A = torch.bmm(D, X)
        if not everything:
            return Gradients(D, (U, A), None, None)
        return Gradients(D, (U, A), torch.bmm(D.mT, formed), torch.bmm(A, W.mT))
    H, dH = formed, torch.bmm(D.mT, U)
    dU = None
    if everything:
        dU = torch.bmm(D, H if r is None else H / r)
    if r is not None:
        along = (D * S).sum(1)[:, :, None] / r.square()
        dH.div_(r).addcmul_(H, along, value=-1.0)
    if W is None:
        return Gradients(D, None, dH.mul_(X > 0), dU)
    return Gradients(D, (dH, X), torch.bmm(dH, W) if everything else None, dU)


class _Stepper:
    """Moves the weights against the gradients. Steps: lr for SGD; lr/d for W and lr/sqrt(d) for E and U otherwise.

    `adam` is Adam with bias correction; `sign` is Adam with betas (0, 0): g/(|g| + eps), sign descent up to eps.
    """

    def __init__(self, problem: WeightProblem) -> None:
        self.problem = problem
        self.plain = problem.optimiser == "sgd"
        self.betas = problem.betas if problem.optimiser == "adam" else (0.0, 0.0)
        self.moments: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
        self.buffer = None if self.plain or problem.W is None else torch.empty_like(problem.W)
        self.scratch: dict[str, torch.Tensor] = {}
        self.taken = 0

    def step(self, gradients: Gradients, rows: torch.Tensor | None, rate: float) -> None:
        """One step; `rows` are the places of the batch in E, flattened over replicas; None if it is all of E."""
        problem = self.problem
        R, N, d = problem.E.shape
        self.taken += 1
        if gradients.W is not None:
            assert problem.W is not None
            left, right = gradients.W
            if self.plain:
                problem.W.baddbmm_(left.mT, right, alpha=-rate)
            else:
                assert self.buffer is not None
                torch.bmm(left.mT, right, out=self.buffer)
                self._adapt("W", problem.W, self.buffer, rate / d)
        if gradients.U is not None:
            self._move("U", problem.U, gradients.U, rate, d)
        if gradients.X is not None:
            if rows is None:
                self._move("E", problem.E, gradients.X, rate, d)
            elif self.plain:
                problem.E.view(R * N, d).index_add_(0, rows, gradients.X.reshape(-1, d), alpha=-rate)
            else:
                dE = torch.zeros_like(problem.E)
                dE.view(R * N, d).index_add_(0, rows, gradients.X.reshape(-1, d))
                self._adapt("E", problem.E, dE, rate / d**0.5)

    def _move(self, name: str, weight: torch.Tensor, gradient: torch.Tensor, rate: float, d: int) -> None:
        if self.plain:
            weight.sub_(gradient, alpha=rate)
        else:
            self._adapt(name, weight, gradient, rate / d**0.5)

    def _adapt(self, name: str, weight: torch.Tensor, gradient: torch.Tensor, rate: float) -> None:
        first, second = self.betas
        if name not in self.scratch:
            self.scratch[name] = torch.empty_like(weight)
        size = self.scratch[name]
        if first == second == 0:
            if self.problem.eps == 0:
                weight.sub_(torch.sign(gradient, out=size), alpha=rate)
            else:
                torch.abs(gradient, out=size)
                weight.addcdiv_(gradient, size.add_(self.problem.eps), value=-rate)
            return
        if name not in self.moments:
            self.moments[name] = (torch.zeros_like(weight), torch.zeros_like(weight))
        mean, square = self.moments[name]
        mean.lerp_(gradient, 1 - first)
        square.mul_(second).addcmul_(gradient, gradient, value=1 - second)
        torch.sqrt(square, out=size)
        size.div_((1 - second**self.taken) ** 0.5).add_(self.problem.eps)
        if self.problem.eps == 0:  # an entry whose gradient was always 0 does not move
            size.masked_fill_(size == 0, 1.0)
        weight.addcdiv_(mean, size, value=-rate / (1 - first**self.taken))
