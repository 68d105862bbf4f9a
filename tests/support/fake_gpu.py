"""A sampler on a fake GPU, where tensors of mixed devices and copies to the host on the way are errors.

Stand-ins are needed in a torch built without CUDA (2.13): indexing with brackets and `contiguous` ask for a CUDA device
guard, so a function mode translates them to the same views and to `clone`; torch.binomial has no fake kernel, so the mode
puts one in its place, which checks devices and types.
"""

from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode

from asymp.montecarlo.draws import Draw

__all__ = ["GPU", "Views", "run"]

GPU = torch.device("cuda", 0)


def run(sample: Any, replicas: int = 16, **params: Any) -> None:
    """Draw from a sampler there; one number for each replica comes out, on that device."""
    with FakeTensorMode(), Views():
        values = sample(Draw(replicas, torch.Generator(), GPU), **params)
    assert values.shape == (replicas,)
    assert values.device == GPU
    assert values.dtype == torch.float64


def fake_binomial(count: torch.Tensor, prob: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    assert count.device == prob.device == GPU
    assert count.dtype == prob.dtype == torch.float64
    assert count.shape == prob.shape
    assert generator is not None
    return torch.empty_like(count)


class Views(TorchFunctionMode):
    """Brackets with numbers, slices, None and ... as views; `contiguous` as `clone`."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.binomial:
            return fake_binomial(*args, **(kwargs or {}))
        if func is torch.Tensor.contiguous:
            return args[0].clone(memory_format=torch.contiguous_format)
        if func is torch.Tensor.__setitem__:
            place, value = self._view(*args[:2]), args[2]
            return place.copy_(value) if isinstance(value, torch.Tensor) else place.fill_(value)
        if func is not torch.Tensor.__getitem__:
            return func(*args, **(kwargs or {}))
        return self._view(*args)

    @staticmethod
    def _view(tensor: torch.Tensor, index: Any) -> torch.Tensor:
        axis = 0
        items = list(index) if isinstance(index, tuple) else [index]
        if any(item is Ellipsis for item in items):
            at = next(i for i, item in enumerate(items) if item is Ellipsis)
            rest = tensor.dim() - sum(item is not None and item is not Ellipsis for item in items)
            items[at : at + 1] = [slice(None)] * rest
        for item in items:
            if item is None:
                tensor = tensor.unsqueeze(axis)
            elif isinstance(item, int):
                tensor = tensor.select(axis, item)
                continue
            else:
                start, stop, step = item.indices(tensor.shape[axis])
                assert step == 1
                tensor = tensor.narrow(axis, start, max(0, stop - start))
            axis += 1
        return tensor
