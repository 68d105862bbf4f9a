"""The recall problem, checked: which inputs there are, their probabilities p, weights q and targets f.

W = sum over x of q(x) u_f(x) e_x^T recalls argmax_y u_y^T W e_x; the error is the sum of p(x) over the inputs recalled
wrongly. q(x) = p(x)^rho for x <= P, else 0, or given `weights`. With T samples p in q is the empirical frequency,
inputs seen fewer than s times get 0 (s = 1 by default), P keeps the P most frequent inputs, and `weights` counts for
the inputs seen.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import torch

from asymp.montecarlo.checks import check_choice, check_memory, check_number, check_size, check_whole
from asymp.montecarlo.samplers.embeddings import EMBEDDINGS
from asymp.montecarlo.samplers.zipf import zipf_total

MOST_INPUTS = 2**27
SMALL = 2**14
"""Laws of so few inputs are remembered: a sweep asks for the same one in every cell."""
ARRAYS = 25
"""Numbers held for each input: p, q, f, what making them takes, and a replica's share of it."""
DEEPEST = 700.0
"""exp(-700) is the smallest weight, relative to the largest, that float64 still holds with all its digits."""


@dataclass(frozen=True)
class MemoryLaw:
    """What a memory is drawn from: M outputs in d dimensions, the laws of the embeddings, and whether scores can tie."""

    M: int
    d: int
    inputs: str
    outputs: str
    ties: bool


@dataclass(eq=False, kw_only=True)
class RecallProblem:
    """A recall problem, checked: a wrong argument raises ValueError with one sentence before any work.

    Args:
        alpha: The exponent of the inputs' Zipf law, p(x) = C x^-alpha on 1..N; leave it out if `p` is given.
        N: The number of inputs; math.inf needs alpha > 1.
        M: The number of outputs.
        d: The dimension of the embeddings.
        rho: The exponent of the weights, q(x) = p(x)^rho.
        P: Only inputs x <= P are stored (with samples: the P most frequent); None stores all.
        T: The number of samples from which the memory knows p: frequencies then take the place of p in q; None is
            infinitely many.
        s: With samples, inputs seen fewer than s times are not stored.
        targets: f(1), f(2), ..., each in 0..M-1; x mod M unless given.
        weights: q(1), q(2), ... in the place of p^rho.
        p: The probabilities of the inputs in the place of a Zipf law.
        inputs: The law of the input embeddings, "gaussian" N(0, I/d) or "sphere".
        outputs: The law of the output embeddings, likewise.
    """

    alpha: float | None = None
    N: float
    M: int
    d: int
    rho: float = 0
    P: float | None = None
    T: int | None = None
    s: int = 1
    targets: Sequence[int] | None = None
    weights: Sequence[float] | None = None
    p: Sequence[float] | None = None
    inputs: str = "gaussian"
    outputs: str = "gaussian"

    cut: float = field(init=False)
    """The largest number of inputs that are stored: a whole number or infinity."""
    total: float = field(init=False)
    """The sum of x^-alpha: 1/C (1 if p is given)."""
    law: np.ndarray = field(init=False)
    """p(1..N); empty if N is infinite."""
    q: np.ndarray = field(init=False)
    """q(1..N) without samples; with samples the given weights, or ones. Empty if N is infinite."""
    f: np.ndarray = field(init=False)
    """f(1..N); empty if N is infinite, when f(x) = x mod M."""

    def __post_init__(self) -> None:
        N = self.N = check_size("N", self.N)
        self.M, self.d = check_whole("M", self.M, low=2), check_whole("d", self.d)
        self.rho = check_number("rho", self.rho)
        cut = math.inf if self.P is None else check_number("P", self.P, infinite=True)
        self.cut = cut if math.isinf(cut) else math.floor(cut)
        endless = self.T is None or math.isinf(check_size("T", self.T))
        self.T = None if endless else check_whole("T", self.T, high=10**12)
        self.s = check_whole("s", self.s)
        if self.s > 1 and self.T is None:
            raise ValueError(f"s must be 1 without samples (T=None): inputs are not counted; got {self.s}")
        for name in ("inputs", "outputs"):
            check_choice(name, getattr(self, name), EMBEDDINGS)
        if self.weights is not None and (self.rho != 0 or self.P is not None):
            raise ValueError(f"weights replaces rho and P: leave them out; got rho = {self.rho:g}, P = {self.P!r}")
        if math.isinf(N):
            self._check_infinite()
        elif N > MOST_INPUTS:
            raise ValueError(
                f"N must be at most {MOST_INPUTS} (inputs are simulated one by one) or math.inf; got {N:g}"
            )
        else:
            check_memory(f"N = {N:g}", ARRAYS * N, torch.device("cpu"))
        self.alpha, self.total, self.law = _law(self.alpha, N, self.p)
        self.f = np.empty(0, dtype=np.int64) if math.isinf(N) else _targets(self.targets, int(N), self.M)
        self.q = np.empty(0) if math.isinf(N) else self._weights()

    def _check_infinite(self) -> None:
        for name in ("targets", "weights", "p"):
            if getattr(self, name) is not None:
                raise ValueError(f"{name} must be left out if N is infinite: a list has finitely many inputs")
        if self.alpha is None:
            raise ValueError("alpha must be given if N is infinite; got None")
        advice = " (at alpha <= 1 the infinite Zipf law has no normaliser: pass a finite N)"
        alpha = check_number("alpha", self.alpha, low=1.0, strict=True, advice=advice)
        # the head's last input is at most 2^18 (or P), and the samples' frequencies are at least 1/T
        largest = alpha * math.log(max(2**18, min(self.cut, 2**53)))
        _check_depth(self.rho, largest if self.T is None else math.log(self.T))
        if self.T is None and self.cut == math.inf and not 2 * alpha * self.rho > 1:
            raise ValueError(
                f"rho must exceed 1/(2 alpha) = {0.5 / alpha:g} if N is infinite, P is not given and T is infinite: "
                f"else the sum of q^2 diverges; got {self.rho:g}"
            )

    def _weights(self) -> np.ndarray:
        if self.weights is not None:
            return _array("weights", self.weights, self.rows)
        if self.T is not None:
            _check_depth(self.rho, math.log(self.T))
            return np.ones(self.rows)
        stored = np.arange(1, self.rows + 1) <= self.cut
        positive = self.law[stored & (self.law > 0)]
        if len(positive):
            _check_depth(self.rho, -math.log(float(positive.min())))
        return np.where(stored, self.law**self.rho, 0.0)

    @property
    def rows(self) -> int:
        """The number of inputs, 0 if infinite."""
        return len(self.law)

    @cached_property
    def plain(self) -> bool:
        """Whether no weights are given, with samples."""
        return bool(np.all(self.q == 1))

    @property
    def only_seen(self) -> bool:
        """Whether which inputs are seen is all that matters of T samples; few samples are cheaper one by one."""
        if self.T is None or not self.rows:
            return False
        by_seen = self.s == 1 and self.rows <= self.cut and (self.rho == 0 or not self.plain)
        return by_seen and self.rows <= 2 * self.T

    @cached_property
    def memory(self) -> MemoryLaw:
        """The memory without its inputs; two outputs tie with positive probability where nothing may be stored."""
        if self.T is not None:
            nothing = self.s > 1 or not bool(np.all(self.q != 0))
        else:
            nothing = self.rows > 0 and not bool(np.any(self.q != 0))
        ties = nothing or self.cut < 1 or (self.d == 1 and "sphere" in (self.inputs, self.outputs))
        return MemoryLaw(self.M, self.d, self.inputs, self.outputs, ties)


