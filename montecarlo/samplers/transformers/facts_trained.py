"""Factual recall, trained: one attention layer, with an MLP or without, by token tables, several seeds as one model."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from asymp.models.tasks.facts import FactTask, token_counts
from asymp.models.transformer import Shape, Transformer
from asymp.models.transformer.tables import table_logits
from asymp.montecarlo.arguments import Positive, Whole, WholeOrZero, checked, takes
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.transformers.training import drawn_model, falling, take_steps

ASKED = 1024


def fact_model(draw: Draw, task: FactTask, *, d: int, H: int, d_h: int, m: int) -> Transformer:
    """The model of factual recall: embeddings N(0, 1/d), no residual stream around attention, queries at the last token."""
    d, H, d_h = (check_whole(n, v) for n, v in (("d", d), ("H", H), ("d_h", d_h)))
    shape = Shape(
        vocabulary=task.vocabulary, length=task.T, d=d, layers=1, heads=H, head_dim=d_h, mlp=check_whole("m", m, low=0),
        residual=False, positions=False, queries="last", outputs=task.outputs,
    )  # fmt: skip
    return drawn_model(draw, shape, spread=d**-0.5)


def fact_names(model: Transformer) -> list[str]:
    """What learns: all but the embeddings."""
    return [name for name, _ in model.named_parameters() if name not in ("tokens", "unembed")]


@checked
def sample_trained_facts(
    draw: Draw,
    *,
    S: Whole,
    R: Whole | None = None,
    D: Whole = 4,
    T: int = 16,
    noise: int | None = None,
    d: int = 16,
    H: int = 8,
    d_h: int = 4,
    m: int = 64,
    batch: Whole | None = None,
    steps: WholeOrZero = 800,
    lr: Positive = 2e-2,
) -> Tensor:
    """The share of 1024 fresh sequences whose fact is recalled after training, one number a run.

    R None is R = S, batch None as many sequences as there are facts. Adam (0.9, 0.999), its rate falling linearly to 0.
    """
    R = S if R is None else R
    count = S * R if batch is None else batch
    task = FactTask(S, R, D, check_whole("T", T, low=3), noise)
    model = fact_model(draw, task, d=d, H=H, d_h=d_h, m=m)
    parameters = model.train_only(fact_names(model))
    facts = task.facts(replicas=draw.replicas, generator=draw.generator, device=draw.device)
    # One fused step for all matrices and all runs; every number has moments of its own, so that runs stay independent.
    optimiser = torch.optim.Adam(parameters, lr=lr, fused=True)

    def loss(step: int) -> Tensor:
        """The sum of the runs' own mean losses: no run sees another's."""
        logits, answers = fact_logits(draw, model, task, facts, count)
        return functional.cross_entropy(logits.flatten(0, 1), answers.flatten(), reduction="sum") / count

    take_steps(loss, falling(optimiser, steps), steps=steps)
    return fact_accuracy(draw, model, task, facts)


@torch.no_grad()
def fact_accuracy(draw: Draw, model: Transformer, task: FactTask, facts: Tensor) -> Tensor:
    """The share of 1024 fresh sequences whose fact is recalled, one number a run."""
    logits, answers = fact_logits(draw, model, task, facts, ASKED)
    return (logits.argmax(-1) == answers).double().mean(1)


def fact_logits(draw: Draw, model: Transformer, task: FactTask, facts: Tensor, batch: int) -> tuple[Tensor, Tensor]:
    """The logits of fresh sequences, by token tables, and their answers."""
    drawn = task.draw(facts, batch=batch, generator=draw.generator, device=draw.device)
    return table_logits(model, token_counts(drawn.tokens, task.vocabulary)), drawn.answers


@takes(sample_trained_facts)
def sample_trained_facts_gap(
    draw: Draw, *, one: Mapping[str, Any], other: Mapping[str, Any], **settings: Any
) -> Tensor:
    """The share recalled by one model less that by another: `one` and `other` say in which settings they differ."""
    first, second = (sample_trained_facts(draw, **{**settings, **own}) for own in (one, other))
    return first - second


trained_facts_experiment = experiment("trained-facts", sample_trained_facts, block=4, bounds=(0.0, 1.0))
trained_facts_gap_experiment = experiment("trained-facts-gap", sample_trained_facts_gap, block=4)
