"""An Experiment: a sampler of per-replica values, its version, and how its replicas are run in blocks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from asymp.montecarlo.blocks import block_generator, canonical, one_thread, pick_device
from asymp.montecarlo.estimate import Estimate

if TYPE_CHECKING:
    from asymp.montecarlo.store.folder import Store

__all__ = ["Experiment", "ExperimentError", "experiment"]

Bounds = tuple[float, float] | Callable[..., tuple[float, float]] | None

MACHINERY = ("replicas", "generator", "device")


class ExperimentError(RuntimeError):
    """An experiment failed while it ran: which one, where, and what it said."""


@dataclass(frozen=True)
class Experiment:
    """A function of parameters, replicas, generator and device that returns one value a replica.

    `version` is an integer that changes when the meaning of the values does. `bounds` says that every value lies in
    [low, high], a pair or a function of the parameters: the interval of the mean is then a finite-sample one.
    """

    id: str
    sample: Callable[..., torch.Tensor]
    version: int = 1
    block: int = 64
    bounds: Bounds = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the sampler's own parameters."""
        return tuple(name for name in signature(self.sample).parameters if name not in MACHINERY)

    def blocks(
        self, *, seed: int = 0, device: str = "auto", first_block: int = 0, **params: Any
    ) -> Iterator[np.ndarray]:
        """The blocks of per-replica values, one after the other from `first_block` on, without end."""
        where = pick_device(device)
        names = canonical(params)  # once: a parameter may be an array of a million entries
        index = first_block
        while True:
            generator = block_generator(where, self.id, self.version, names, seed, index)
            yield self._draw(params, generator, where)
            index += 1

    def estimate(self, values: np.ndarray, **params: Any) -> Estimate:
        """The estimate from values that were drawn before at these parameters."""
        return Estimate(values=values, bounds=self.bounds(**params) if callable(self.bounds) else self.bounds)

    def run(
        self,
        *,
        replicas: int = 1000,
        seed: int = 0,
        device: str = "auto",
        rel_error: float | None = None,
        store: "Store | None" = None,
        **params: Any,
    ) -> Estimate:
        """The estimate from `replicas` values; with `rel_error`, from as many blocks as that takes (at most `replicas`).

        With a `store` every finished block is kept there as a cell, and found again.
        """
        if isinstance(replicas, bool) or not isinstance(replicas, int | np.integer) or replicas < 1:
            raise ValueError(f"replicas must be an integer >= 1; got {replicas!r}")
        bounds = self.bounds(**params) if callable(self.bounds) else self.bounds
        if rel_error is not None:
            return Estimate.until(
                self._blocks_from(store, seed, device, params),
                rel_error=rel_error,
                replicas=int(replicas),
                bounds=bounds,
            )
        parts: list[np.ndarray] = []
        have = 0
        for block in self._blocks_from(store, seed, device, params):
            parts.append(block)
            have += len(block)
            if have >= replicas:
                break
        return Estimate(values=np.concatenate(parts)[:replicas], bounds=bounds)

    def _blocks_from(
        self, store: "Store | None", seed: int, device: str, params: dict[str, Any]
    ) -> Iterator[np.ndarray]:
        if store is None:
            return self.blocks(seed=seed, device=device, **params)
        from asymp.montecarlo.store.kept import kept_blocks
        from asymp.montecarlo.store.series import Series

        return kept_blocks(Series(self, params, seed=seed, device=device), store)

    def _draw(self, params: dict[str, Any], generator: torch.Generator, where: torch.device) -> np.ndarray:
        try:
            with one_thread():
                drawn = self.sample(**params, replicas=self.block, generator=generator, device=where)
        except ValueError:
            raise
        except Exception as error:
            at = ", ".join(f"{name}={_brief(value)}" for name, value in params.items())
            raise ExperimentError(f"experiment {self.id!r} failed at {at}: {type(error).__name__}: {error}") from error
        return self._checked(drawn)

    def _checked(self, drawn: torch.Tensor) -> np.ndarray:
        if not isinstance(drawn, torch.Tensor) or drawn.shape != (self.block,):
            got = tuple(drawn.shape) if isinstance(drawn, torch.Tensor) else type(drawn).__name__
            raise ValueError(
                f"experiment {self.id!r} must return a tensor of `replicas` values, shape ({self.block},); got {got}"
            )
        values = drawn.detach().to("cpu", torch.float64).numpy()
        if not np.isfinite(values).all():
            raise ValueError(f"experiment {self.id!r} returned a value that is not finite")
        return values


def _brief(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 40 else f"{text[:36]} ..."


def experiment(
    id: str,
    sample: Callable[..., torch.Tensor],
    *,
    version: int = 1,
    block: int = 64,
    bounds: Bounds = None,
) -> Experiment:
    """Declare an experiment: a name, a sampler, an integer version."""
    names = signature(sample).parameters
    missing = [name for name in MACHINERY if name not in names]
    if missing and not any(p.kind is Parameter.VAR_KEYWORD for p in names.values()):
        raise ValueError(
            f"the sampler of experiment {id!r} must take {', '.join(MACHINERY)} as keywords; missing: {', '.join(missing)}"
        )
    if isinstance(version, bool) or not isinstance(version, int):
        raise ValueError(f"version must be an integer; got {version!r}")
    if block < 1:
        raise ValueError(f"block must be an integer >= 1; got {block!r}")
    return Experiment(id=id, sample=sample, version=version, block=block, bounds=bounds)
