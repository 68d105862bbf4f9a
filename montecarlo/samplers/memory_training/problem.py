"""The training problem, checked: what is learnt, from which samples, with which steps, and what is recorded."""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Required, TypedDict

import numpy as np
import torch

from asymp.montecarlo.checks import check_choice, check_number, check_whole, memory_there
from asymp.montecarlo.checks import check_memory as refuse_too_much
from asymp.montecarlo.samplers.recall.problem import recall_problem

OPTIMISERS = ("sgd", "sign", "adam")
LEARNT = ("W", "all", "exponential")
KINDS = ("gaussian", "sphere", "orthonormal")
ROUTES = ("auto", "score", "weights")
SCHEDULES = ("constant", "linear", "cosine", "inverse-sqrt")
QUANTITIES = ("error", "loss", "margins", "q", "scores")
MOST_GRAM = 2**26
"""Entries of one replica's N x N Gram matrix beyond which the score route is refused: 512 MB."""

Schedule = str | Sequence[float] | Callable[[int], float] | None
Embeddings = str | np.ndarray | torch.Tensor | Sequence[Sequence[float]]
Record = str | Sequence[int]


@dataclass(frozen=True, eq=False)
class TrainProblem:
    """A training problem whose every argument has been checked."""

    N: int
    M: int
    d: int
    T: int
    batch: int
    lr: float
    optimiser: str
    betas: tuple[float, float]
    eps: float
    layer_norm: bool
    learn: str
    population: bool
    inputs: str | np.ndarray
    outputs: str | np.ndarray
    init: str
    route: str
    p: np.ndarray
    """Inputs stand in the order of their targets; so do f and given input embeddings."""
    f: np.ndarray
    back: np.ndarray
    """The place of input x = 1, 2, ... in that order."""
    rates: np.ndarray
    """The step of each update: lr times the schedule."""
    record: np.ndarray
    measure: tuple[str, ...]
    names: dict[str, object]
    """What the draws are seeded from: every argument that changes the law of a replica."""

    @property
    def steps(self) -> int:
        """The number of updates."""
        return len(self.rates)

    @property
    def balanced(self) -> bool:
        """Whether every output is the target of equally many inputs."""
        counts = np.bincount(self.f, minlength=self.M)
        return bool((counts == counts[0]).all())

    @property
    def ties(self) -> bool:
        """Whether two outputs can have the same score with positive probability after the first step."""
        kinds = [kind if isinstance(kind, str) else "given" for kind in (self.inputs, self.outputs)]
        if any(kind not in ("gaussian", "sphere") for kind in kinds) or ("sphere" in kinds and self.d == 1):
            return True
        return self.init == "zero" and self.rates[0] == 0

    @property
    def whole(self) -> bool:
        """Whether a step is a sum over all N inputs, weighted by counts or p, rather than over the rows of a batch."""
        share = 2 if self.route == "score" else 1
        return self.population or share * self.batch >= self.N

    @property
    def recorded(self) -> int:
        """Numbers that one replica leaves behind."""
        each = {"error": 1, "loss": 1, "scores": self.N * self.M}
        return len(self.record) * sum(each.get(name, self.N) for name in self.measure) + self.N * self.M

    @property
    def floats(self) -> int:
        """Numbers held at once for one replica, roughly."""
        samples = 0 if self.population else self.T
        if self.whole and not self.population:
            samples += self.steps * self.N
        scores = 4 * self.N * self.M
        if self.route == "score":
            return samples + self.recorded + scores + self.N * (self.N + min(self.N, self.d)) + self.M * self.M
        rows = (self.N if self.whole else min(self.batch, self.N)) * self.d
        embeddings = (self.N + self.M) * self.d
        moments = 2 if self.optimiser == "adam" else 0
        learnt = {"W": 0, "all": embeddings, "exponential": embeddings}[self.learn]
        square = 0 if self.learn == "exponential" else self.d * self.d
        return samples + self.recorded + scores + embeddings + 3 * rows + (square + learnt) * (3 + moments)


class TrainSettings(TypedDict, total=False):
    """The arguments of `train_problem` that say what is trained; `train_memory` says what each is."""

    alpha: float | None
    N: Required[int]
    M: Required[int]
    d: Required[int]
    T: Required[int]
    batch: int
    lr: Required[float]
    optimiser: str
    betas: tuple[float, float]
    eps: float
    layer_norm: bool
    learn: str
    population: bool
    schedule: Schedule
    inputs: Embeddings
    outputs: Embeddings
    init: str
    p: Sequence[float] | None
    targets: Sequence[int] | None
    route: str


