"""The bench: its baselines have the law of what they are measured against, and its table says what it must.

The training baselines are compared in test_train_memory.
"""

import math
from typing import Any

import pytest
import torch
from scipy import stats
from support.own_claims import CHEAP

from asymp.montecarlo.samplers.recall.error import recall_error
from speed.figures import SCHEMES
from speed.recall_baselines import recall_loop, sampled_recall_loop
from speed.rows import each, faster, no_slower, seconds
from speed.run_figures import all_done, second_cells, two_processes

LOOPS = [
    *[(recall_loop, {"alpha": 2, "N": 60, "M": 5, "d": 24, **scheme(24)}) for scheme in SCHEMES.values()],
    (recall_loop, {"alpha": 2, "N": 60, "M": 5, "d": 3, "rho": 1}),
    (sampled_recall_loop, {"alpha": 0.5, "N": 40, "M": 5, "d": 10, "T": 10}),
    (sampled_recall_loop, {"alpha": 0.5, "N": 40, "M": 5, "d": 30, "T": 60}),
    (sampled_recall_loop, {"alpha": 0.5, "N": 40, "M": 5, "d": 30, "T": 2000}),
]


@pytest.mark.parametrize(("loop", "case"), LOOPS)
def test_the_recall_baselines_agree_in_law(loop: Any, case: dict[str, Any]) -> None:
    """Means, spreads and Kolmogorov-Smirnov: 14 z-scores, each beyond 6.2 with probability 6e-10, and 7 tests at 1e-9
    (ties make them conservative): below 2e-8 in all."""
    theirs = loop(**case, replicas=1000, seed=3)
    ours = recall_error(**case, outputs="sphere", replicas=4000, seed=5).values
    for a, b in ((theirs, ours), ((theirs - theirs.mean()) ** 2, (ours - ours.mean()) ** 2)):
        assert abs(a.mean() - b.mean()) < 6.2 * math.sqrt(a.var() / len(a) + b.var() / len(b))
    assert stats.ks_2samp(theirs, ours).pvalue > 1e-9


def test_the_comparison_sees_a_wrong_baseline() -> None:
    """The negative control: half the dimensions."""
    case = {"alpha": 2, "N": 60, "M": 5, "rho": 1}
    theirs = recall_loop(**case, d=12, replicas=1000, seed=3)
    ours = recall_error(**case, d=24, outputs="sphere", replicas=4000, seed=5).values
    assert stats.ks_2samp(theirs, ours).pvalue < 1e-9


def test_rows_say_whether_they_are_reached() -> None:
    assert faster("w", "a", 30.0, 1.0, 30).reached
    assert not faster("w", "a", 29.0, 1.0, 30).reached
    row = no_slower("w", "a", 2.0, 3.0, 1.5)
    assert (row.ratio, row.reached, row.must) == (1.5, True, "<= 1.5x")
    assert not no_slower("w", "a", 2.0, 3.1, 1.5).reached
    assert seconds(lambda: sum(range(1000)), rounds=3) < 1


def test_cells_share_the_threads_out_and_keep_their_order_and_bits() -> None:
    def work(d: int) -> bytes:
        return recall_error(alpha=1, N=50, M=4, d=d, T=20, replicas=200).values.tobytes()

    before, sizes = torch.get_num_threads(), list(range(1, 9))
    try:
        torch.set_num_threads(1)
        one = each(work, sizes)
        torch.set_num_threads(2)
        assert each(work, sizes) == one
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_the_figures_of_whole_runs_measure_what_they_say(tmp_path: Any) -> None:
    """Small versions: the counts are asserted inside; the store of finished cells takes no time to speak of."""
    (done,) = all_done(cells=192)
    assert done.work.startswith("192 cells planned") and done.must == "<= 1x" and done.ratio == done.seconds / 10
    (kept,) = second_cells(cells=3, nap=0.05)
    assert kept.baseline_seconds == pytest.approx(0.15) and kept.seconds > 0.15 and kept.must == "<= 1.05x"
    (two,) = two_processes("quick", (CHEAP,))
    assert two.work == f"{CHEAP} at quick, two processes" and two.ratio == two.baseline_seconds / two.seconds
