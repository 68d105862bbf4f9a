"""One gradient step from W = 0 on a population: the scores it leaves, by automatic differentiation.

The population loss is written out, sum over inputs of p(z) times the cross-entropy, differentiated once, and the step
is taken; nothing is known here of what the gradient should be.
"""

from typing import Annotated, Any

import torch

from asymp.models.linear import linear_scores
from asymp.montecarlo.arguments import Embedding, Number, Whole, checked, one_of, takes
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.gradients import population_gradient

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
def sample_one_step_spread(
    draw: Draw, *, N: Whole, M: Whole | None = None, output: Output = "target", **settings: Any
) -> torch.Tensor:
    """Half the squared difference of a score between two independent draws, averaged over the inputs.

    Its mean is the variance of a score, with no mean to be known. Every input plays the same part only where the classes
    are equal: M must divide N.
    """
    if N % (N if M is None else M):
        raise ValueError(f"M must divide N, so that all classes are equal; got M={M}, N={N}")
    found = _read(_scores(draw.of(2 * draw.replicas), N=N, M=M, **settings), output)
    return torch.square(found[: draw.replicas] - found[draw.replicas :]).mean(1) / 2


one_step_score_experiment = experiment("one-step-score", sample_one_step_score, block=64)
one_step_spread_experiment = experiment("one-step-spread", sample_one_step_spread, block=64)
