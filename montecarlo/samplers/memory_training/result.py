"""What a training run gives back: trajectories of per-replica values, and the scores at the end."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from asymp.montecarlo.estimate import Estimate


class TrainingDiverged(ValueError):
    """The weights left the range of float64: the step is too large for this problem."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """One quantity at the recorded steps, replica by replica.

    `values` has shape (replicas, steps) for a number (error, loss), (replicas, steps, N) for a number an input
    (margins, q) and (replicas, steps, N, M) for the scores. Step 0 is the memory before training.
    """

    name: str
    steps: np.ndarray
    values: np.ndarray
    bounds: tuple[float, float] | None = None

    def index(self, step: int) -> int:
        """The place of a recorded step in `steps`."""
        found = np.flatnonzero(self.steps == step)
        if len(found) == 0:
            shown = ", ".join(str(s) for s in self.steps[:8]) + (", ..." if len(self.steps) > 8 else "")
            raise ValueError(f"step must be one of the recorded steps ({shown}); got {step!r}")
        return int(found[0])

    def at(self, step: int, x: int | None = None, y: int | None = None) -> Estimate:
        """The estimate at a recorded step; of a quantity of inputs at x in 1..N (and y in 0..M-1)."""
        values = self.values[:, self.index(step)]
        for name, given, low in (("x", x, 1), ("y", y, 0)):
            if values.ndim == 1:
                if given is not None:
                    raise ValueError(f"{name} must be left out: {self.name} has one value a replica; got {given!r}")
                continue
            high = values.shape[1] - 1 + low
            if isinstance(given, bool) or not isinstance(given, int | np.integer) or not low <= given <= high:
                raise ValueError(f"{name} must be a whole number in {low}..{high} for {self.name}; got {given!r}")
            values = values[:, int(given) - low]
        return Estimate(values=values, bounds=self.bounds)

    @property
    def final(self) -> Estimate:
        """The estimate at the last recorded step (of a quantity with one value a replica)."""
        return self.at(int(self.steps[-1]))

    @property
    def mean(self) -> np.ndarray:
        """The mean over replicas, at each recorded step."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def stderr(self) -> np.ndarray:
        """The standard error of the mean, at each recorded step; infinite for one replica."""
        n = len(self.values)
        if n == 1:
            return np.full(self.values.shape[1:], np.inf)
        return np.asarray(self.values.std(axis=0, ddof=1) / np.sqrt(n))

    def interval(self, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """The intervals of the means, low and high, each at `level` (they do not hold jointly)."""
        flat = self.values.reshape(len(self.values), -1)
        ends = [Estimate(values=column, bounds=self.bounds).interval(level) for column in flat.T]
        shape = self.values.shape[1:]
        low, high = np.array(ends, dtype=np.float64).T
        return low.reshape(shape), high.reshape(shape)

    def to_json(self) -> dict[str, Any]:
        """Steps and means; with one value a replica also the 95 % intervals."""
        out: dict[str, Any] = {"name": self.name, "steps": self.steps.tolist(), "mean": self.mean.tolist()}
        if self.values.ndim == 2:
            low, high = self.interval()
            out["interval"] = [
                [float(a) if np.isfinite(a) else None, float(b) if np.isfinite(b) else None]
                for a, b in zip(low, high, strict=True)
            ]
        return out


@dataclass(frozen=True, eq=False)
class Training:
    """The trajectories that were asked for (None otherwise) and the final scores, shape (replicas, N, M)."""

    scores: np.ndarray
    p: np.ndarray
    targets: np.ndarray
    total_steps: int
    route: str
    parameters: dict[str, Any]
    error: Trajectory | None = None
    loss: Trajectory | None = None
    margins: Trajectory | None = None
    q: Trajectory | None = None
    matrices: Trajectory | None = None

    @property
    def replicas(self) -> int:
        """The number of replicas."""
        return len(self.scores)

    @property
    def steps(self) -> np.ndarray:
        """The recorded steps."""
        for found in (self.error, self.loss, self.margins, self.q, self.matrices):
            if found is not None:
                return found.steps
        return np.array([], dtype=np.int64)

    def memory_matrix(self, replica: int = 0, step: int | None = None) -> np.ndarray:
        """softmax of the scores, inputs x outputs; along training where "scores" were measured."""
        if isinstance(replica, bool) or not isinstance(replica, int) or not 0 <= replica < self.replicas:
            raise ValueError(f"replica must be a whole number in 0..{self.replicas - 1}; got {replica!r}")
        if step is None or step == self.total_steps:
            scores = self.scores[replica]
        elif self.matrices is None:
            raise ValueError('step must be left out unless training ran with measure=(..., "scores")')
        else:
            scores = self.matrices.values[replica, self.matrices.index(step)]
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def to_json(self) -> dict[str, Any]:
        """Parameters and trajectories as plain numbers (the scores are left out)."""
        out: dict[str, Any] = {"parameters": self.parameters, "route": self.route, "replicas": self.replicas}
        for name in ("error", "loss", "margins", "q", "matrices"):
            found = getattr(self, name)
            if found is not None:
                out[name] = found.to_json()
        return out

    def __str__(self) -> str:
        how = f"{self.total_steps} steps, route {self.route}"
        return f"{self.replicas} replicas, {how}" if self.error is None else f"final error {self.error.final}, {how}"
