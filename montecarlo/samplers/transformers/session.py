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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from asymp.models.transformer import Transformer
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw, block_generator, canonical, one_thread, pick_device
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.samplers.transformers.training import Optimiser, take_steps

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


# Models trained side by side; `asymp measure` asks for 1000 replicas unless told otherwise.
MOST = 64


@dataclass(frozen=True, kw_only=True)
class Watched:
    """How training is run and watched.

    Args:
        steps: How many steps are taken.
        every: After how many steps progress is reported, and the checkpoint written.
        checkpoint: A file that a run which was interrupted goes on from.
        precision: "full" (float32), or on a GPU "mixed" (bfloat16 where that is safe).
        compiled: Whether torch compiles the model before it is trained (on a GPU only).
        progress: What is called with each report; None says nothing.
        replicas: How many models are trained side by side.
        seed: A whole number; the same seed gives the same numbers.
        device: "auto" (a GPU if there is one), "cpu" or "cuda".
    """

    steps: int
    every: int
    checkpoint: str | Path | None = None
    precision: str = "full"
    compiled: bool = False
    progress: Callable[[Progress], None] | None = print_progress
    replicas: int = 1
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        check_whole("replicas", self.replicas)
        if self.replicas > MOST:
            raise ValueError(
                f"replicas must be at most {MOST}: so many models are trained side by side; got {self.replicas}"
            )
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise ValueError(f"seed must be a whole number; got {self.seed!r}")
        device = pick_device(self.device).type
        if self.precision not in ("full", "mixed"):
            raise ValueError(f"precision must be 'full' or 'mixed'; got {self.precision!r}")
        if (self.precision == "mixed" or self.compiled) and device != "cuda":
            raise ValueError(f"precision 'mixed' and compiled are for a GPU; the device is {device!r}")
        for name, value, low in (("steps", self.steps, 0), ("every", self.every, 1)):
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ValueError(f"{name} must be a whole number >= {low}; got {value!r}")
        if self.path is not None and self.path.suffix != ".npz":
            raise ValueError(f"checkpoint must be a file that ends in .npz; got {self.path.name!r}")

    @property
    def path(self) -> Path | None:
        """The file of the checkpoint."""
        return None if self.checkpoint is None else Path(self.checkpoint)

    def draw(self, name: str) -> Draw:
        """The random numbers of a run of this name."""
        where = pick_device(self.device)
        return Draw(int(self.replicas), block_generator(where, name, self.seed), where)


Reports = list[tuple[int, np.ndarray, np.ndarray]]
"""Steps with the mean losses since the report before, and the accuracies, one a replica."""


@dataclass(eq=False)
class Session:
    """A model, what it is shown, and how it learns; `run` takes the steps.

    `loss(model, draw)` draws a batch and gives one loss a replica; `accuracy(model, draw)` one accuracy a replica.
    `settings` says what the run is: a checkpoint of another one is refused.
    """

    model: Transformer
    names: Sequence[str]
    loss: Callable[[Transformer, Draw], Tensor]
    accuracy: Callable[[Transformer, Draw], Tensor]
    optimiser: Optimiser
    draw: Draw
    settings: dict[str, object]
    watched: Watched

    def __post_init__(self) -> None:
        self.stepper = self.optimiser.make(self.model.train_only(self.names))
        self.generator = self.draw.generator

    def run(self) -> TrainingResult:
        """Take the steps, from the checkpoint on if there is one; report and keep a checkpoint every so many steps."""
        steps, path = self.watched.steps, self.watched.path
        reports: Reports = []
        resumed = 0
        if path is not None and path.exists():
            resumed, reports = self._load(path)
            if resumed > steps:
                raise ValueError(
                    f"steps must be at least {resumed}, where the checkpoint {path.name!r} is; got {steps}"
                )
        with one_thread():
            self._go(resumed, reports)
        taken, losses, accuracies = (np.stack(column) for column in zip(*reports, strict=True))
        return TrainingResult(taken, losses, accuracies, self.model, resumed)

    def _go(self, first: int, reports: Reports) -> None:
        steps, every, path = self.watched.steps, self.watched.every, self.watched.path
        loss_of = torch.compile(self.loss) if self.watched.compiled else self.loss
        mixed = self.watched.precision == "mixed"
        start = time.perf_counter()
        total, count = torch.zeros(self.model.replicas, dtype=torch.float64, device=self.generator.device), 0

        def loss(step: int) -> Tensor:
            nonlocal count
            with torch.autocast(self.generator.device.type, enabled=mixed, dtype=torch.bfloat16):
                losses = loss_of(self.model, self.draw)
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
                self._save(path, step, reports)
            if self.watched.progress is not None:
                seconds = time.perf_counter() - start
                left = seconds / max(1, step - first) * (steps - step)
                accuracy = float(reports[-1][2].mean())
                self.watched.progress(Progress(step, steps, float(mean.mean()), accuracy, seconds, left))

        take_steps(loss, lambda _: self.stepper, steps=steps, first=first, every=every, look=report)

    def _measured(self, step: int) -> np.ndarray:
        own = block_generator(self.draw.device, "held out", self.watched.seed, step)
        with torch.no_grad():
            return self.accuracy(self.model, replace(self.draw, generator=own)).double().cpu().numpy()

    # -- checkpoints ---------------------------------------------------------------------------------------------------

    def _said(self) -> str:
        return json.dumps(canonical({"format": FORMAT, "every": self.watched.every, **self.settings}), sort_keys=True)

    def _save(self, path: Path, step: int, reports: Reports) -> None:
        taken, losses, accuracies = (np.stack(column) for column in zip(*reports, strict=True))
        arrays: dict[str, np.ndarray] = {
            "settings": np.array(self._said()),
            "step": np.array(step),
            "generator": self.generator.get_state().cpu().numpy(),
            "report-steps": taken,
            "report-losses": losses,
            "report-accuracies": accuracies,
        }
        for name, parameter in self.model.named_parameters():
            arrays[f"model {name}"] = parameter.detach().cpu().numpy()
        for name in self.names:
            for key, value in self.stepper.state.get(self.model[name], {}).items():
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

    def _load(self, path: Path) -> tuple[int, Reports]:
        arrays = _arrays(path)
        if str(arrays.get("settings")) != self._said():
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
                    self.stepper.state[self.model[name]] = {
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
