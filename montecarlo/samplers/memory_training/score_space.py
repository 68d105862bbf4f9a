"""Plain SGD with fixed embeddings, in score space: the cost of a step does not grow with d.

A step of SGD on the cross-entropy of the scores u_y^T W e_x changes W by lr/B times the sum over the batch of (sum
over y of (1{y=f(x)} - softmax_y(x)) u_y) e_x^T. Of the embeddings the scores see only the Gram matrices K = E E^T and
G = U U^T: with the residuals D (M x N, column x: 1_f(x) - softmax(x), weighted) the scores change by lr G D K. Batch
one: a rank-one update, O(N M). A batch of more than N/2 samples is a vector of counts over the N inputs.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from asymp.montecarlo.samplers.memory_training.measure import Recorder, split_scores

CHUNK = 64
"""Steps whose index tables are made at once."""


@dataclass
class ScoreProblem:
    """Tensors of a group of R replicas.

    K (R, N, N), contiguous; G (R, M, M); scores (R, M, N); f (N). Either samples (R, T) of inputs counted from 0, or
    weights (R or 1, steps or 1, N) in their place: counts/B, or p. `balanced` says that f is 0..0, 1..1, ... with
    equally many of each.
    """

    K: torch.Tensor
    G: torch.Tensor
    scores: torch.Tensor
    f: torch.Tensor
    rates: list[float]
    batch: int = 1
    samples: torch.Tensor | None = None
    weights: torch.Tensor | None = None
    balanced: bool = False


def train_scores(problem: ScoreProblem, recorder: Recorder, *, ties: bool = True) -> torch.Tensor:
    """Run every step; returns the final scores (R, M, N).

    Where two outputs cannot have the same score (`ties=False`: see `TrainProblem.ties`) and only the error is
    measured, batch-one training has a shorter way to count it.
    """
    if problem.weights is None and problem.batch == 1:
        return _one_by_one(problem, recorder, not ties and recorder.measure == ("error",))
    return _by_batches(problem, recorder)


def _by_batches(problem: ScoreProblem, recorder: Recorder) -> torch.Tensor:
    """Scores as (R, M, N): two batched products a step."""
    K, G, f = problem.K, problem.G, problem.f
    S = problem.scores.clone()
    R, M, N = S.shape
    B = problem.batch
    keep_q = "q" in recorder.measure
    q = torch.zeros(R, N, dtype=S.dtype, device=S.device)
    hot = _one_hot(f, M, S.dtype)
    first_row = torch.arange(R, device=S.device)[:, None] * N
    if recorder.wants(0):
        recorder.take(split_scores(S, f), q)
    for t, rate in enumerate(problem.rates):
        if problem.weights is not None:
            weight = problem.weights[:, min(t, problem.weights.shape[1] - 1)]
            D = torch.sub(hot, S.softmax(1)).mul_(weight[:, None, :])
            S.baddbmm_(torch.bmm(G, D), K, alpha=rate)
            if keep_q:
                q.add_(D.gather(1, f.expand(R, 1, N))[:, 0], alpha=rate)
        else:
            assert problem.samples is not None
            x = problem.samples[:, t * B : (t + 1) * B]
            D = S.gather(2, x[:, None, :].expand(R, M, B)).softmax(1).neg_()
            place = f.take(x)[:, None, :]
            D.scatter_add_(1, place, torch.ones_like(D[:, :1]))
            rows = (first_row + x).reshape(-1)
            S.baddbmm_(torch.bmm(G, D), K.view(R * N, N).index_select(0, rows).view(R, B, N), alpha=rate / B)
            if keep_q:
                q.view(-1).index_add_(0, rows, D.gather(1, place).reshape(-1), alpha=rate / B)
        if recorder.wants(t + 1):
            recorder.take(split_scores(S, f), q)
    return S


def _one_by_one(problem: ScoreProblem, recorder: Recorder, quick: bool) -> torch.Tensor:
    """Batch one: scores as (M, R, N), outputs first and inputs contiguous, every product an elementwise one."""
    f, samples = problem.f, problem.samples
    assert samples is not None
    S = problem.scores.transpose(0, 1).contiguous()
    M, R, N = S.shape
    flat, rows = S.view(-1), problem.K.view(R * N, N)
    G = problem.G.permute(1, 2, 0).contiguous()
    outputs = torch.arange(M, device=S.device)[:, None]
    replica = torch.arange(R, device=S.device) * N
    row = torch.empty(R, N, dtype=S.dtype, device=S.device)
    count = _error_counter(S, f, recorder.p, problem.balanced)
    q = torch.zeros_like(row)
    keep_q = "q" in recorder.measure
    if recorder.wants(0):
        recorder.take(split_scores(S.transpose(0, 1), f), q)
    for start in range(0, len(problem.rates), CHUNK):
        x = samples[:, start : start + CHUNK].t().contiguous()
        hots = (f.take(x)[:, None, :] == outputs).to(S.dtype).unbind(0)
        x = x + replica
        places = (x[:, None, :] + outputs * (R * N)).view(len(x), M * R).unbind(0)
        for t, (which, place, hot) in enumerate(zip(x.unbind(0), places, hots, strict=True), start):
            D = hot - flat.index_select(0, place).view(M, R).softmax(0)
            V = (G * D).sum(1, keepdim=True).transpose(1, 2)
            torch.index_select(rows, 0, which, out=row)
            S.addcmul_(row, V, value=problem.rates[t])
            if keep_q:
                q.view(-1).index_add_(0, which, (D * hot).sum(0), alpha=problem.rates[t])
            if recorder.wants(t + 1):
                if quick:
                    recorder.put_errors(count())
                else:
                    recorder.take(split_scores(S.transpose(0, 1), f), q)
    return S.transpose(0, 1).contiguous()


def _error_counter(S: torch.Tensor, f: torch.Tensor, p: torch.Tensor, balanced: bool) -> Callable[[], torch.Tensor]:
    """A function that gives the errors of the scores S (M, R, N), which have no ties, as they are when it is called."""
    M, R, N = S.shape
    top = torch.empty(R, N, dtype=S.dtype, device=S.device)
    shape = (R, M, N // M) if balanced else (R * N,)
    tops = top.view(shape)
    targets = S.view(M, R, M, N // M).diagonal(dim1=0, dim2=2).transpose(1, 2) if balanced else None
    places = (f * (R * N) + torch.arange(R * N, device=S.device).view(R, N)).view(-1)

    def count() -> torch.Tensor:
        torch.amax(S, 0, out=top)
        torch.lt(S.view(-1).index_select(0, places) if targets is None else targets, tops, out=tops)
        return torch.mv(top, p)

    return count


def _one_hot(f: torch.Tensor, M: int, dtype: torch.dtype) -> torch.Tensor:
    """(M, N), one at (f(x), x)."""
    return (torch.arange(M, device=f.device)[:, None] == f).to(dtype)
