"""The noise token after a trigger: learned by one gradient step on m sequences, and by a trained transformer.

From zero weights a step adds to the score of output k, on a fresh sequence, the overlap of what the layer sees there with
what it saw in the samples followed by k (and the same constant to all). The feed-forward layer sees the trigger, which all
sequences share; attention sees the mean of a context of T uniform tokens, without the trigger. Learned: the noise token has
the largest score; ties are broken at random. Measured are the probability of that, and the number of samples it takes to be
so in half of the fresh contexts, by bisection over what was drawn.

Trained: two blocks of attention and MLP on one trigger, whose output is the noise token with probability a. Embeddings are
frozen, everything else learns. What the second MLP has stored is seen by leaving it out: on sequences without noise the
model then predicts the output more often.
"""

from typing import Annotated

import torch
from torch import Tensor

from asymp.models.tasks.bigrams import BigramTask, uniform_bigrams
from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.arguments import Positive, Whole, checked, one_of
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.transformers.induction import bigram_batch, in_context_accuracy
from asymp.montecarlo.samplers.transformers.training import Optimiser, drawn_model, onsets, train

FRESH = 64
LAYERS = ("feed-forward", "attention")
Layer = Annotated[str, one_of(*LAYERS)]


def _learned(draw: Draw, *, layer: str, m: int, N: int, T: int, a: float) -> torch.Tensor:
    """1 where the noise token (0) is on top, 1/k where it ties with k - 1 others, else 0."""
    out = draw.integers(N, (m,), low=1)
    noisy = draw.uniform(shape=(m,)) < a
    out = torch.where(noisy, 0, out)
    if layer == "feed-forward":
        weight = torch.ones(draw.replicas, m, dtype=torch.float64, device=draw.device)
    else:
        seen = draw.integers(N, (m, T))
        fresh = draw.integers(N, (T,))
        counts = draw.zeros((N,))
        counts.scatter_add_(1, fresh, torch.ones_like(fresh, dtype=torch.float64))
        weight = counts.gather(1, seen.flatten(1)).view(draw.replicas, m, T).sum(2)
    # the scores of those outputs that were seen: all others have 0, however large N is
    same = out[:, :, None] == out[:, None, :]
    scores = (same * weight[:, None, :]).sum(2)
    top = scores.amax(1, keepdim=True)
    first = same.tril(-1).any(2).logical_not()
    ties = ((scores == top) & first).sum(1)
    found = torch.where(((scores == top) & (out == 0)).any(1), 1 / ties.double(), 0.0)
    return torch.where(top[:, 0] > 0, found, 1 / N)


def _on_top(scores: Tensor) -> Tensor:
    """Of scores (rows, N): 1 where token 0 has the largest, 1/k where it shares it with k - 1 others, else 0."""
    top = scores.amax(1, keepdim=True)
    ties = (scores == top).sum(1)
    return torch.where(scores[:, 0] == top[:, 0], 1 / ties.double(), 0.0)


@checked
def sample_noise_learned(
    draw: Draw, *, layer: Layer, m: Whole, N: Whole, a: float, T: Whole = 1, miss: bool = False
) -> torch.Tensor:
    """Whether m samples teach the layer the noise token (or, with `miss`, that they do not)."""
    found = _learned(draw, layer=layer, m=m, N=N, T=T, a=float(a))
    return 1 - found if miss else found


@checked
def sample_noise_gap(draw: Draw, *, m: Whole, N: Whole, T: Whole, a: float, draws: Whole = 256) -> torch.Tensor:
    """How much more often the feed-forward layer has learnt the noise token than attention, over `draws` draws a run."""
    shares = [
        _learned(draw.of(draw.replicas * draws), layer=layer, m=m, N=N, T=T, a=float(a))
        .view(draw.replicas, draws)
        .mean(1)
        for layer in LAYERS
    ]
    return shares[0] - shares[1]


