"""Every sampler runs on a fake GPU: tensors of mixed devices, and copies to the host on the way, are errors there.

Two stand-ins are needed in a torch built without CUDA (2.13): torch.binomial has no fake kernel, so the test puts one
in its place, which checks devices and types; and indexing with brackets asks for a CUDA device guard, so brackets are
translated to the same views (select, narrow, unsqueeze) by a function mode.
"""

import math
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode

from asymp.montecarlo.recall.error import sample_recall_error
from asymp.montecarlo.scores.moments import sample_score, sample_score_variance
from asymp.montecarlo.zipf.missing_mass import sample_missing_mass

GPU = torch.device("cuda", 0)
BASE: dict[str, Any] = {"alpha": 2, "N": 30, "M": 4, "d": 6}


@pytest.fixture(autouse=True)
def fake_binomial(monkeypatch: pytest.MonkeyPatch) -> None:
    def binomial(count: torch.Tensor, prob: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        assert count.device == prob.device == GPU
        assert count.dtype == prob.dtype == torch.float64
        assert count.shape == prob.shape
        assert generator is not None
        return torch.empty_like(count)

    monkeypatch.setattr(torch, "binomial", binomial)


def view(tensor: torch.Tensor, index: Any) -> torch.Tensor:
    """tensor[index] for whole numbers, slices of step one, None and an ellipsis."""
    index = index if isinstance(index, tuple) else (index,)
    used = sum(item is not None and item is not Ellipsis for item in index)
    axis = 0
    for item in index:
        if item is Ellipsis:
            axis += tensor.dim() - axis - used
        elif item is None:
            tensor = tensor.unsqueeze(axis)
            axis += 1
        elif isinstance(item, int):
            tensor = tensor.select(axis, item)
            used -= 1
        else:
            start, stop, step = item.indices(tensor.shape[axis])
            assert step == 1
            tensor = tensor.narrow(axis, start, max(0, stop - start))
            axis += 1
            used -= 1
    return tensor


class Brackets(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.__getitem__:
            return view(*args)
        return func(*args, **(kwargs or {}))


def test_brackets_are_translated_faithfully() -> None:
    x = torch.arange(60.0).view(3, 4, 5)
    for index in (
        1,
        -1,
        slice(1, 3),
        None,
        (slice(None), 2),
        (..., slice(1, -1)),
        (..., 0),
        (slice(None), None, 1, slice(2)),
    ):
        assert torch.equal(view(x, index), x[index])


def run(sample: Any, **params: Any) -> None:
    with FakeTensorMode(), Brackets():
        values = sample(**params, replicas=16, generator=torch.Generator(), device=GPU)
    assert values.shape == (16,)
    assert values.device == GPU
    assert values.dtype == torch.float64


@pytest.mark.parametrize(("alpha", "T", "N"), [(2, 100, math.inf), (1.1, 10**5, math.inf), (1, 100, 5000), (0, 9, 50)])
def test_missing_mass(alpha: float, T: int, N: float) -> None:
    run(sample_missing_mass, alpha=alpha, T=T, N=N)


@pytest.mark.parametrize("route", ["naive", "projected"])
@pytest.mark.parametrize("kind", ["gaussian", "sphere"])
def test_scores(kind: str, route: str) -> None:
    run(sample_score, **BASE, inputs=kind, outputs=kind, route=route, rho=0.5)
    run(sample_score_variance, **BASE, inputs=kind, outputs=kind, route=route, y=3)


@pytest.mark.parametrize("route", ["naive", "factored", "d-free"])
@pytest.mark.parametrize(
    "case",
    [
        {}, {"d": 1, "outputs": "sphere"}, {"M": 40}, {"T": 20, "P": 5, "rho": 0.5}, {"T": 10**4, "M": 40},
        {"weights": [1.0] * 29 + [0.0], "T": 50}, {"N": math.inf, "P": 7.5}, {"N": math.inf, "rho": 1},
        {"N": math.inf, "T": 100, "P": 9, "rho": 1},
    ],
)  # fmt: skip
def test_recall(case: dict[str, Any], route: str) -> None:
    run(sample_recall_error, **{**BASE, **case}, route=route)


def test_recall_with_sphere_inputs() -> None:
    run(sample_recall_error, **BASE, inputs="sphere", outputs="sphere")


def test_the_fake_gpu_finds_a_copy_to_the_host() -> None:
    def careless(*, replicas: int, generator: torch.Generator, device: torch.device) -> torch.Tensor:
        drawn = torch.randn(replicas, device=device, dtype=torch.float64, generator=generator)
        return drawn / drawn.max().item()

    with pytest.raises(Exception, match="_local_scalar_dense"):
        run(careless)


def test_the_fake_gpu_finds_a_tensor_of_another_device() -> None:
    def careless(*, replicas: int, generator: torch.Generator, device: torch.device) -> torch.Tensor:
        return torch.randn(replicas, device=device, dtype=torch.float64, generator=generator) * torch.ones(replicas)

    with pytest.raises(RuntimeError, match="device"):
        run(careless)
