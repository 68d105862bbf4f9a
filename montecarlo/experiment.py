"""An Experiment: a sampler of per-replica values, its version, and how its replicas are run in blocks.

A table of recorded numbers in the place of an experiment, so that a claim may speak of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from inspect import Parameter, iscoroutinefunction, signature
from itertools import islice
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np

from asymp.lines import line_of
from asymp.montecarlo.checks import seed_of
from asymp.montecarlo.draws import Draw, block_generator, canonical, one_thread, pick_device
from asymp.montecarlo.estimate import Estimate, check_bounds, check_kurtosis
from asymp.montecarlo.fit.table import read_table
from asymp.montecarlo.lazy import torch

Bounds = tuple[float, float] | Callable[..., tuple[float, float] | None] | None
Drawn: TypeAlias = "torch.Tensor | np.ndarray | Sequence[float] | Mapping[str, torch.Tensor]"
"""What a sampler returns: one value a replica, or arrays by name for statements that compare arrays (`Entrywise`)."""
Sampler = Callable[..., Drawn]

FORMER = ("replicas", "generator", "device")
"""What a sampler of version 0.1 took in the place of `draw`."""


class ExperimentError(RuntimeError):
    """An experiment failed while it ran: which one, where, and what it said."""


@dataclass(frozen=True)
class Experiment:
    """A sampler with a name: a function of a `Draw` and of parameters that returns one value a replica.

    Args:
        id: The name, such as "missing-mass"; part of the seed of every block.
        sample: The sampler, `sample(draw, *, d, ...)`; it returns a tensor, an array or a list of `draw.replicas` values.
        version: A whole number to raise when the meaning of the values changes.
        block: How many replicas are drawn together, with a generator of their own; other blocks are other numbers. Small
            ones answer soon where a replica takes seconds, large ones are faster where replicas are vectorised.
        bounds: Says that every value lies in [low, high], a pair or a function of the parameters: the interval of the
            mean is then a finite-sample one. One of the two may be infinite.
        kurtosis: Says that unbounded values have this kurtosis at most, a number or a function of the parameters (normal
            values have 3, squares of them 15): the interval of the mean is then a finite-sample one, too. Of values of which
            nothing is declared no mean is judged: Student's interval is shown for orientation.
        deterministic: Says that every replica gives the same number but for rounding: an identity, no mean.
    """

    id: str
    sample: Sampler
    _: KW_ONLY
    version: int = 1
    block: int = 8
    bounds: Bounds = None
    kurtosis: float | Callable[..., float | None] | None = None
    deterministic: bool = False

    def __post_init__(self) -> None:
        if not callable(self.sample) or iscoroutinefunction(self.sample):
            raise ValueError(f"the sampler of experiment {self.id!r} must be a plain function; got {self.sample!r}")
        takes = signature(self.sample).parameters
        first = next(iter(takes.values()), None)
        draws = first is not None and first.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        if not draws or any(name in takes for name in FORMER):
            raise ValueError(
                f"the sampler of experiment {self.id!r} must take `draw` first, in the place of {', '.join(FORMER)}, and "
                "its own parameters as keywords: def sample(draw, *, d): return draw.normal() / d"
            )
        if isinstance(self.version, bool) or not isinstance(self.version, int):
            raise ValueError(f"version must be an integer; got {self.version!r}")
        if isinstance(self.block, bool) or not isinstance(self.block, int) or self.block < 1:
            raise ValueError(f"block must be an integer >= 1; got {self.block!r}")
        if not isinstance(self.deterministic, bool):
            raise ValueError(f"deterministic must be True or False; got {self.deterministic!r}")
        if not callable(self.bounds):
            check_bounds(self.bounds)
        if not callable(self.kurtosis):
            check_kurtosis(self.kurtosis)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the sampler's own parameters."""
        _, *own = signature(self.sample).parameters.values()
        return tuple(p.name for p in own if p.kind is not Parameter.VAR_KEYWORD)

    @property
    def users(self) -> bool:
        """Whether it is a user's own, and none that comes with asymp."""
        home = getattr(self.sample, "__module__", None) or type(self.sample).__module__
        return not home.startswith("asymp.")

    @property
    def takes_any(self) -> bool:
        """Whether the sampler takes parameters of any name (it ends in `**settings`)."""
        return any(p.kind is Parameter.VAR_KEYWORD for p in signature(self.sample).parameters.values())

    def blocks(
        self, *, seed: int = 0, device: str = "auto", first_block: int = 0, **params: object
    ) -> Iterator[np.ndarray]:
        """The blocks of per-replica values, one after the other from `first_block` on, without end.

        `seed`, `device`: as in `run`. `params`: the sampler's own parameters.
        """
        return self._blocks(params, seed, device, first_block)

    def _blocks(self, params: Mapping[str, object], seed: int, device: str, first_block: int) -> Iterator[np.ndarray]:
        where = pick_device(device)
        names = canonical(params)  # once: a parameter may be an array of a million entries
        index = first_block
        while True:
            generator = block_generator(where, self.id, self.version, names, seed, index)
            yield self._draw(params, generator, where)
            index += 1

    def block_again(self, index: int, *, seed: int, device: str, **params: object) -> tuple[np.ndarray, bool]:
        """The block of number `index`, drawn for its own sake, and whether its sampler took random numbers from `draw`.

        Args:
            index: The block's number, from 0.
            seed: The run's seed.
            device: `auto`, `cpu` or `cuda`.
            **params: The sampler's parameters.
        """
        where = pick_device(device)
        generator = block_generator(where, self.id, self.version, canonical(params), seed, index)
        before = generator.get_state()
        return self._draw(params, generator, where), not torch.equal(before, generator.get_state())

    def estimate(self, values: np.ndarray, **params: object) -> Estimate:
        """The estimate from `values` that were drawn before; `params` are the sampler's parameters at which they were."""
        bounds, kurtosis = self.declared(**params)
        return Estimate(values, bounds, kurtosis=kurtosis, deterministic=self.deterministic)

    def declared(self, **params: object) -> tuple[tuple[float, float] | None, float | None]:
        """The bounds and the kurtosis that the values are declared to have at these parameters."""
        bounds = self.bounds(**params) if callable(self.bounds) else self.bounds
        return bounds, self.kurtosis(**params) if callable(self.kurtosis) else self.kurtosis

    def run(
        self,
        *,
        replicas: int = 1000,
        seed: int = 0,
        rng: int | np.random.Generator | None = None,
        device: str = "auto",
        rel_error: float | None = None,
        **params: object,
    ) -> Estimate:
        """Draw values at given parameters of the sampler, and estimate their mean.

        Args:
            replicas: How many values are drawn; with `rel_error`, how many at most.
            seed: A whole number. The same seed and parameters give the same values.
            rng: In the place of a seed, one, or a `numpy.random.Generator`, which gives other values every time.
            device: Where it is computed, as torch calls it; "auto" is a GPU if there is one, else the CPU.
            rel_error: Stop as soon as the half-width of the 95 % interval is at most this share of the mean.
            **params: The sampler's own parameters.
        """
        if isinstance(replicas, bool) or not isinstance(replicas, int | np.integer) or replicas < 1:
            raise ValueError(f"replicas must be an integer >= 1; got {replicas!r}")
        blocks = self._blocks(params, seed_of(seed, rng), device, 0)
        if rel_error is not None:
            bounds, kurtosis = self.declared(**params)
            return Estimate.until(blocks, rel_error=rel_error, replicas=int(replicas), bounds=bounds, kurtosis=kurtosis)
        values = np.concatenate(list(islice(blocks, -(-int(replicas) // self.block))))
        return self.estimate(values[:replicas], **params)

    def _draw(self, params: Mapping[str, object], generator: torch.Generator, where: torch.device) -> np.ndarray:
        try:
            with one_thread():
                drawn = self.sample(Draw(self.block, generator, where), **params)
        except ValueError:
            raise
        except (Exception, SystemExit) as error:
            words = ": ".join(filter(None, (type(error).__name__, str(error))))
            raise ExperimentError(f"experiment {self.id!r} failed{_at(params)}{line_of(error)}: {words}") from error
        return self._checked(drawn, params)

    def _checked(self, drawn: Drawn, params: Mapping[str, object]) -> np.ndarray:
        values: np.ndarray
        if isinstance(drawn, torch.Tensor):
            values = drawn.detach().to("cpu", torch.complex128 if drawn.is_complex() else torch.float64).numpy()
        else:
            try:
                values = np.asarray(drawn)
                values = values if values.dtype.kind == "c" else np.asarray(values, dtype=np.float64)
            except (TypeError, ValueError):
                values = np.empty(0)
        if values.dtype.kind == "c":
            raise ValueError(
                f"experiment {self.id!r} returned complex values{_at(params)}; return real ones, such as their real part"
            )
        if values.shape != (self.block,):
            got = f"shape {values.shape}" if hasattr(drawn, "shape") or values.size else f"a {type(drawn).__name__}"
            raise ValueError(
                f"experiment {self.id!r} must return a tensor, an array or a list of draw.replicas values, "
                f"shape ({self.block},); got {got}{_at(params)}"
            )
        if not np.isfinite(values).all():
            raise ValueError(f"experiment {self.id!r} returned a value that is not finite{_at(params)}")
        return values


def _at(params: Mapping[str, object]) -> str:
    return f" at {', '.join(f'{name}={_brief(value)}' for name, value in params.items())}" if params else ""


def _brief(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 40 else f"{text[:36]} ..."


experiment = Experiment
"""Declare an experiment: a name, a sampler, an integer version."""


Rows = tuple[tuple[tuple[float, ...], float], ...]


def recorded(id: str, data: Any, *, x: str, y: str, where: str | None = None) -> Experiment:
    """An experiment that gives back a table's number at each of its sizes: for values without noise, one at a size.

    For noisy measurements there is `asymp.fit(...).verdict(law)`, which takes their noise from the table.

    >>> table = recorded("trapezoid", {"h": [0.5, 0.25], "error": [0.1, 0.025]}, x="h", y="error")
    >>> float(table.run(h=0.25, replicas=2).mean)
    0.025

    Args:
        id: the experiment's name.
        data: a CSV, JSONL or Parquet file, a mapping of columns, or a data frame.
        x: the column of sizes, or two with a comma; statements call them by these names.
        y: the column of values.
        where: a condition on rows, such as "h<0.1".
    """
    table = read_table(data, x=x, y=y, where=where)
    rows: Rows = tuple((tuple(size), value) for size, value in zip(table.x.tolist(), table.y.tolist(), strict=True))
    sizes = [size for size, _ in rows]
    if len(set(sizes)) < len(sizes):
        twice = next(size for size in sizes if sizes.count(size) > 1)
        raise ValueError(
            f"table {id!r} has several rows at {', '.join(f'{v:g}' for v in twice)}; a recorded table has one number a size: "
            "judge replicates by asymp.fit(...).verdict(law)"
        )
    # Another table is another version, so that numbers of the old one are not taken from the store.
    version = crc32(repr((table.variables, rows)).encode())
    return Experiment(id, partial(_value, (table.variables, rows)), version=version, deterministic=True)


def _value(table: tuple[tuple[str, ...], Rows], draw: Draw, **sizes: float) -> list[float]:
    variables, rows = table
    wanted = tuple(float(sizes[name]) for name in variables)
    for size, value in rows:
        if size == wanted:
            return [value] * draw.replicas
    raise ValueError(f"the table has no row at {', '.join(f'{k}={v:g}' for k, v in sizes.items())}")
