"""The recall error of weight schemes at any number of inputs and any dimension, by representatives.

q(x) = p(x)^rho on x <= P, else 0, or the best weights. P is given, or grows with d: P = floor(k d^(1/(2 alpha rho + 1)))
("prescribed"), k d ("linear") or k d/log d ("log"). N, P and d may be as large as 1e15, N infinite: see
representatives. The scores are drawn by the d-free route; gaussian inputs, f(x) = x mod M.
"""

import math
from functools import lru_cache, partial

import torch

from asymp.montecarlo.checks import check_choice, check_number, check_size, check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.embeddings import EMBEDDINGS
from asymp.montecarlo.samplers.recall.best_weights import best_weights
from asymp.montecarlo.samplers.recall.dfree import recall_dfree
from asymp.montecarlo.samplers.recall.problem import MemoryLaw
from asymp.montecarlo.samplers.recall.representatives import Rows, equal_rows, smooth_rows
from asymp.montecarlo.samplers.zipf import zipf_tail, zipf_total

GROWTHS = ("none", "prescribed", "linear", "log")
WEIGHTS = ("power", "best")
BATCH = 2**20
"""Elements of the scores of one batch of replicas."""
FAINT = 0.02
"""A margin at which an input is recalled about as often as by a guess."""


def sample_scheme_error(
    draw: Draw,
    *,
    alpha: float,
    M: int,
    d: int,
    N: float = math.inf,
    rho: float = 0,
    P: float = math.inf,
    k: float = 1.0,
    growth: str = "none",
    weights: str = "power",
    outputs: str = "gaussian",
) -> torch.Tensor:
    """One recall error a replica: shape (replicas,)."""
    N, M, d = check_size("N", N), check_whole("M", M, low=2), check_whole("d", d)
    alpha = check_number("alpha", alpha, low=1.0 if math.isinf(N) else 0.0, strict=math.isinf(N))
    rho, outputs = check_number("rho", rho), check_choice("outputs", outputs, EMBEDDINGS)
    weights = check_choice("weights", weights, WEIGHTS)
    stored = stored_inputs(alpha=alpha, rho=rho, d=d, P=P, k=k, growth=growth)
    rows = _rows(alpha, N, M, d, rho, stored, weights, draw.device)
    memory = MemoryLaw(M, d, "gaussian", outputs, ties=d == 1 and outputs == "sphere")
    # as in recall_error: without autograd's bookkeeping, which the fake GPU of the tests cannot leave
    with torch.inference_mode(draw.device.type == "cpu"):
        batches = draw.batches(max(1, BATCH // (rows.count * M)))
        errors = [recall_dfree(part, memory, rows.table(part)) for part in batches]
    return torch.cat(errors).clamp(0.0, 1.0)


def stored_inputs(*, alpha: float, rho: float, d: int, P: float, k: float, growth: str) -> float:
    """How many inputs are stored: P, or the threshold that grows with d. At least one."""
    growth = check_choice("growth", growth, GROWTHS)
    if growth == "none":
        cut = check_number("P", P, low=1.0, infinite=True)
        return cut if math.isinf(cut) else float(math.floor(cut))
    if not math.isinf(P):
        raise ValueError(f"P must be left out if growth is {growth!r}; got {P!r}")
    k = check_number("k", k, strict=True)
    if growth == "log" and d < 2:
        raise ValueError(f"d must be at least 2 if P = k d/log d; got {d}")
    size = float(d)
    if growth == "prescribed":
        size = d ** (1 / (2 * alpha * rho + 1))
    elif growth == "log":
        size = d / math.log(d)
    # d = 32 has the fifth root 2, and not the 1.9999999999999998 of floating point
    stored = math.floor(k * size * (1 + 1e-12))
    if stored < 1:
        raise ValueError(f"k must be large enough to store an input: P = {k * size:.3g} at d = {d}, k = {k:g}")
    return float(stored)


@lru_cache(maxsize=8)  # a block of replicas is a call, and a cell has many
def _rows(
    alpha: float, N: float, M: int, d: int, rho: float, stored: float, weights: str, device: torch.device
) -> Rows:
    total = zipf_total(alpha, N)
    smooth = partial(smooth_rows, alpha=alpha, total=total, N=N, M=M, stored=stored, device=device)
    if weights == "best":
        if not (math.isinf(N) and math.isinf(stored) and rho == 0):
            raise ValueError("weights = 'best' is for infinitely many inputs, all stored: leave N, P and rho out")
        best = best_weights(alpha=alpha, M=M, d=d)
        return smooth(weight=best.at, squares=best.squares, far=best.input_at(FAINT))
    if rho * alpha == 0:
        if math.isinf(min(stored, N)):
            raise ValueError("P or N must be finite for equal weights: infinitely many drown every memory")
        return equal_rows(alpha=alpha, total=total, N=N, M=M, stored=stored, device=device)
    slope = alpha * rho
    if math.isinf(min(stored, N)) and not 2 * slope > 1:
        raise ValueError(f"rho must exceed 1/(2 alpha) if all of infinitely many inputs are stored; got {rho:g}")
    # For a rho near 0 no float64 is as far as this; `_ranges` has an end of its own.
    far = math.sqrt(d * M) / FAINT
    # q relative to q(1): the argmax knows no scale
    return smooth(
        weight=lambda x: x**-slope,
        squares=lambda H, last: zipf_tail(2 * slope, H, last, M).mass,
        far=far ** (1 / slope) if math.log(far) < 700 * slope else math.inf,
    )


scheme_error_experiment = experiment("scheme-error", sample_scheme_error, version=1, block=100, bounds=(0.0, 1.0))
