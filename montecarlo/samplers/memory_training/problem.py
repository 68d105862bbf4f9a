"""The training problem, checked: what is learnt, from which samples, with which steps, and what is recorded."""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from asymp.montecarlo.checks import check_choice, check_number, check_whole, memory_there
from asymp.montecarlo.checks import check_memory as refuse_too_much
from asymp.montecarlo.samplers.recall.problem import RecallProblem

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


@dataclass(eq=False, kw_only=True)
class TrainProblem:
    """A training problem, checked: a wrong argument raises ValueError with one sentence before any work.

    Args:
        alpha: The exponent of the inputs' Zipf law on 1..N; leave it out if `p` is given.
        N: The number of inputs.
        M: The number of outputs.
        d: The dimension of the embeddings.
        T: The number of samples x ~ p, each with its target f(x); with `population`, the number of steps.
        batch: Samples a step; T must be a multiple of it.
        lr: The step size: lr for SGD, lr/d for W and lr/sqrt(d) for embeddings otherwise, times the schedule.
        optimiser: "sgd"; "sign", Adam with betas (0, 0), that is g/(|g| + eps); or "adam", with `betas`.
        betas: The two decay rates of Adam.
        eps: What Adam and "sign" add to the size of a gradient.
        layer_norm: Whether the hidden vector h = W e_x (or relu(e_x)) becomes h/sqrt(|h|^2 + 1e-6) before u.
        learn: "W" (embeddings fixed), "all" (W, e and u), or "exponential": no W, both embeddings learned, scores u_y^T
            relu(e_x), the two-matrix model of the published grid, whose capacity is exponential in d.
        population: Whether a step takes the gradient under p instead of samples.
        schedule: "constant", "linear" or "cosine" (to zero), "inverse-sqrt", a list of factors or a function of the
            step t = 0, 1, ...
        inputs: "gaussian" N(0, I/d), "sphere", "orthonormal", or a matrix of embeddings as rows, the same in every
            replica.
        outputs: The output embeddings, likewise.
        init: The first W: "gaussian" with entries N(0, 1/d), or "zero".
        p: The probabilities of the inputs in the place of a Zipf law.
        targets: f(1), f(2), ..., each in 0..M-1; x mod M unless given.
        route: "score" follows the N x M scores at O(N M) a sample, whatever d (plain SGD of W only); "weights" follows
            the weights; "auto" takes the cheaper. The routes agree in law: they draw different numbers.
        record: "last", "all" (0, before training, to the last) or a list of steps.
        measure: Some of "error" (sum of p over the inputs recalled wrongly; k outputs tied at the top err with 1 - 1/k),
            "loss" (cross-entropy under p), "margins" (f's score less its largest rival's, for every input), "q" (the
            coefficient of u_f(x) e_x^T in W - W0: exact for SGD, by least squares otherwise) and "scores".
    """

    alpha: float | None = None
    N: int
    M: int
    d: int
    T: int
    batch: int = 1
    lr: float
    optimiser: str = "sgd"
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    layer_norm: bool = False
    learn: str = "W"
    population: bool = False
    schedule: Schedule = None
    inputs: Embeddings = "gaussian"
    outputs: Embeddings = "gaussian"
    init: str = "gaussian"
    p: Sequence[float] | None = None
    targets: Sequence[int] | None = None
    route: str = "auto"
    record: Record = "last"
    measure: str | Sequence[str] = ("error", "loss")

    law: np.ndarray = field(init=False)
    """The probabilities of the inputs, which stand in the order of their targets; so do f and given embeddings."""
    f: np.ndarray = field(init=False)
    back: np.ndarray = field(init=False)
    """The place of input x = 1, 2, ... in that order."""
    rates: np.ndarray = field(init=False)
    """The step of each update: lr times the schedule."""
    recorded_steps: np.ndarray = field(init=False)
    quantities: tuple[str, ...] = field(init=False)
    names: dict[str, object] = field(init=False)
    """What the draws are seeded from: every argument that changes the law of a replica."""

    def __post_init__(self) -> None:
        N, M, d = check_whole("N", self.N), check_whole("M", self.M, low=2), check_whole("d", self.d)
        T, batch = check_whole("T", self.T, high=10**10), check_whole("batch", self.batch, high=10**10)
        at_least = 2.0 * (N + M) * min(d, N) + 20.0 * N + T + 3.0 * (T // batch)
        refuse_too_much(f"N = {N}, M = {M}, d = {d}, T = {T}", at_least, torch.device("cpu"))
        recall = RecallProblem(alpha=self.alpha, N=N, M=M, d=d, targets=self.targets, p=self.p)
        for name in ("layer_norm", "population"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} must be True or False; got {getattr(self, name)!r}")
        if self.population and batch != 1:
            raise ValueError(f"batch must be 1 with population gradients: T counts the steps; got {batch}")
        if T % batch:
            raise ValueError(f"T must be a multiple of batch: one pass in consecutive minibatches; got {T} and {batch}")
        self.N, self.M, self.d, self.T, self.batch, self.lr = N, M, d, T, batch, check_number("lr", self.lr)
        check_choice("optimiser", self.optimiser, OPTIMISERS)
        check_choice("learn", self.learn, LEARNT)
        self.betas, self.eps = _check_betas(self.betas), check_number("eps", self.eps)
        check_choice("init", self.init, ("gaussian", "zero"))
        if self.learn == "exponential" and self.init != "gaussian":
            raise ValueError(f"init must be 'gaussian' with learn='exponential', which has no W; got {self.init!r}")
        self.inputs = _check_embeddings("inputs", self.inputs, N, d)
        self.outputs = _check_embeddings("outputs", self.outputs, M, d)
        order = np.argsort(recall.f, kind="stable")
        if isinstance(self.inputs, np.ndarray):
            self.inputs = self.inputs[order]
        self.quantities = _check_measure(self.measure, self.learn)
        self.recorded_steps = _check_record(self.record, T // batch)
        self.rates = self.lr * _multipliers(self.schedule, T // batch)
        self.law, self.f, self.back = recall.law[order], recall.f[order], np.argsort(order)
        self.route = self._chosen_route()
        plain = ("N", "M", "d", "T", "batch", "lr", "optimiser", "layer_norm", "learn", "population", "init", "route")
        self.names = {
            "p": self.alpha if self.p is None else _digest(recall.law),
            "targets": None if self.targets is None else _digest(recall.f),
            "schedule": None if self.schedule is None else _digest(self.rates),
            "inputs": _digest(self.inputs),
            "outputs": _digest(self.outputs),
            "betas": self.betas if self.optimiser == "adam" else None,
            "eps": None if self.optimiser == "sgd" else self.eps,
        } | {name: getattr(self, name) for name in plain}

    def _chosen_route(self) -> str:
        """The score route where it is valid and cheaper, in multiplications a replica, memory allowing."""
        N, M, d, route = self.N, self.M, self.d, check_choice("route", self.route, ROUTES)
        plain = self.learn == "W" and self.optimiser == "sgd" and not self.layer_norm
        if route == "score" and not plain:
            raise ValueError("route must be 'weights' or 'auto' unless learn='W', optimiser='sgd' and layer_norm=False")
        if route == "score" and N * N > MOST_GRAM:
            raise ValueError(f"N must be at most {math.isqrt(MOST_GRAM)} with route='score' (an N x N matrix); got {N}")
        if route != "auto":
            return route
        if not plain or N * N > MOST_GRAM:
            return "weights"
        rows = N if self.population else min(self.batch, N)
        score = N * N * min(N, d) + self.steps * rows * N * M
        weights = d * d + self.steps * 2 * M * d * (d + rows) + len(self.recorded_steps) * M * d * (d + N)
        return "score" if score <= weights else "weights"

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
        return bool(self.init == "zero" and self.rates[0] == 0)

    @property
    def whole(self) -> bool:
        """Whether a step is a sum over all N inputs, weighted by counts or p, rather than over the rows of a batch."""
        share = 2 if self.route == "score" else 1
        return self.population or share * self.batch >= self.N

    @property
    def recorded(self) -> int:
        """Numbers that one replica leaves behind."""
        each = {"error": 1, "loss": 1, "scores": self.N * self.M}
        return len(self.recorded_steps) * sum(each.get(name, self.N) for name in self.quantities) + self.N * self.M

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

    def check_memory(self, together: int, replicas: int, device: torch.device) -> None:
        """Refuse a run that needs more than the memory there is."""
        # blocks are drawn before they are joined, and results once more when they are put together: hence twice
        needed = 16 * (together * self.floats + replicas * self.recorded)
        there = memory_there(device)
        if needed > there:
            raise ValueError(
                f"replicas, record and the sizes N = {self.N}, d = {self.d}, T = {self.T} must fit into memory: "
                f"about {needed / 2**30:.1f} GB needed, {there / 2**30:.1f} GB there"
            )


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


def _check_record(record: Record, steps: int) -> np.ndarray:
    if isinstance(record, str) and record in ("last", "all"):
        return np.array([steps]) if record == "last" else np.arange(steps + 1)
    try:
        found = np.asarray(record, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        found = np.empty(0)
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


def _digest(values: Embeddings) -> str:
    """The values by a hash, where they are no word."""
    return values if isinstance(values, str) else hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()