def train_problem(
    *,
    alpha: float | None = None,
    N: int,
    M: int,
    d: int,
    T: int,
    batch: int = 1,
    lr: float,
    optimiser: str = "sgd",
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    layer_norm: bool = False,
    learn: str = "W",
    population: bool = False,
    schedule: Schedule = None,
    inputs: Embeddings = "gaussian",
    outputs: Embeddings = "gaussian",
    init: str = "gaussian",
    p: Sequence[float] | None = None,
    targets: Sequence[int] | None = None,
    record: Record = "last",
    measure: str | Sequence[str] = ("error", "loss"),
    route: str = "auto",
) -> TrainProblem:
    """Check every argument; raises ValueError with one sentence before any work."""
    N, M, d = check_whole("N", N), check_whole("M", M, low=2), check_whole("d", d)
    T, batch = check_whole("T", T, high=10**10), check_whole("batch", batch, high=10**10)
    at_least = 2.0 * (N + M) * min(d, N) + 20.0 * N + T + 3.0 * (T // batch)
    refuse_too_much(f"N = {N}, M = {M}, d = {d}, T = {T}", at_least, torch.device("cpu"))
    law = recall_problem(alpha=alpha, N=N, M=M, d=d, targets=targets, p=p)
    layer_norm, population = _check_flag("layer_norm", layer_norm), _check_flag("population", population)
    if population and batch != 1:
        raise ValueError(f"batch must be 1 with population gradients: T counts the steps; got {batch}")
    if T % batch:
        raise ValueError(f"T must be a multiple of batch: one pass in consecutive minibatches; got {T} and {batch}")
    lr = check_number("lr", lr)
    optimiser, learn = check_choice("optimiser", optimiser, OPTIMISERS), check_choice("learn", learn, LEARNT)
    betas, eps = _check_betas(betas), check_number("eps", eps)
    init = check_choice("init", init, ("gaussian", "zero"))
    if learn == "exponential" and init != "gaussian":
        raise ValueError(f"init must be 'gaussian' with learn='exponential', which has no W; got {init!r}")
    e, u = _check_embeddings("inputs", inputs, N, d), _check_embeddings("outputs", outputs, M, d)
    order = np.argsort(law.f, kind="stable")
    if isinstance(e, np.ndarray):
        e = e[order]
    steps = T // batch
    measure = _check_measure(measure, learn)
    wanted = _check_record(record, steps)
    rates = lr * _multipliers(schedule, steps)
    chosen = _choose_route(
        check_choice("route", route, ROUTES), N, M, d, steps, batch, wanted, population, learn, optimiser, layer_norm
    )
    names: dict[str, object] = {
        "p": alpha if p is None else _digest(law.p),
        "targets": None if targets is None else _digest(law.f),
        "schedule": None if schedule is None else _digest(rates),
        "inputs": e if isinstance(e, str) else _digest(e),
        "outputs": u if isinstance(u, str) else _digest(u),
        "betas": betas if optimiser == "adam" else None,
        "eps": None if optimiser == "sgd" else eps,
    }
    plain = (N, M, d, T, batch, lr, optimiser, layer_norm, learn, population, init)
    keys = ["N", "M", "d", "T", "batch", "lr", "optimiser", "layer_norm", "learn", "population", "init"]
    names.update(zip(keys, plain, strict=True), route=chosen)
    return TrainProblem(
        N=N, M=M, d=d, T=T, batch=batch, lr=lr, optimiser=optimiser, betas=betas, eps=eps, layer_norm=layer_norm,
        learn=learn, population=population, inputs=e, outputs=u, init=init, route=chosen, p=law.p[order],
        f=law.f[order], back=np.argsort(order), rates=rates, record=wanted, measure=measure, names=names,
    )  # fmt: skip


def check_memory(problem: TrainProblem, together: int, replicas: int, device: torch.device) -> None:
    """Refuse a run that needs more than the memory there is."""
    # blocks are drawn before they are joined, and results once more when they are put together: hence twice
    needed = 16 * (together * problem.floats + replicas * problem.recorded)
    there = memory_there(device)
    if needed > there:
        raise ValueError(
            f"replicas, record and the sizes N = {problem.N}, d = {problem.d}, T = {problem.T} must fit into memory: "
            f"about {needed / 2**30:.1f} GB needed, {there / 2**30:.1f} GB there"
        )


def _choose_route(
    route: str, N: int, M: int, d: int, steps: int, batch: int, record: np.ndarray, population: bool,
    learn: str, optimiser: str, layer_norm: bool,
) -> str:  # fmt: skip
    """The score route where it is valid and cheaper, in multiplications a replica, memory allowing."""
    plain = learn == "W" and optimiser == "sgd" and not layer_norm
    if route == "score" and not plain:
        raise ValueError("route must be 'weights' or 'auto' unless learn='W', optimiser='sgd' and layer_norm=False")
    if route == "score" and N * N > MOST_GRAM:
        raise ValueError(f"N must be at most {math.isqrt(MOST_GRAM)} with route='score' (an N x N matrix); got {N}")
    if route != "auto":
        return route
    if not plain or N * N > MOST_GRAM:
        return "weights"
    rows = N if population else min(batch, N)
    score = N * N * min(N, d) + steps * rows * N * M
    weights = d * d + steps * 2 * M * d * (d + rows) + len(record) * M * d * (d + N)
    return "score" if score <= weights else "weights"


def _check_flag(name: str, value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False; got {value!r}")
    return bool(value)


def _check_betas(betas: tuple[float, float]) -> tuple[float, float]:
    try:
        first, second = (float(b) for b in betas)
    except (TypeError, ValueError):
        raise ValueError(f"betas must be two numbers in [0, 1); got {betas!r}") from None
    if not (0 <= first < 1 and 0 <= second < 1):
        raise ValueError(f"betas must be two numbers in [0, 1); got {betas!r}")
    return first, second


def _check_embeddings(name: str, given: Embeddings, rows: int, d: int) -> str | np.ndarray:
    if isinstance(given, str):
        kind = check_choice(name, given, KINDS)
        if kind == "orthonormal" and rows > d:
            raise ValueError(f"{name} can be orthonormal only if d is at least their number; got {rows} in d = {d}")
        return kind
    if isinstance(given, torch.Tensor):
        given = given.detach().cpu().numpy()
    domain = f"one of {', '.join(map(repr, KINDS))}, or a matrix of shape ({rows}, {d})"
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {domain}; got {type(given).__name__}") from None
    if found.shape != (rows, d):
        raise ValueError(f"{name} must be {domain}; got shape {found.shape}")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite; got NaN or infinity among the embeddings")
    return found


def _check_measure(measure: str | Sequence[str], learn: str) -> tuple[str, ...]:
    listed = (measure,) if isinstance(measure, str) else measure
    if not isinstance(listed, tuple | list) or not listed:
        raise ValueError(f"measure must list some of {', '.join(map(repr, QUANTITIES))}; got {measure!r}")
    for name in listed:
        check_choice("measure", name, QUANTITIES)
    if "q" in listed and learn != "W":
        raise ValueError(f"measure can list 'q' only with learn='W': else the embeddings move; got learn={learn!r}")
    return tuple(name for name in QUANTITIES if name in listed)


def _check_record(record: Record | None, steps: int) -> np.ndarray:
    if record is None or (isinstance(record, str) and record == "last"):
        return np.array([steps])
    if isinstance(record, str):
        if record != "all":
            raise ValueError(f"record must be 'last', 'all' or a list of steps in 0..{steps}; got {record!r}")
        return np.arange(steps + 1)
    try:
        found = np.asarray(record, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise ValueError(f"record must be 'last', 'all' or a list of steps in 0..{steps}; got {record!r}") from None
    if found.size == 0 or not np.all((found == np.floor(found)) & (found >= 0) & (found <= steps)):
        raise ValueError(f"record must be 'last', 'all' or a list of steps in 0..{steps}; got {record!r}")
    return np.unique(found.astype(np.int64))


def _multipliers(schedule: Schedule, steps: int) -> np.ndarray:
    """The factor on lr at each of the steps 0, 1, ..., steps - 1."""
    t = np.arange(steps, dtype=np.float64)
    if schedule is None or isinstance(schedule, str):
        name = "constant" if schedule is None else check_choice("schedule", schedule, SCHEDULES)
        if name == "linear":
            return 1 - t / steps
        if name == "cosine":
            return (1 + np.cos(np.pi * t / steps)) / 2
        return (1 + t) ** -0.5 if name == "inverse-sqrt" else np.ones(steps)
    try:
        values = [schedule(i) for i in range(steps)] if callable(schedule) else schedule
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"schedule must give {steps} numbers >= 0, one a step; got {schedule!r}") from None
    if found.shape != (steps,) or not np.isfinite(found).all() or found.min() < 0:
        raise ValueError(f"schedule must give {steps} finite numbers >= 0, one a step; got shape {found.shape}")
    return found


def _digest(values: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()