def plain_arrays(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with lists as arrays: any sequence of the same numbers then has the same name, hence seed."""
    lists = {name: params[name] for name in ("targets", "weights", "p") if params[name] is not None}
    return dict(params) | {name: np.asarray(values) for name, values in lists.items()}


def _law(alpha: float | None, N: float, p: Sequence[float] | None) -> tuple[float | None, float, np.ndarray]:
    if (alpha is None) == (p is None):
        raise ValueError(f"exactly one of alpha and p must be given; got alpha = {alpha!r}, p {_shape(p)}")
    if p is None:
        alpha = check_number("alpha", alpha)
        total, law = (_zipf_law if N <= SMALL else _zipf_law.__wrapped__)(alpha, N)
        return alpha, total, law.copy() if N <= SMALL else law
    law = _array("p", p, int(N))
    if law.min() < 0:
        raise ValueError(f"p must not be negative; got {law.min():g} at input {int(law.argmin()) + 1}")
    mass = math.fsum(law.tolist())
    if abs(mass - 1) > 1e-9:
        raise ValueError(f"p must sum to one (within 1e-9); got a sum of {mass:.12g}")
    return None, 1.0, law / mass


@lru_cache(maxsize=64)
def _zipf_law(alpha: float, N: float) -> tuple[float, np.ndarray]:
    """The sum of x^-alpha, and p(1..N) (empty if N is infinite)."""
    total = zipf_total(alpha, N)
    return total, np.arange(1, 1 + (0 if math.isinf(N) else int(N)), dtype=np.float64) ** -alpha / total


def _targets(targets: Sequence[int] | None, N: int, M: int) -> np.ndarray:
    if targets is None:
        return np.arange(1, N + 1, dtype=np.int64) % M
    found = _array("targets", targets, N)
    wrong = (found != np.floor(found)) | (found < 0) | (found > M - 1)
    if wrong.any():
        where = int(wrong.argmax())
        raise ValueError(f"targets must be whole numbers in 0..{M - 1}; got {found[where]:g} for input {where + 1}")
    return found.astype(np.int64)


def _check_depth(rho: float, depth: float) -> None:
    """Weights spread over exp(-rho depth): refused where the smallest would become 0, which is another memory."""
    if rho * depth > DEEPEST:
        raise ValueError(
            f"rho must be at most {DEEPEST / depth:.4g} here: the smallest weight q(x) would vanish in float64; got {rho:g}"
        )


def _array(name: str, values: object, N: int) -> np.ndarray:
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu().numpy()
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a list of {N} numbers; got {type(values).__name__}") from None
    if found.shape != (N,):
        raise ValueError(f"{name} must be a list of {N} numbers, one for each input; got {_shape(values)}")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite; got {found[~np.isfinite(found)][0]!r}")
    return found


def _shape(values: object) -> str:
    return "None" if values is None else f"of shape {np.asarray(values).shape}"
