"""Training runs on a fake GPU: tensors of mixed devices, and copies to the host on the way, are errors there.

`fake_gpu.Views` makes brackets work there in a torch built without CUDA.
"""

import sys
from typing import Any

import pytest
import torch
from fake_gpu import Views
from torch._subclasses.fake_tensor import FakeTensorMode

from asymp.montecarlo.train.memory import run_group
from asymp.montecarlo.train.problem import train_problem

GPU = torch.device("cuda", 0)
BASE: dict[str, Any] = {
    "alpha": 2.0, "N": 12, "M": 4, "d": 13, "T": 24, "batch": 1, "lr": 0.5, "optimiser": "sgd", "betas": (0.9, 0.999),
    "eps": 1e-8, "layer_norm": False, "learn": "W", "population": False, "schedule": None, "inputs": "gaussian",
    "outputs": "gaussian", "init": "gaussian", "p": None, "targets": None, "record": "all", "measure": ("error",),
    "route": "auto",
}  # fmt: skip
EVERYTHING = ("error", "loss", "margins", "q", "scores")


def run(**case: Any) -> dict[str, torch.Tensor]:
    problem = train_problem(**{**BASE, **case})
    with FakeTensorMode(), Views():
        return run_group(problem, [torch.Generator(), torch.Generator()], 3, GPU)


@pytest.mark.parametrize(
    "case",
    [
        {}, {"batch": 4}, {"batch": 12}, {"population": True}, {"measure": EVERYTHING}, {"measure": EVERYTHING, "batch": 4},
        {"inputs": "sphere", "outputs": "sphere"}, {"N": 11}, {"d": 5}, {"inputs": "orthonormal"}, {"init": "zero"},
        {"optimiser": "sign", "batch": 4}, {"optimiser": "adam", "batch": 12, "layer_norm": True, "learn": "all"},
        {"optimiser": "sign", "batch": 4, "learn": "all"}, {"learn": "exponential", "layer_norm": True, "batch": 2},
        {"optimiser": "sign", "measure": ("q",)}, {"route": "weights", "outputs": "orthonormal", "measure": EVERYTHING},
    ],
)  # fmt: skip
def test_every_kernel(case: dict[str, Any]) -> None:
    found = run(**case)
    N = case.get("N", 12)
    assert found["final"].shape == (6, N, 4)
    assert all(value.device == GPU for value in found.values())
    assert set(found) == {"final", *case.get("measure", ("error",))}


def test_a_copy_to_the_host_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[run_group.__module__]  # the package's attribute of that name is the function

    def careless(problem: Any, recorder: Any, *, ties: bool) -> torch.Tensor:
        return problem.scores / problem.scores.max().item()

    monkeypatch.setattr(module, "train_scores", careless)
    with pytest.raises(Exception, match="_local_scalar_dense"):
        run()
