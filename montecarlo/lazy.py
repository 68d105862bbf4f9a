"""torch, loaded when one of its names is first used: declaring an experiment needs none, running one does."""

from typing import TYPE_CHECKING

from asymp.lazy import Lazy

__all__ = ["torch"]

if TYPE_CHECKING:
    import torch
else:
    torch = Lazy("torch")