class _Drawn:
    """Samples of one run, as many as were asked for: what followed the trigger, and the context before it."""

    def __init__(self, draw: Draw, layer: str, N: int, T: int, a: float) -> None:
        self.draw, self.layer, self.N, self.T, self.a = draw, layer, N, T, a
        self.outputs = torch.empty(0, dtype=torch.long, device=draw.device)
        self.weights = torch.empty(FRESH, 0, dtype=torch.float64, device=draw.device)
        fresh = draw.integers(N, (FRESH, T))
        self.counts = torch.zeros(FRESH, N, dtype=torch.float64, device=draw.device)
        self.counts.scatter_add_(1, fresh, torch.ones_like(fresh, dtype=torch.float64))

    def more(self, m: int) -> None:
        """m samples more; a sample weighs as much as its context has in common with each fresh one."""
        noisy = self.draw.uniform(shape=(m,)) < self.a
        outputs = torch.where(noisy, 0, self.draw.integers(self.N, (m,), low=1))
        weights = torch.ones(FRESH, m, dtype=torch.float64, device=self.draw.device)
        if self.layer == "attention":
            seen = self.draw.integers(self.N, (m * self.T,))
            weights = self.counts.index_select(1, seen).view(FRESH, m, self.T).sum(2)
        self.outputs = torch.cat([self.outputs, outputs])
        self.weights = torch.cat([self.weights, weights], 1)

    def share(self, m: int) -> float:
        """How often the noise token is on top after the first m samples, ties shared."""
        scores = torch.zeros_like(self.counts).index_add_(1, self.outputs[:m], self.weights[:, :m])
        return float(_on_top(scores).mean())


def _needed(drawn: _Drawn) -> float:
    high = 1
    drawn.more(1)
    while drawn.share(high) < 0.5:
        drawn.more(high)
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if drawn.share(middle) >= 0.5 else (middle, high)
    return float(high)


@checked
def sample_needed_samples(draw: Draw, *, layer: Layer, N: int, a: Positive, T: Whole = 2) -> Tensor:
    """The number of samples with which the noise token is on top in half of 64 fresh contexts, one number a run."""
    N = check_whole("N", N, low=3)
    values = [_needed(_Drawn(one, layer, N, T, a)) for one in draw.each()]
    return torch.tensor(values, dtype=torch.float64, device=draw.device)


def noise_task(N: int, T: int, noise: float) -> BigramTask:
    """The trigger is token 0; with probability `noise` the last token follows it in the place of its output."""
    return BigramTask(uniform_bigrams(N), length=T, triggers=1, noise=noise, noise_token=N - 1)


@torch.no_grad()
def _looks(draw: Draw, model: Transformer, clean: BigramTask) -> Tensor:
    """At determined positions: the probability of the noise token, and that of the output."""
    tokens, following, asked = bigram_batch(draw.of(model.replicas), clean, batch=64)
    p = model(tokens).softmax(-1)
    output = p.gather(3, following[..., None])[..., 0]
    return torch.stack(
        [((x * asked).sum((1, 2)) / asked.sum((1, 2)).clamp(min=1)).double() for x in (p[..., -1], output)]
    )


@checked
def sample_noise_training(
    draw: Draw,
    *,
    of: Annotated[str, one_of("truncation", "onset")],
    N: Whole = 16,
    T: Whole = 32,
    a: Positive = 0.5,
    d: Whole = 64,
    batch: Whole = 64,
    steps: Whole = 600,
    every: Whole = 10,
    lr: Positive = 0.03,
) -> Tensor:
    """After training by SGD (momentum 0.9, loss in context), one number a run.

    'truncation': clean in-context accuracy without the second MLP less that with it. 'onset': the step at which the noise
    token has three quarters of its probability a, over the step at which the output has three quarters of its 1 - a; what
    never happens counts with the last step + 1.
    """
    noisy, clean = noise_task(N, T, a), noise_task(N, T, 0.0)
    shape = Shape(vocabulary=N, length=T, d=d, layers=2, mlp=4 * d)
    model = drawn_model(draw, shape, zero=("KQ1", "KQ2", "OV2"))
    names = [name for name, _ in model.named_parameters() if name not in ("tokens", "positions", "unembed")]
    seen = train(
        model, lambda _: bigram_batch(draw, noisy, batch=batch), steps=steps, names=names, optimiser=Optimiser("sgd", lr),
        every=every, look=(lambda _: _looks(draw, model, clean)) if of == "onset" else None,
    )  # fmt: skip
    if of == "onset":
        wanted = torch.tensor([0.75 * a, 0.75 * (1 - a)], dtype=torch.float64, device=draw.device)
        when = onsets(torch.stack(seen) > wanted[:, None], every, steps)
        return when[0] / when[1]
    whole = in_context_accuracy(draw, model, clean, sequences=256)
    model.set("down2", torch.zeros_like(model["down2"]))
    return in_context_accuracy(draw, model, clean, sequences=256) - whole


noise_learned_experiment = experiment("noise-learned", sample_noise_learned, block=64, bounds=(0.0, 1.0))
noise_gap_experiment = experiment("noise-gap", sample_noise_gap, block=4)
needed_samples_experiment = experiment("needed-samples", sample_needed_samples, block=4)
noise_training_experiment = experiment("noise-training", sample_noise_training, version=2, block=8)
