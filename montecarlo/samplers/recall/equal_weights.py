"""Memories that store some inputs with the same weight: all, those below a rank, those seen often enough among T samples.

With q = 1 on the stored inputs and 0 on the others, the stored inputs of one class are exchangeable given which they
are, and so are the others of the class: which of them fails says nothing about its probability. So a replica counts the
shares of failures in each class, and weighs them by the probability of the stored (the other) inputs of the class: the
same mean as the error itself, and a spread that is smaller by a large factor where few inputs carry the probability.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from asymp.montecarlo.checks import check_number, check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.recall.error import errors_by_route, route_for
from asymp.montecarlo.samplers.recall.problem import RecallProblem
from asymp.montecarlo.samplers.recall.tables import Table, TableMaker
from asymp.montecarlo.samplers.zipf import multinomial_counts, seen_inputs, zipf_total

OFTEN = 8
"""From this s on only a few times as many inputs can be seen s times as are seen s times on average."""
NEVER = 1e-12
SPREAD = 128
"""About as many rows stand for the inputs that are not stored."""


def sample_equal_weights(
    draw: Draw,
    *,
    alpha: float,
    N: float,
    M: int,
    d: int,
    P: float | None = None,
    k: float | None = None,
    T: int | None = None,
    s: int = 1,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    route: str = "auto",
) -> torch.Tensor:
    """The recall error of q(x) = 1{x <= P, x seen at least s times in T samples}: shape (replicas,).

    P = None: no rank is left out, or with k the ranks above P = k d; T = None: everything counts as seen. P is a rank of
    the law itself, not of the samples (for the P inputs most frequent in the samples see `recall_error`).
    """
    if k is not None:
        if P is not None:
            raise ValueError(f"one of P and k must be left out: k stands for P = k d; got P = {P!r}, k = {k!r}")
        P = check_number("k", k, strict=True) * check_whole("d", d)
    problem = RecallProblem(alpha=alpha, N=N, M=M, d=d, P=P, T=T, s=s, inputs=inputs, outputs=outputs)
    if math.isinf(problem.N) and math.isinf(problem.cut) and problem.s >= OFTEN:
        problem = replace(problem, P=float(last_seen_often(alpha=float(alpha), T=problem.T or 0, s=problem.s)))
    table, rows = _tables(problem, draw)
    memory = problem.memory
    if problem.T is not None and not math.isinf(problem.cut):
        # of the inputs below P none may have been seen: all scores are then equal, and such ties are broken at random
        memory = replace(memory, ties=True)
    return errors_by_route(draw, route_for(route, inputs), memory, rows, table)


def sample_equal_weights_recall(
    draw: Draw,
    *,
    N: int,
    d: int,
    M: int | None = None,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
) -> torch.Tensor:
    """The share of N stored inputs that are recalled, all of them asked for equally often; M = None: M = N, f injective."""
    return 1 - sample_equal_weights(draw, alpha=0.0, N=N, M=N if M is None else M, d=d, inputs=inputs, outputs=outputs)


def last_seen_often(*, alpha: float, T: int, s: int) -> int:
    """A rank beyond which no input is seen s times in T samples of the infinite Zipf law, but with probability 1e-12.

    By Chernoff's bound, P(Bin(T, p) >= s) <= exp(-s (r - 1 - log r)) with r = T p/s < 1; summed over x > H, where it falls
    at least like r^s, that is at most H/(alpha s - 1) times its value at H, plus one term.
    """
    expected: float = (T / (s * zipf_total(alpha, math.inf))) ** (1 / alpha)
    H = max(1, math.ceil(expected))
    while True:
        r = (expected / H) ** alpha
        if r < 1 and (1 + H / (alpha * s - 1)) * math.exp(-s * (r - 1 - math.log(r))) < NEVER:
            return H
        H = math.ceil(1.1 * H)


def _tables(problem: RecallProblem, draw: Draw) -> tuple[Callable[[Draw], Table], int]:
    """A function that makes the table for a batch of replicas, and the number of rows of such a table."""
    if math.isinf(problem.cut):
        maker = TableMaker(problem, draw.device)
        if problem.T is not None:
            return lambda part: _shared_out(maker.table(part), problem.M), maker.rows
        ranked = maker.table(draw.of(1))
    else:
        # a rank of the law is drawn without samples, and cut down to the inputs seen afterwards
        whole = TableMaker(replace(problem, T=None, s=1), draw.device).table(draw.of(1))
        ranked = _compressed(whole, int(min(problem.cut, whole.f.shape[0])), problem.M)
        if problem.T is not None:
            return lambda part: _shared_out(_seen(part, ranked, problem), problem.M), len(ranked.f)
    shared = _shared_out(ranked, problem.M)
    return lambda part: shared, len(shared.f)


def _compressed(table: Table, P: int, M: int) -> Table:
    """The table with a few rows of each class in the place of all inputs beyond P, which are not stored."""
    copies = max(1, SPREAD // M)
    if table.f.shape[0] - P <= M * copies:
        return table
    beyond = table.f.narrow(0, P, table.f.shape[0] - P)
    masses = torch.zeros(1, M, dtype=torch.float64, device=table.p.device)
    masses.index_add_(1, beyond, table.p.narrow(1, P, len(beyond)))
    classes = torch.arange(M, device=table.f.device).repeat_interleave(copies)
    return Table(
        torch.cat([table.q.narrow(1, 0, P), torch.zeros_like(classes, dtype=torch.float64)[None]], dim=1),
        torch.cat([table.p.narrow(1, 0, P), masses.index_select(1, classes) / copies], dim=1),
        torch.cat([table.f.narrow(0, 0, P), classes]),
    )


def _seen(draw: Draw, table: Table, problem: RecallProblem) -> Table:
    """The table with the stored inputs x <= P cut down to those seen at least s times."""
    assert problem.T is not None
    P = int(min(problem.cut, table.f.shape[0]))
    p = table.p[0].narrow(0, 0, P)
    # the other inputs are one more, whose counts do not matter
    p = torch.cat([p, (1 - p.sum(0, keepdim=True)).clamp(min=0.0)])
    if problem.s == 1:
        seen = seen_inputs(draw, p, float(problem.T))
    else:
        totals = torch.full((draw.replicas,), float(problem.T), dtype=torch.float64, device=p.device)
        ranks = np.arange(1, P + 1, dtype=np.float64)
        known = problem.law[:P] if problem.rows else ranks ** -float(problem.alpha or 0.0) / problem.total
        weights = np.append(known, max(0.0, 1 - math.fsum(known.tolist())))
        seen = (multinomial_counts(weights, totals, draw.generator) >= problem.s).to(torch.float64)
    others = draw.zeros((table.f.shape[0] - P,))
    return Table(torch.cat([seen[:, :P], others], dim=1), table.p, table.f)


def _shared_out(table: Table, M: int) -> Table:
    """The table with the probability of each class shared out evenly, among its stored inputs and among its others."""
    stored = (table.q > 0).to(torch.float64)
    replicas = max(stored.shape[0], table.p.shape[0])
    stored, p = stored.expand(replicas, -1), table.p.expand(replicas, -1)

    def shared(chosen: torch.Tensor) -> torch.Tensor:
        sums = torch.zeros(2, replicas, M, dtype=torch.float64, device=p.device)
        sums.index_add_(2, table.f, torch.stack([chosen * p, chosen]))
        mean = sums[0] / sums[1].clamp(min=1.0)
        return chosen * mean.index_select(1, table.f)

    return Table(table.q, shared(stored) + shared(1 - stored), table.f)


equal_weights_experiment = experiment(
    "equal-weights-error", sample_equal_weights, version=1, block=256, bounds=(0.0, 1.0)
)
equal_weights_recall_experiment = experiment(
    "equal-weights-recall", sample_equal_weights_recall, version=1, block=16, bounds=(0.0, 1.0)
)
