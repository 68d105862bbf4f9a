"""The recall problem, checked: which inputs there are, their probabilities p, weights q and targets f.

W = sum over x of q(x) u_f(x) e_x^T recalls argmax_y u_y^T W e_x; the error is the sum of p(x) over the inputs recalled
wrongly. q(x) = p(x)^rho for x <= P, else 0, or given `weights`. With T samples p in q is the empirical frequency,
inputs seen fewer than s times get 0 (s = 1 by default), P keeps the P most frequent inputs, and `weights` counts for
the inputs seen.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Required, TypedDict

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


@dataclass(frozen=True, eq=False)
class Problem:
    """A recall problem whose every argument has been checked."""

    alpha: float | None
    N: float
    M: int
    d: int
    rho: float
    P: float
    """A whole number or infinity: no more than P inputs are stored."""
    T: int | None
    s: int
    inputs: str
    outputs: str
    total: float
    """The sum of x^-alpha: 1/C (1 if p is given)."""
    p: np.ndarray
    """p(1..N); empty if N is infinite."""
    q: np.ndarray
    """q(1..N) without samples; with samples the given weights, or ones. Empty if N is infinite."""
    f: np.ndarray
    """f(1..N); empty if N is infinite, when f(x) = x mod M."""

    @property
    def rows(self) -> int:
        """The number of inputs, 0 if infinite."""
        return len(self.p)

    @cached_property
    def plain(self) -> bool:
        """Whether no weights are given, with samples."""
        return bool(np.all(self.q == 1))

    @property
    def only_seen(self) -> bool:
        """Whether which inputs are seen is all that matters of T samples; few samples are cheaper one by one."""
        if self.T is None or not self.rows:
            return False
        by_seen = self.s == 1 and self.rows <= self.P and (self.rho == 0 or not self.plain)
        return by_seen and self.rows <= 2 * self.T

    @cached_property
    def ties(self) -> bool:
        """Whether two outputs can have the same score with positive probability."""
        if self.d == 1 and "sphere" in (self.inputs, self.outputs):
            return True
        if self.T is not None:
            return self.P < 1 or self.s > 1 or not bool(np.all(self.q != 0))
        return self.P < 1 or (self.rows > 0 and not bool(np.any(self.q != 0)))


class RecallSettings(TypedDict, total=False):
    """The arguments of `recall_problem`, for functions that hand them on; `recall_error` says what each is."""

    alpha: float | None
    N: Required[float]
    M: Required[int]
    d: Required[int]
    rho: float
    P: float | None
    T: int | None
    s: int
    targets: Sequence[int] | None
    weights: Sequence[float] | None
    p: Sequence[float] | None
    inputs: str
    outputs: str


def recall_problem(
    *,
    alpha: float | None = None,
    N: float,
    M: int,
    d: int,
    rho: float = 0,
    P: float | None = None,
    T: int | None = None,
    s: int = 1,
    targets: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
    p: Sequence[float] | None = None,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
) -> Problem:
    """Check every argument and set up p, q and f; raises ValueError with one sentence before any work."""
    N = check_size("N", N)
    M, d = check_whole("M", M, low=2), check_whole("d", d)
    rho = check_number("rho", rho)
    cut = math.inf if P is None else check_number("P", P, infinite=True)
    cut = cut if math.isinf(cut) else math.floor(cut)
    T = None if T is None or math.isinf(check_size("T", T)) else check_whole("T", T, high=10**12)
    s = check_whole("s", s)
    if s > 1 and T is None:
        raise ValueError(f"s must be 1 without samples (T=None): inputs are not counted; got {s}")
    inputs, outputs = check_choice("inputs", inputs, EMBEDDINGS), check_choice("outputs", outputs, EMBEDDINGS)
    if weights is not None and (rho != 0 or P is not None):
        raise ValueError(f"weights replaces rho and P: leave them out; got rho = {rho:g}, P = {P!r}")
    if math.isinf(N):
        _check_infinite(alpha, rho, cut, T, {"targets": targets, "weights": weights, "p": p})
    elif N > MOST_INPUTS:
        raise ValueError(f"N must be at most {MOST_INPUTS} (inputs are simulated one by one) or math.inf; got {N:g}")
    else:
        check_memory(f"N = {N:g}", ARRAYS * N, torch.device("cpu"))
    alpha, total, law = _law(alpha, N, p)
    empty = math.isinf(N)
    f = np.empty(0, dtype=np.int64) if empty else _targets(targets, int(N), M)
    q = np.empty(0) if empty else _weights(weights, law, rho, cut, T)
    return Problem(alpha, N, M, d, rho, cut, T, s, inputs, outputs, total, law, q, f)


def plain_arrays(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with lists as arrays: any sequence of the same numbers then has the same name, hence seed."""
    lists = {name: params[name] for name in ("targets", "weights", "p") if params[name] is not None}
    return dict(params) | {name: np.asarray(values) for name, values in lists.items()}


def _check_infinite(alpha: float | None, rho: float, cut: float, T: int | None, arrays: Mapping[str, object]) -> None:
    for name, given in arrays.items():
        if given is not None:
            raise ValueError(f"{name} must be left out if N is infinite: a list has finitely many inputs")
    if alpha is None:
        raise ValueError("alpha must be given if N is infinite; got None")
    advice = " (at alpha <= 1 the infinite Zipf law has no normaliser: pass a finite N)"
    check_number("alpha", alpha, low=1.0, strict=True, advice=advice)
    # the head's last input is at most 2^18 (or P), and the samples' frequencies are at least 1/T
    _check_depth(rho, math.log(T) if T is not None else float(alpha) * math.log(max(2**18, min(cut, 2**53))))
    if T is None and cut == math.inf and not 2 * float(alpha) * rho > 1:
        raise ValueError(
            f"rho must exceed 1/(2 alpha) = {0.5 / float(alpha):g} if N is infinite, P is not given and T is infinite: "
            f"else the sum of q^2 diverges; got {rho:g}"
        )


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


def _weights(weights: Sequence[float] | None, law: np.ndarray, rho: float, cut: float, T: int | None) -> np.ndarray:
    if weights is not None:
        return _array("weights", weights, len(law))
    if T is not None:
        _check_depth(rho, math.log(T))
        return np.ones(len(law))
    stored = np.arange(1, len(law) + 1) <= cut
    positive = law[stored & (law > 0)]
    if len(positive):
        _check_depth(rho, -math.log(float(positive.min())))
    return np.where(stored, law**rho, 0.0)


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
