"""Which inputs are seen among T samples, and the draws underneath, against laws worked out by hand."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy import stats
from support.draws import CPU, generator

from asymp.montecarlo.draws import FEW, Draw, exponentials, normals, uniforms
from asymp.montecarlo.samplers.recall.problem import RecallProblem
from asymp.montecarlo.samplers.recall.tables import TableMaker
from asymp.montecarlo.samplers.zipf import seen_inputs


@pytest.mark.parametrize("T", [1, 2, 5])
def test_the_law_of_the_seen_set(T: int) -> None:
    """All sequences of T samples listed: chi-square over the sets at 1e-8, and no set that cannot be."""
    p = [0.5, 0.3, 0.15, 0.05]
    chance: dict[tuple[float, ...], float] = {}
    for sequence in itertools.product(range(4), repeat=T):
        key = tuple(1.0 if x in sequence else 0.0 for x in range(4))
        chance[key] = chance.get(key, 0.0) + math.prod(p[x] for x in sequence)
    n = 40000
    seen = seen_inputs(Draw(n, generator(T), CPU), torch.tensor(p, dtype=torch.float64), T)
    found, counts = np.unique(seen.numpy(), axis=0, return_counts=True)
    counted = {tuple(row): int(c) for row, c in zip(found.tolist(), counts, strict=True)}
    assert set(counted) <= set(chance)
    statistic = sum((counted.get(key, 0) - n * c) ** 2 / (n * c) for key, c in chance.items())
    assert stats.chi2.sf(statistic, max(1, len(chance) - 1)) > 1e-8


def test_few_replicas_come_from_the_other_generator() -> None:
    """Below FEW draws torch's own uniforms are used: 3 inputs, P(1 unseen) = 0.6^4, within 6 standard errors (2e-9)."""
    p = torch.tensor([0.4, 0.4, 0.2], dtype=torch.float64)
    g = generator(1)
    assert FEW > 2 * 500 * 3
    values = torch.cat([seen_inputs(Draw(500, g, CPU), p, 4) for _ in range(40)])
    for x, c in enumerate((0.6**4, 0.6**4, 0.8**4)):
        assert abs(float((values[:, x] == 0).double().mean()) - c) < 6 * math.sqrt(c * (1 - c) / 20000)


def test_impossible_and_certain_inputs() -> None:
    p = torch.tensor([0.5, 0.0, 0.5, 0.0], dtype=torch.float64)
    seen = seen_inputs(Draw(3000, generator(2), CPU), p, 10**9)
    assert torch.equal(seen, torch.tensor([1.0, 0.0, 1.0, 0.0], dtype=torch.float64).expand(3000, 4))
    assert torch.equal(seen_inputs(Draw(5, generator(3), CPU), p[:1] * 2, 1), torch.ones(5, 1, dtype=torch.float64))
    # one sample sees exactly one input, and p may be as uneven as doubles are
    uneven = torch.tensor([1.0, 1e-300, 1e-12], dtype=torch.float64)
    assert torch.equal(
        seen_inputs(Draw(2000, generator(4), CPU), uneven, 1).sum(1), torch.ones(2000, dtype=torch.float64)
    )


@pytest.mark.parametrize(("T", "quick"), [(19, False), (20, True), (500, True)])
def test_the_table_agrees_with_counts(T: int, quick: bool) -> None:
    """The number of inputs seen, against samples drawn one by one by NumPy: z below 6.2 (6e-10) for mean and spread."""
    problem = RecallProblem(alpha=1, N=40, M=4, d=5, T=T)
    maker = TableMaker(problem, CPU)
    assert problem.only_seen is quick
    ours = maker.table(Draw(4000, generator(5), CPU)).q.sum(1).numpy()
    rng = np.random.default_rng(6)
    theirs = np.array([len(np.unique(rng.choice(40, size=T, p=problem.law))) for _ in range(4000)])
    for a, b in ((ours, theirs), ((ours - ours.mean()) ** 2, (theirs - theirs.mean()) ** 2)):
        assert abs(a.mean() - b.mean()) < 6.2 * math.sqrt((a.var() + b.var()) / 4000)


def test_given_weights_are_kept_where_seen() -> None:
    weights = [4.0, 0.0, -2.0]
    table = TableMaker(RecallProblem(alpha=1, N=3, M=2, d=5, T=2, weights=weights), CPU).table(
        Draw(2000, generator(7), CPU)
    )
    assert set(np.unique(table.q[:, 0].numpy())) == {0.0, 1.0}  # scaled by the largest
    assert set(np.unique(table.q[:, 1].numpy())) == {0.0}
    assert set(np.unique(table.q[:, 2].numpy())) == {-0.5, 0.0}


@pytest.mark.parametrize("count", [FEW // 2, 200_001])
def test_draws_have_their_laws_and_follow_the_generator(count: int) -> None:
    """Kolmogorov-Smirnov at 1e-9, on both sides of FEW; the generator's state decides every draw."""
    for draw, law in ((normals, "norm"), (uniforms, "uniform"), (exponentials, "expon")):
        first = draw((count,), generator=generator(8), device=CPU)
        assert first.dtype == torch.float64
        assert torch.equal(first, draw((count,), generator=generator(8), device=CPU))
        assert stats.kstest(first.numpy(), law).pvalue > 1e-9
        g = generator(8)
        draw((count,), generator=g, device=CPU)
        second = draw((count,), generator=g, device=CPU)
        assert not torch.equal(first, second)
        # successive draws are uncorrelated: 6.2 standard errors
        assert abs(np.corrcoef(first.numpy(), second.numpy())[0, 1]) < 6.2 / math.sqrt(count)
