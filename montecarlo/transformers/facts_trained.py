"""Factual recall, trained: one attention layer, with an MLP or without, by token tables, several seeds as one model."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from asymp.models.tasks.facts import FactTask, token_counts
from asymp.models.transformer import Shape, Transformer
from asymp.models.transformer.tables import table_logits
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_number, check_whole

__all__ = [
    "fact_model",
    "fact_names",
    "sample_trained_facts",
    "sample_trained_facts_gap",
    "trained_facts_experiment",
    "trained_facts_gap_experiment",
]

ASKED = 1024


def fact_model(
    task: FactTask, *, d: int, H: int, d_h: int, m: int, replicas: int, generator: torch.Generator, device: torch.device
) -> Transformer:
    """The model of factual recall: embeddings N(0, 1/d), no residual stream around attention, queries at the last token."""
    d, H, d_h = (check_whole(n, v) for n, v in (("d", d), ("H", H), ("d_h", d_h)))
    shape = Shape(
        vocabulary=task.vocabulary, length=task.T, d=d, layers=1, heads=H, head_dim=d_h, mlp=check_whole("m", m, low=0),
        residual=False, positions=False, queries="last", outputs=task.outputs,
    )  # fmt: skip
    return Transformer(shape, replicas=replicas, spread=d**-0.5, generator=generator, device=device)


def fact_names(model: Transformer) -> list[str]:
    """What learns: all but the embeddings."""
    return [name for name, _ in model.named_parameters() if name not in ("tokens", "unembed")]


def sample_trained_facts(
    *,
    S: int,
    R: int | None = None,
    D: int = 4,
    T: int = 16,
    noise: int | None = None,
    d: int = 16,
    H: int = 8,
    d_h: int = 4,
    m: int = 64,
    batch: int | None = None,
    steps: int = 800,
    lr: float = 2e-2,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """The share of 1024 fresh sequences whose fact is recalled after training, one number a run.

    R None is R = S, batch None as many sequences as there are facts. Adam (0.9, 0.999), its rate falling linearly to 0.
    """
    how: dict[str, Any] = {"generator": generator, "device": device}
    S = check_whole("S", S)
    R = S if R is None else check_whole("R", R)
    steps, lr = check_whole("steps", steps, low=0), check_number("lr", lr, strict=True)
    batch = S * R if batch is None else check_whole("batch", batch)
    task = FactTask(S, R, check_whole("D", D), check_whole("T", T, low=3), noise)
    model = fact_model(task, d=d, H=H, d_h=d_h, m=m, replicas=replicas, **how)
    parameters = model.train_only(fact_names(model))
    facts = task.facts(replicas=replicas, **how)
    # One fused step for all matrices and all runs; every number has moments of its own, so that runs stay independent.
    optimiser = torch.optim.Adam(parameters, lr=lr, fused=True)
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = lr * (1 - step / steps)
        logits, answers = _logits(model, task, facts, batch, **how)
        # The sum of the runs' own mean losses: no run sees another's.
        loss = functional.cross_entropy(logits.flatten(0, 1), answers.flatten(), reduction="sum") / batch
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()
    with torch.no_grad():
        logits, answers = _logits(model, task, facts, ASKED, **how)
        return (logits.argmax(-1) == answers).double().mean(1)


def _logits(model: Transformer, task: FactTask, facts: Tensor, batch: int, **how: Any) -> tuple[Tensor, Tensor]:
    drawn = task.draw(facts, batch=batch, **how)
    return table_logits(model, token_counts(drawn.tokens, task.vocabulary)), drawn.answers


def sample_trained_facts_gap(
    *,
    one: Mapping[str, Any],
    other: Mapping[str, Any],
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
    **settings: Any,
) -> Tensor:
    """The share recalled by one model less that by another: `one` and `other` say in which settings they differ."""
    how: dict[str, Any] = {"replicas": replicas, "generator": generator, "device": device}
    first, second = (sample_trained_facts(**{**settings, **own}, **how) for own in (one, other))
    return first - second


trained_facts_experiment = experiment("trained-facts", sample_trained_facts, block=4, bounds=(0.0, 1.0))
trained_facts_gap_experiment = experiment("trained-facts-gap", sample_trained_facts_gap, block=4)
