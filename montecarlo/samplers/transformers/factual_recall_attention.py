"""Factual recall by attention alone: the logits of answers at one fact, weights by hand, and trained models.

The active heads write c_s = sum over relations of u_a(s,r) and c_r = sum over the answers of r of u_a, with both leaks
closed (keys exact, the last token projected out of the values). A logit is u_a.(c_s + c_r). Measured are its variance over
the embeddings, and the share of facts recalled by one trained model less that by another.
"""

import math

import torch

from asymp.montecarlo.checks import check_choice, check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.embeddings import EMBEDDINGS
from asymp.montecarlo.samplers.score_tails import half_squared_difference, quadratic_moments
from asymp.montecarlo.samplers.transformers.facts_trained import trained_facts_gap_experiment

__all__ = ["logit_variance_experiment", "trained_facts_gap_experiment"]


OUTPUTS = ("other", "answer", "relation", "subject")


def _logits(draw: Draw, *, R: int, D: int, d: int, output: str, embeddings: str) -> torch.Tensor:
    """One logit a replica: of the answer, of another answer of the relation or of the subject, or of any other."""
    U = draw.embeddings(embeddings, (R * D, d))
    # The subject's answers: the first of each relation; the fact is that of relation 0, answer 0.
    own = U[:, ::D].sum(1)
    relation = U[:, :D].sum(1)
    place = {"answer": 0, "relation": 1, "subject": D, "other": D + 1}[output]
    return torch.einsum("rd,rd->r", U[:, place], own + relation)


def sample_logit_variance(
    draw: Draw, *, R: int, D: int, d: int, output: str = "other", embeddings: str = "gaussian"
) -> torch.Tensor:
    """Half the squared difference of a logit between two independent draws: its mean is the variance."""
    R, D, d = (check_whole(name, value, low=2) for name, value in (("R", R), ("D", D), ("d", d)))
    check_choice("output", output, OUTPUTS)
    check_choice("embeddings", embeddings, EMBEDDINGS)
    first, second = (_logits(draw, R=R, D=D, d=d, output=output, embeddings=embeddings) for _ in range(2))
    return torch.square(first - second) / 2


def _logit_kurtosis(*, R: int, D: int, d: int, output: str = "other", embeddings: str = "gaussian") -> float:
    """From the exact moments of a logit: the answer is in both sums, R + D - 2 other outputs in one of them."""
    own = {"answer": 2, "relation": 1, "subject": 1, "other": 0}[output]
    others = R + D - 2 + 4 * (output != "answer") - (output in ("relation", "subject"))
    return half_squared_difference(quadratic_moments(own, math.sqrt(others), d=d, embeddings=embeddings))


logit_variance_experiment = experiment("logit-variance", sample_logit_variance, block=256, kurtosis=_logit_kurtosis)
