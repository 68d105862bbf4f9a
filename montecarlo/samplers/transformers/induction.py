"""Induction heads: trained with one and two layers, and asked about positions whose next token the context determines."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

import torch
from torch import Tensor

from asymp.models.tasks.bigrams import BigramLaw, BigramTask, shakespeare_bigrams, uniform_bigrams
from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.checks import check_choice, check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers.training import Optimiser, drawn_model, train

TEXTS = ("uniform", "shakespeare")
Seen = TypeVar("Seen")


ADAM: Mapping[str, Any] = {"name": "adam", "lr": 5e-3}
INNER = ("every", "look", "enough", "stage")
"""The arguments of `trained_induction` that no experiment is asked about."""


@cache
def _law(text: str, N: int) -> BigramLaw:
    check_choice("text", text, TEXTS)
    return uniform_bigrams(N) if text == "uniform" else shakespeare_bigrams()


def bigram_task(text: str, N: int, T: int, K: int) -> BigramTask:
    return BigramTask(_law(text, N), length=T, triggers=K)


def bigram_batch(
    draw: Draw, task: BigramTask, *, batch: int, everywhere: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Tokens, what follows them, and where the loss is taken: in context, or everywhere."""
    drawn = task.draw(batch=batch, replicas=draw.replicas, generator=draw.generator, device=draw.device)
    mask = torch.ones_like(drawn.in_context) if everywhere else drawn.in_context
    return drawn.tokens[..., :-1], drawn.tokens[..., 1:], mask[..., :-1]


@torch.no_grad()
def in_context_accuracy(draw: Draw, model: Transformer, task: BigramTask, *, sequences: int) -> Tensor:
    """The share of in-context positions whose next token is predicted, one number a replica."""
    tokens, targets, mask = bigram_batch(draw.of(model.replicas), task, batch=sequences)
    right = (model(tokens).argmax(-1) == targets) & mask
    return torch.div(right.sum((1, 2)).double(), mask.sum((1, 2)).clamp(min=1))


def induction_model(draw: Draw, task: BigramTask, *, model: str, d: int, layers: int) -> tuple[Transformer, list[str]]:
    """A model and the names of what it learns.

    'basic' has frozen random embeddings and values; key-query matrices and the last values start at 0. In 'full'
    everything is learned: 4 heads, layer norm, a ReLU MLP of width 4 d.
    """
    shape = Shape(vocabulary=task.law.N, length=task.length, d=d, layers=layers)
    if check_choice("model", model, ("basic", "full")) == "basic":
        names = [*(f"KQ{n}" for n in range(1, layers + 1)), f"OV{layers}"]
        return drawn_model(draw, shape, zero=names), names
    made = drawn_model(draw, replace(shape, heads=4, head_dim=d // 4, mlp=4 * d, norm=True), spread=d**-0.5)
    return made, [name for name, _ in made.named_parameters()]


def trained_induction(
    draw: Draw,
    *,
    layers: int = 2,
    model: str = "basic",
    text: str = "uniform",
    N: int = 16,
    T: int = 16,
    K: int = 4,
    d: int = 64,
    batch: int = 64,
    steps: int = 400,
    optimiser: Mapping[str, Any] = ADAM,
    every: int = 0,
    look: Callable[[Transformer, BigramTask], Seen] | None = None,
    enough: Callable[[Sequence[Seen]], bool] | None = None,
    stage: Callable[[int], str] | None = None,
) -> tuple[Transformer, BigramTask, list[Seen]]:
    """A model trained on bigrams of a text with N tokens, T positions and K triggers; its task; what `look` said."""
    task = bigram_task(text, N, T, K)
    made, names = induction_model(draw, task, model=model, d=d, layers=layers)
    seen = train(
        made, lambda _: bigram_batch(draw, task, batch=batch, everywhere=model == "full"),
        steps=check_whole("steps", steps, low=0), names=names, optimiser=Optimiser(**optimiser), every=every,
        look=None if look is None else lambda _: look(made, task), enough=enough, stage=stage,
    )  # fmt: skip
    return made, task, seen
