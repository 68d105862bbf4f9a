"""Global bigrams and in-context ones, trained: two blocks of attention and MLP on one trigger with noise after it.

The noise token takes the output's place with probability a. Embeddings are frozen, everything else learns. What the second
MLP has stored is seen by leaving it out: on sequences without noise the model then predicts the output more often.
"""

from typing import Any

import torch
from torch import Tensor

from asymp.models.tasks.bigrams import BigramTask, uniform_bigrams
from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole
from asymp.montecarlo.transformers.training import Optimiser, train

__all__ = ["noise_training_experiment", "sample_noise_training"]

OF = ("truncation", "onset")


def _tasks(N: int, T: int, a: float) -> tuple[BigramTask, BigramTask]:
    """The task with noise and the one without; the trigger is token 0, the noise token the last one."""
    return tuple(  # type: ignore[return-value]
        BigramTask(uniform_bigrams(N), length=T, triggers=1, noise=noise, noise_token=N - 1) for noise in (a, 0.0)
    )


@torch.no_grad()
def _clean_accuracy(model: Transformer, clean: BigramTask, **how: Any) -> Tensor:
    drawn = clean.draw(replicas=model.replicas, batch=256, **how)
    asked = drawn.in_context[..., :-1]
    right: Tensor = (model(drawn.tokens[..., :-1]).argmax(-1) == drawn.tokens[..., 1:]) & asked
    return right.sum((1, 2)).double() / asked.sum((1, 2)).clamp(min=1)


@torch.no_grad()
def _looks(model: Transformer, clean: BigramTask, **how: Any) -> tuple[Tensor, Tensor]:
    """At determined positions: the probability of the noise token, and that of the output."""
    drawn = clean.draw(replicas=model.replicas, batch=64, **how)
    asked = drawn.in_context[..., :-1]
    p = model(drawn.tokens[..., :-1]).softmax(-1)
    output = p.gather(3, drawn.tokens[..., 1:, None])[..., 0]
    noise, right = ((x * asked).sum((1, 2)) / asked.sum((1, 2)).clamp(min=1) for x in (p[..., -1], output))
    return noise.double(), right.double()


def sample_noise_training(
    *,
    of: str,
    N: int = 16,
    T: int = 32,
    a: float = 0.5,
    d: int = 64,
    batch: int = 64,
    steps: int = 600,
    every: int = 10,
    lr: float = 0.03,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """After training by SGD (momentum 0.9, loss in context), one number a run.

    'truncation': clean in-context accuracy without the second MLP less that with it. 'onset': the step at which the noise
    token has three quarters of its probability a, over the step at which the output has three quarters of its 1 - a; what
    never happens counts with the last step + 1.
    """
    check_choice("of", of, OF)
    N, T, d, batch, steps, every = (
        check_whole(n, v)
        for n, v in (("N", N), ("T", T), ("d", d), ("batch", batch), ("steps", steps), ("every", every))
    )
    noisy, clean = _tasks(N, T, check_number("a", a, strict=True))
    how: dict[str, Any] = {"generator": generator, "device": device}
    shape = Shape(vocabulary=N, length=T, d=d, layers=2, mlp=4 * d)
    model = Transformer(shape, replicas=replicas, zero=("KQ1", "KQ2", "OV2"), **how)
    names = [name for name, _ in model.named_parameters() if name not in ("tokens", "positions", "unembed")]

    def draw() -> tuple[Tensor, Tensor, Tensor]:
        drawn = noisy.draw(replicas=replicas, batch=batch, **how)
        return drawn.tokens[..., :-1], drawn.tokens[..., 1:], drawn.in_context[..., :-1]

    watched = of == "onset"
    records = train(
        model, draw, steps=steps, names=names, optimiser=Optimiser("sgd", check_number("lr", lr, strict=True)),
        every=every if watched else 0, record=(lambda _, m: torch.stack(_looks(m, clean, **how))) if watched else None,
    )  # fmt: skip
    if watched:
        seen = (
            torch.stack(records) > torch.tensor([0.75 * a, 0.75 * (1 - a)], dtype=torch.float64, device=device)[:, None]
        )
        when = torch.where(seen.any(0), seen.double().argmax(0) * every, steps + 1).clamp(min=1).double()
        return when[0] / when[1]
    whole = _clean_accuracy(model, clean, **how)
    model.set("down2", torch.zeros_like(model["down2"]))
    return _clean_accuracy(model, clean, **how) - whole


noise_training_experiment = experiment("noise-training", sample_noise_training, version=2, block=8)
