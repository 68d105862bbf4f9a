"""Models that a person trains: an induction head on bigrams (a text of one's own, too), and factual recall.

Several models are trained as one (`replicas`), each with draws of its own. With `checkpoint` a run that was interrupted
goes on from the last report; the numbers are those of a run that was not.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from asymp.models.tasks.bigrams import BigramLaw, BigramTask, shakespeare_bigrams, text_bigrams, uniform_bigrams
from asymp.models.tasks.facts import FactTask, token_counts
from asymp.models.transformer import Shape, Transformer
from asymp.models.transformer.tables import table_logits
from asymp.montecarlo.blocks import block_generator, pick_device
from asymp.montecarlo.recall.checks import check_choice, check_whole
from asymp.montecarlo.transformers.facts_trained import fact_model, fact_names
from asymp.montecarlo.transformers.session import Progress, Session, TrainingResult, print_progress
from asymp.montecarlo.transformers.training import Optimiser, masked_loss

__all__ = ["train_facts", "train_induction"]

# Models trained side by side; `asymp measure` asks for 1000 replicas unless told otherwise.
MOST = 64


def train_induction(
    *,
    text: str = "uniform",
    N: int = 16,
    T: int = 16,
    K: int = 4,
    model: str = "basic",
    layers: int = 2,
    d: int = 64,
    batch: int = 64,
    optimiser: str = "adam",
    lr: float = 5e-3,
    steps: int = 400,
    every: int = 50,
    checkpoint: str | Path | None = None,
    precision: str = "full",
    compiled: bool = False,
    progress: Callable[[Progress], None] | None = print_progress,
    replicas: int = 1,
    seed: int = 0,
    device: str = "auto",
) -> TrainingResult:
    """Train a transformer on the bigram task; `text` is 'uniform' (N tokens), 'shakespeare' or a text file.

    model 'basic': frozen random embeddings, one head, trained key-query matrices and last values, loss in context.
    'full': all learned, 4 heads, layer norm, MLP, loss everywhere. Accuracy is that of 256 fresh sequences, in context.
    """
    check_choice("model", model, ("basic", "full"))
    layers, d, batch = (check_whole(n, v) for n, v in (("layers", layers), ("d", d), ("batch", batch)))
    if model == "full" and d % 4:
        raise ValueError(f"d must be a multiple of 4 for the 4 heads of the full model; got {d}")
    where, generator, replicas = _place("train-induction", device, seed, replicas)
    law = _bigrams(text, N)
    task = BigramTask(law, length=check_whole("T", T, low=2), triggers=check_whole("K", K))
    shape = (
        Shape(vocabulary=law.N, length=T, d=d, layers=layers)
        if model == "basic"
        else Shape(
            vocabulary=law.N, length=T, d=d, layers=layers, heads=4, head_dim=d // 4, mlp=4 * d, norm=True
        )
    )  # fmt: skip
    if model == "basic":
        names = (*(f"KQ{n}" for n in range(1, layers + 1)), f"OV{layers}")
        made = Transformer(shape, replicas=replicas, zero=names, generator=generator, device=where)
    else:
        made = Transformer(shape, replicas=replicas, spread=d**-0.5, generator=generator, device=where)
        names = tuple(name for name, _ in made.named_parameters())

    def loss(trained: Transformer, source: torch.Generator) -> Tensor:
        drawn = task.draw(replicas=replicas, batch=batch, generator=source, device=where)
        mask = torch.ones_like(drawn.in_context) if model == "full" else drawn.in_context
        return masked_loss(trained(drawn.tokens[..., :-1]), drawn.tokens[..., 1:], mask[..., :-1])

    def accuracy(trained: Transformer, source: torch.Generator) -> Tensor:
        drawn = task.draw(replicas=replicas, batch=256, generator=source, device=where)
        asked = drawn.in_context[..., :-1]
        right: Tensor = (trained(drawn.tokens[..., :-1]).argmax(-1) == drawn.tokens[..., 1:]) & asked
        return right.sum((1, 2)) / asked.sum((1, 2)).clamp(min=1)

    settings: dict[str, Any] = {
        "task": "induction", "text": text, "N": law.N, "T": T, "K": K, "model": model, "layers": layers, "d": d, "batch": batch,
        "following": law.following,
    }  # fmt: skip
    session = Session(
        made, names, loss, accuracy, Optimiser(optimiser, float(lr)).make(made.train_only(names)), generator,
        {**settings, "optimiser": optimiser, "lr": lr, "replicas": replicas, "seed": seed}, seed, precision, compiled,
    )  # fmt: skip
    return session.run(steps=steps, every=every, checkpoint=checkpoint, progress=progress)


def train_facts(
    *,
    S: int = 16,
    R: int = 16,
    D: int = 4,
    T: int = 16,
    noise: int | None = None,
    d: int = 16,
    H: int = 8,
    d_h: int = 4,
    m: int = 64,
    batch: int = 256,
    lr: float = 1e-2,
    steps: int = 1000,
    every: int = 100,
    checkpoint: str | Path | None = None,
    precision: str = "full",
    compiled: bool = False,
    progress: Callable[[Progress], None] | None = print_progress,
    replicas: int = 1,
    seed: int = 0,
    device: str = "auto",
) -> TrainingResult:
    """Train one attention layer (H heads of size d_h) and an MLP of width m (0: none) on S R facts, by token tables."""
    batch = check_whole("batch", batch)
    where, generator, replicas = _place("train-facts", device, seed, replicas)
    task = FactTask(S, R, D, T, noise)
    made = fact_model(task, d=d, H=H, d_h=d_h, m=m, replicas=replicas, generator=generator, device=where)
    names = tuple(fact_names(made))
    facts = task.facts(replicas=replicas, generator=generator, device=where)

    def logits(trained: Transformer, source: torch.Generator, count: int) -> tuple[Tensor, Tensor]:
        drawn = task.draw(facts, batch=count, generator=source, device=where)
        return table_logits(trained, token_counts(drawn.tokens, task.vocabulary)), drawn.answers

    def loss(trained: Transformer, source: torch.Generator) -> Tensor:
        found, answers = logits(trained, source, batch)
        return (
            functional.cross_entropy(found.flatten(0, 1), answers.flatten(), reduction="none")
            .view(replicas, -1)
            .mean(1)
        )

    def accuracy(trained: Transformer, source: torch.Generator) -> Tensor:
        found, answers = logits(trained, source, 1024)
        return (found.argmax(-1) == answers).double().mean(1)

    settings: dict[str, Any] = {
        "task": "facts", "S": S, "R": R, "D": D, "T": T, "noise": noise, "d": d, "H": H, "d_h": d_h, "m": m, "batch": batch,
        "lr": lr, "replicas": replicas, "seed": seed,
    }  # fmt: skip
    session = Session(
        made, names, loss, accuracy, Optimiser("adam", float(lr)).make(made.train_only(names)), generator, settings, seed,
        precision, compiled,
    )  # fmt: skip
    return session.run(steps=steps, every=every, checkpoint=checkpoint, progress=progress)


def _place(name: str, device: str, seed: int, replicas: int) -> tuple[torch.device, torch.Generator, int]:
    replicas = check_whole("replicas", replicas)
    if replicas > MOST:
        raise ValueError(f"replicas must be at most {MOST}: so many models are trained side by side; got {replicas}")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ValueError(f"seed must be a whole number; got {seed!r}")
    where = pick_device(device)
    return where, block_generator(where, name, seed), replicas


def _bigrams(text: str, N: int) -> BigramLaw:
    if text == "uniform":
        return uniform_bigrams(N)
    return shakespeare_bigrams() if text == "shakespeare" else text_bigrams(text)
