"""One gradient step from W = 0 on a population: the scores it leaves, by automatic differentiation.

The population loss is written out, sum over inputs of p(z) times the cross-entropy, differentiated once, and the step
is taken; nothing is known here of what the gradient should be.

A bound on the kurtosis of half the squared difference of a score between two draws, after one gradient step from W = 0.

At W = 0 all outputs are equally likely, so a step leaves the score sum over i, w of A_iw (x_i.x_0)(u_w.u_y), up to a factor,
with A_iw = 1{f(i) = w} - 1/M. It is one of those in `score_tails`, where gaussian moments are exact. With noise, and equal
classes, the sum is over A_iw e_i.(e_0 + n_0): in the independent embeddings (e_0 + n_0)/sqrt 2, (e_0 - n_0)/sqrt 2, e_1, ...
that is a score too, with the rows A_0, A_0, sqrt 2 A_1, ...

On the sphere a monomial of inner products of different embeddings has an expectation that is not negative, and at most the
gaussian one. So moments are at most those of |A|, but for the constant (e_0.e_0)(u_y.u_y); and e_0.n_0 (u_y.u_y), which is no
score, is added by Minkowski's inequality. The variance is exact: different monomials are uncorrelated.
"""

import math
from typing import Annotated, Any

import numpy as np
import torch

from asymp.models.linear import linear_scores
from asymp.montecarlo.arguments import Embedding, Number, Whole, checked, one_of, takes
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.gradients import population_gradient
from asymp.montecarlo.samplers.length_tails import of_two_grams
from asymp.montecarlo.samplers.score_tails import Moments, bilinear_moments, half_squared_difference


def of_one_step_spread(
    *,
    d: int,
    N: int,
    M: int | None = None,
    T: int = 0,
    output: str = "target",
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    eta: float = 1.0,
) -> float | None:
    """For N inputs in M equal classes, each under T noise vectors; none where noise is on one sphere alone."""
    M, y, sphere = N if M is None else M, int(output == "other"), "sphere" in (inputs, outputs)
    if T and inputs != outputs:
        return None
    A = (np.arange(N)[:, None] % M == np.arange(M)) - 1 / M
    if sphere:
        A = np.abs(A)
    rows = np.concatenate([A[:1], A[:1], math.sqrt(2) * A[1:]]) if T else A.copy()
    if T and sphere:
        rows[:2, y] = 0
    found = bilinear_moments(rows, 0, y, d=d, inputs="gaussian" if T else inputs, outputs=outputs)
    if not sphere:
        return half_squared_difference(found)
    high = found.high.copy()
    if T:
        for k in (4, 6, 8):
            component = math.prod((1 + 2 * i) / (d + 2 * i) for i in range(k // 2))
            high[k] = (high[k] ** (1 / k) + A[0, y] * component ** (1 / k)) ** k
        for k in (3, 5, 7):
            high[k] = high[k + 1] ** (k / (k + 1))
        others, own = np.delete(A[1:], y, 1), np.delete(A[0], y)
        high[2] = (
            2 * np.sum(others**2) / d**2
            + (2 * np.sum(A[1:, y] ** 2) + A[0, y] ** 2) / d
            + np.sum(own**2) * (d + 1) / d**2
        )
    # Entries of either sign leave the signs of odd moments open: of products of two different ones the least is minus the largest.
    v, odd = high[2], (0, -1, 1, -1)
    low = [odd[k // 2] * high[k] if k % 2 else v ** (k / 2) for k in range(len(high))]
    return half_squared_difference(Moments(found.mean, np.array(low), high))


Output = Annotated[str, one_of("target", "other")]


def _scores(
    draw: Draw,
    *,
    d: Whole,
    N: Whole,
    M: Whole | None = None,
    eta: Number = 1.0,
    T: int = 0,
    inputs: Embedding = "gaussian",
    outputs: Embedding = "gaussian",
) -> torch.Tensor:
    """Scores (replica, token, output) after the step; with noise, of the token with the first noise vector.

    The population is each token with each of T noise vectors, or bare where T = 0, all equally likely. M is N unless given,
    f(z) = z mod M.
    """
    M = N if M is None else M
    if not 2 <= M <= N:
        raise ValueError(f"M must be from 2 to N={N}; got {M}")
    U = draw.embeddings(outputs, (M, d))
    x = draw.embeddings(inputs, (N, d))
    targets = torch.arange(N, device=draw.device) % M
    T = int(T)
    if T:
        noise = draw.embeddings(inputs, (T, d))
        x = (x[:, :, None] + noise[:, None]).flatten(1, 2)
        targets = targets.repeat_interleave(T)
    p = torch.full((x.shape[1],), 1 / x.shape[1], dtype=torch.float64, device=draw.device)
    W = -float(eta) * population_gradient(draw.zeros((d, d)), U, x, targets, p)
    return linear_scores(W, U, x[:, :: max(1, T)])


def _read(scores: torch.Tensor, output: str) -> torch.Tensor:
    """(replica, token): the score of the target, or of the output after it."""
    N, M = scores.shape[1:]
    chosen = (torch.arange(N, device=scores.device) + (output == "other")) % M
    return scores.gather(2, chosen.expand(len(scores), -1)[:, :, None])[:, :, 0]


@checked
@takes(_scores)
def sample_one_step_score(draw: Draw, *, output: Output = "target", **settings: Any) -> torch.Tensor:
    """The score of the target, or of the next output, averaged over the inputs."""
    return _read(_scores(draw, **settings), output).mean(1)


@checked
@takes(_scores)
def sample_one_step_accuracy(draw: Draw, **settings: Any) -> torch.Tensor:
    """The share of the inputs whose target has the largest score."""
    scores = _scores(draw, **settings)
    targets = torch.arange(scores.shape[1], device=scores.device) % scores.shape[2]
    return (scores.argmax(2) == targets).double().mean(1)


@checked
@takes(_scores)
def sample_one_step_spread(
    draw: Draw, *, N: Whole, M: Whole | None = None, output: Output = "target", **settings: Any
) -> torch.Tensor:
    """Half the squared difference of the first input's score between two independent draws.

    Its mean is the variance of a score, with no mean to be known. Every input plays the same part only where the classes
    are equal: M must divide N. An average over the inputs would spread less, but nothing is known of its kurtosis.
    """
    if N % (N if M is None else M):
        raise ValueError(f"M must divide N, so that all classes are equal; got M={M}, N={N}")
    found = _read(_scores(draw.of(2 * draw.replicas), N=N, M=M, **settings), output).select(1, 0)
    return torch.square(found[: draw.replicas] - found[draw.replicas :]) / 2


def _score_kurtosis(*, d: int, inputs: str = "gaussian", outputs: str = "gaussian", **others: object) -> float:
    """At W = 0 all outputs are equally likely: a step is quadratic in the embeddings of inputs, and in those of outputs."""
    return of_two_grams(d=d, inputs=inputs, outputs=outputs)


one_step_score_experiment = experiment("one-step-score", sample_one_step_score, block=64, kurtosis=_score_kurtosis)
one_step_spread_experiment = experiment(
    "one-step-spread", sample_one_step_spread, version=2, block=512, kurtosis=of_one_step_spread
)
one_step_accuracy_experiment = experiment("one-step-accuracy", sample_one_step_accuracy, block=16, bounds=(0.0, 1.0))
