"""Memories that store, with equal weights, the inputs seen at least s times among T samples.

Every replica has its own embeddings and samples; measured is the recall error, for a given s or for the count that is
expected of the input k d.
"""

import math

import torch

from asymp.montecarlo.checks import check_number, check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.recall.equal_weights import equal_weights_experiment, sample_equal_weights
from asymp.montecarlo.samplers.zipf import zipf_total

__all__ = ["equal_weights_experiment", "matched_experiment"]


def sample_matched(draw: Draw, *, alpha: float, T: int, d: int, M: int, k: float = 0.125) -> torch.Tensor:
    """The error of q = 1{seen at least s times in T samples}, N infinite, s the count to be expected of the input k d."""
    s = whole_count(alpha=alpha, T=T, d=d, k=k)
    return sample_equal_weights(draw, alpha=alpha, N=math.inf, M=M, d=d, T=T, s=s)


def whole_count(*, alpha: float, T: int, d: int, k: float) -> int:
    """T p(k d), p(x) = C x^-alpha, rounded to a whole number, at least 1."""
    rank = check_number("k", k, strict=True) * check_whole("d", d)
    count: float = T * rank**-alpha / zipf_total(alpha, math.inf)
    return max(1, round(count))


matched_experiment = experiment("matched-count-error", sample_matched, version=1, block=16, bounds=(0.0, 1.0))
