"""Training that is watched, interrupted and gone on with: progress, checkpoints, the same numbers either way.

A session draws its batches from one generator whose state is part of the checkpoint, and measures accuracy on sequences of
a generator of their own, so that a run that was interrupted gives the same bits as one that was not (one CPU type, one
torch build). Checkpoints are plain arrays (npz), read without executing anything.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from asymp.models.transformer import Transformer
from asymp.montecarlo.draws import canonical, derive_seed, one_thread
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.samplers.transformers.training import take_steps

FORMAT = 1


@dataclass(frozen=True)
class Progress:
    """Where a run is: the step, the mean loss since the last report, the accuracy, the seconds so far and those left."""

    step: int
    steps: int
    loss: float
    accuracy: float
    seconds: float
    left: float

    def __str__(self) -> str:
        loss = "" if np.isnan(self.loss) else f"loss {self.loss:.4g}, "
        left = f", about {self.left:.0f} s left" if self.step < self.steps else ""
        return (
            f"step {self.step} of {self.steps}: {loss}accuracy {100 * self.accuracy:.1f} %, {self.seconds:.0f} s{left}"
        )


def print_progress(progress: Progress) -> None:
    """A line on standard error."""
    print(progress, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class TrainingResult:
    """Losses and accuracies (reports, replicas) at `steps`, the trained model, and the step that the run went on from."""

    steps: np.ndarray
    losses: np.ndarray
    accuracies: np.ndarray
    model: Transformer = field(repr=False)
    resumed: int = 0

    @property
    def accuracy(self) -> np.ndarray:
        """The last accuracies, one a replica."""
        return np.asarray(self.accuracies[-1])

    def to_json(self) -> dict[str, Any]:
        """Numbers only."""
        losses = [[None if np.isnan(v) else float(v) for v in row] for row in self.losses]
        return {"steps": self.steps.tolist(), "losses": losses, "accuracies": self.accuracies.tolist()}

    def __str__(self) -> str:
        after = f"after {int(self.steps[-1])} steps"
        if len(self.accuracy) == 1:
            return f"accuracy {100 * self.accuracy[0]:.1f} % {after}, one model"
        low, high = Estimate(values=self.accuracy, bounds=(0.0, 1.0)).interval(0.95)
        mean = 100 * float(self.accuracy.mean())
        return (
            f"accuracy {mean:.1f} % {after} (95 % interval of the mean {100 * low:.1f} to {100 * high:.1f} %, "
            f"{len(self.accuracy)} models trained as one)"
        )


@dataclass(eq=False)
class Session:
    """A model, what it is shown, and how it learns; `run` takes the steps.

    `loss(model, generator)` draws a batch and gives one loss a replica; `accuracy(model, generator)` one accuracy a
    replica. `settings` says what the run is: a checkpoint of another one is refused. `precision` 'mixed' and `compiled`
    are for a GPU.
    """

    model: Transformer
    names: Sequence[str]
    loss: Callable[[Transformer, torch.Generator], Tensor]
    accuracy: Callable[[Transformer, torch.Generator], Tensor]
    optimiser: torch.optim.Optimizer
    generator: torch.Generator
    settings: dict[str, object]
    seed: int = 0
    precision: str = "full"
    compiled: bool = False

    def __post_init__(self) -> None:
        device = self.generator.device.type
        if self.precision not in ("full", "mixed"):
            raise ValueError(f"precision must be 'full' or 'mixed'; got {self.precision!r}")
        if (self.precision == "mixed" or self.compiled) and device != "cuda":
            raise ValueError(f"precision 'mixed' and compiled are for a GPU; the device is {device!r}")

    def run(
        self,
        *,
        steps: int,
        every: int = 100,
        checkpoint: str | Path | None = None,
        progress: Callable[[Progress], None] | None = print_progress,
    ) -> TrainingResult:
        """Go on to `steps`, from the checkpoint if there is one; report and keep a checkpoint every `every` steps."""
        for name, value, low in (("steps", steps, 0), ("every", every, 1)):
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ValueError(f"{name} must be a whole number >= {low}; got {value!r}")
        path = None if checkpoint is None else Path(checkpoint)
        if path is not None and path.suffix != ".npz":
            raise ValueError(f"checkpoint must be a file that ends in .npz; got {path.name!r}")
        reports: list[tuple[int, np.ndarray, np.ndarray]] = []
        resumed = 0
        if path is not None and path.exists():
            resumed, reports = self._load(path, every)
            if resumed > steps:
                raise ValueError(
                    f"steps must be at least {resumed}, where the checkpoint {path.name!r} is; got {steps}"
                )
        with one_thread():
            self._go(resumed, steps, every, path, progress, reports)
        return TrainingResult(
            np.array([step for step, _, _ in reports]),
            np.stack([loss for _, loss, _ in reports]),
            np.stack([accuracy for _, _, accuracy in reports]),
            self.model,
            resumed,
        )

    def _go(
        self,
        first: int,
        steps: int,
        every: int,
        path: Path | None,
        progress: Callable[[Progress], None] | None,
        reports: list[tuple[int, np.ndarray, np.ndarray]],
    ) -> None:
        loss_of = torch.compile(self.loss) if self.compiled else self.loss
        start = time.perf_counter()
        total, count = torch.zeros(self.model.replicas, dtype=torch.float64, device=self.generator.device), 0

        def loss(step: int) -> Tensor:
            nonlocal count
            with torch.autocast(self.generator.device.type, enabled=self.precision == "mixed", dtype=torch.bfloat16):
                losses = loss_of(self.model, self.generator)
            total.add_(losses.detach())
            count += 1
            return losses

        def report(step: int) -> None:
            nonlocal count
            if reports and reports[-1][0] == step:  # the checkpoint has it
                return
            mean = (total / count if count else total * np.nan).cpu().numpy()
            reports.append((step, mean, self._measured(step)))
            total.zero_()
            count = 0
            # A report that stands between two multiples of `every` would shift the means of a run that goes on.
            if path is not None and step % every == 0:
                self._save(path, step, every, reports)
            if progress is not None:
                seconds = time.perf_counter() - start
                left = seconds / max(1, step - first) * (steps - step)
                progress(Progress(step, steps, float(mean.mean()), float(reports[-1][2].mean()), seconds, left))

        take_steps(loss, lambda _: self.optimiser, steps=steps, first=first, every=every, look=report)

    def _measured(self, step: int) -> np.ndarray:
        device = self.generator.device
        own = torch.Generator(device=device).manual_seed(derive_seed("held out", self.seed, step))
        with torch.no_grad():
            return self.accuracy(self.model, own).double().cpu().numpy()

    # -- checkpoints ---------------------------------------------------------------------------------------------------

    def _said(self, every: int) -> str:
        return json.dumps(canonical({"format": FORMAT, "every": every, **self.settings}), sort_keys=True)

    def _save(self, path: Path, step: int, every: int, reports: list[tuple[int, np.ndarray, np.ndarray]]) -> None:
        arrays: dict[str, np.ndarray] = {
            "settings": np.array(self._said(every)),
            "step": np.array(step),
            "generator": self.generator.get_state().cpu().numpy(),
            "report-steps": np.array([s for s, _, _ in reports]),
            "report-losses": np.stack([loss for _, loss, _ in reports]),
            "report-accuracies": np.stack([accuracy for _, _, accuracy in reports]),
        }
        for name, parameter in self.model.named_parameters():
            arrays[f"model {name}"] = parameter.detach().cpu().numpy()
        for name in self.names:
            for key, value in self.optimiser.state.get(self.model[name], {}).items():
                if value is not None:
                    arrays[f"optimiser {name} {key}"] = torch.as_tensor(value).detach().cpu().numpy()
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            with unfinished.open("wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
            unfinished.replace(path)  # at once: a killed run leaves the checkpoint before, or this one
        finally:
            unfinished.unlink(missing_ok=True)

    def _load(self, path: Path, every: int) -> tuple[int, list[tuple[int, np.ndarray, np.ndarray]]]:
        arrays = _arrays(path)
        if str(arrays.get("settings")) != self._said(every):
            raise ValueError(f"checkpoint {path.name!r} is of another run: its settings differ; give another file")
        device = self.generator.device
        try:
            with torch.no_grad():
                for name, parameter in self.model.named_parameters():
                    parameter.copy_(_tensor(arrays[f"model {name}"], tuple(parameter.shape), device))
            for name in self.names:
                prefix = f"optimiser {name} "
                state = {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}
                if state:
                    self.optimiser.state[self.model[name]] = {
                        key: torch.from_numpy(value).to(device) for key, value in state.items()
                    }
            self.generator.set_state(torch.from_numpy(arrays["generator"]))
            reports = zip(
                arrays["report-steps"].tolist(), arrays["report-losses"], arrays["report-accuracies"], strict=True
            )
            return int(arrays["step"]), list(reports)
        except (KeyError, TypeError, RuntimeError, ValueError) as error:
            raise ValueError(f"checkpoint {path.name!r} is damaged ({error}); give another file") from None


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file, none of which may be an object: nothing in it is executed."""
    try:
        with np.load(path, allow_pickle=False) as kept:
            return {name: kept[name] for name in kept.files}
    except Exception as error:  # numpy and zipfile raise many kinds for a damaged file
        raise ValueError(f"checkpoint {path.name!r} cannot be read ({type(error).__name__}: {error})") from None


def _tensor(value: np.ndarray, shape: tuple[int, ...], device: torch.device) -> Tensor:
    if value.shape != shape:
        raise ValueError(f"an array has the shape {value.shape} and not {shape}")
    return torch.from_numpy(value).to(device)
