"""Every speed figure as a ratio of two times measured in the same run, baseline and product by turns.

A baseline that loops over replicas costs the same for each, so it is timed over fewer of them and scaled; the table says so.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch

from asymp.montecarlo.samplers.memory_training.memory import train_memory
from asymp.montecarlo.samplers.recall.error import recall_error
from speed.capacity_figures import CAPACITY_FIGURES
from speed.recall_baselines import recall_loop, sampled_recall_loop
from speed.rows import Row, each, faster, no_slower, seconds
from speed.training_baselines import autograd_batches, autograd_loop, handwritten_loop
from speed.transformer_figures import TRANSFORMER_FIGURES

__all__ = ["FIGURES", "Row", "run_bench"]

SIZES = [round(10 ** (1 + 2 * i / 19)) for i in range(20)]
ZIPF: dict[str, Any] = {"alpha": 2, "N": 1000, "M": 5}
SCHEMES: dict[str, Callable[[int], dict[str, Any]]] = {
    "fill": lambda d: {"rho": 0},
    "power": lambda d: {"rho": 1},
    "threshold": lambda d: {"rho": 0, "P": d / 8},
}


def sweep() -> Iterator[Row]:
    """Errors over d for the three schemes, and at d = 1000 alone."""
    loops: dict[tuple[str, int], float] = {}
    ours: dict[tuple[str, int], float] = {}
    for name, scheme in SCHEMES.items():
        for d in SIZES:
            few = 4 if d > 200 else 10
            loops[name, d] = seconds(lambda: recall_loop(**ZIPF, d=d, **scheme(d), replicas=few)) * 100 / few  # noqa: B023
            ours[name, d] = seconds(
                lambda: recall_error(**ZIPF, d=d, **scheme(d), outputs="sphere", replicas=100),  # noqa: B023
                rounds=2,
            )
    work = "N=1000, M=5, alpha=2, 20 sizes d 10..1000, fill, power, threshold d/8, 100 replicas"
    loop = "the O(N d^2) replica-by-replica loop"
    yield faster(work, loop, sum(loops.values()), sum(ours.values()), 60)
    for name in SCHEMES:
        yield faster(f"the same at d=1000, {name}", loop, loops[name, 1000], ours[name, 1000], 150)


def without_d() -> Iterator[Row]:
    """The cost at d = 1e6 against d = 100, and against drawing the N M normals."""
    one, large = (
        seconds(lambda: recall_error(**ZIPF, d=d, rho=1, outputs="sphere", replicas=640), rounds=7)  # noqa: B023
        for d in (100, 10**6)
    )
    yield no_slower("N=1000, M=5, power, 640 replicas at d=1e6", "itself at d=100", one, large, 1.5)
    normals = seconds(lambda: [torch.randn(1000 * 5, dtype=torch.float64) for _ in range(640)], rounds=7)
    yield no_slower("d-free replica, N=1000, M=5, float64", "torch drawing N M normals", normals, one, 2)


def sample_map() -> Iterator[Row]:
    """The map of errors over 30 x 30 cells of d and T."""
    ds = [round(10 ** (1 + 2 * i / 29)) for i in range(30)]
    ts = [round(10 ** (1 + 3 * i / 29)) for i in range(30)]
    zipf: dict[str, Any] = {"alpha": 0.5, "N": 100, "M": 5}
    # The loop is timed on every third row and column, two replicas a cell, and scaled; the product on all of them.
    loop = ours = 0.0
    for row, d in enumerate(ds):
        if row % 3 == 0:
            loop += sum(seconds(lambda: sampled_recall_loop(**zipf, d=d, T=t, replicas=2), rounds=2) for t in ts[::3])  # noqa: B023
        ours += seconds(
            lambda: each(lambda t: recall_error(**zipf, d=d, T=t, outputs="sphere", replicas=100), ts),  # noqa: B023
            rounds=2,
        )
    yield faster(
        "(d, T) map of 30 x 30 cells, N=100, alpha=0.5, 100 replicas", "the cell-by-cell loop", loop * 9 * 50, ours, 30
    )


def online_training() -> Iterator[Row]:
    """SGD of batch one with the error after every step."""
    setting: dict[str, Any] = {"alpha": 2, "N": 100, "M": 5, "d": 100, "T": 1000, "lr": 1}
    written = ours = math.inf
    for _ in range(8):  # by turns, so that a busy moment of the machine meets both
        written = min(written, seconds(lambda: handwritten_loop(**setting, replicas=10)) * 10)
        ours = min(ours, seconds(lambda: train_memory(**setting, record="all", measure=("error",), replicas=100)))
    work = "SGD, N=d=100, M=5, batch 1, 1000 steps, error after every step, 100 replicas"
    autograd = seconds(lambda: autograd_loop(**setting, replicas=4)) * 25
    yield faster(work, "the replica-by-replica autograd loop", autograd, ours, 200)
    yield faster(work, "a hand-written gradient loop", written, ours, 30)


def batch_training() -> Iterator[Row]:
    """Training at batch 1024: SGD, sign descent, layer norm."""
    setting: dict[str, Any] = {"alpha": 2, "N": 100, "M": 5, "d": 256, "T": 10240, "batch": 1024, "lr": 1}
    for optimiser, norm, least in (("sgd", False, 15), ("sign", False, 4), ("sgd", True, 4), ("sign", True, 4)):
        how: dict[str, Any] = {**setting, "optimiser": optimiser, "layer_norm": norm, "replicas": 10}
        loop = seconds(lambda: autograd_batches(**how), rounds=2)  # noqa: B023
        ours = seconds(lambda: train_memory(**how), rounds=3)  # noqa: B023
        name = f"{optimiser}{' + layer norm' if norm else ''}, batch 1024, N=100, d=256, 10 replicas"
        yield faster(name, "the autograd loop, vectorised over the batch", loop, ours, least)


FIGURES: dict[str, Callable[[], Iterator[Row]]] = {
    "sweep": sweep,
    "without-d": without_d,
    "map": sample_map,
    "online-training": online_training,
    "batch-training": batch_training,
    **CAPACITY_FIGURES,
    **TRANSFORMER_FIGURES,
}


def run_bench(names: list[str], threads: tuple[int, ...] = (1, 2)) -> Iterator[Row]:
    """The rows of the named figures, for one thread and for two."""
    before = torch.get_num_threads()
    try:
        for count in threads:
            torch.set_num_threads(count)
            for name in names:
                yield from FIGURES[name]()
    finally:
        torch.set_num_threads(before)
