"""Speed figures of the transformers and of their data."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from asymp.models.tasks.bigrams import BigramTask, shakespeare_bigrams
from asymp.models.tasks.facts import FactTask, token_counts
from asymp.models.transformer import Shape, Transformer
from asymp.models.transformer.tables import table_logits
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers.facts_trained import fact_model, fact_names
from asymp.montecarlo.samplers.transformers.training import Optimiser, train
from speed.rows import Row, faster, seconds
from speed.transformer_baselines import (
    PlainTransformer,
    bigram_token_loop,
    facts_token_loop,
    plain_steps,
)

__all__ = ["TRANSFORMER_FIGURES", "fact_steps"]

CPU = torch.device("cpu")


def _how(seed: int = 0) -> dict[str, Any]:
    return {"generator": torch.Generator().manual_seed(seed), "device": CPU}


def _train_on(model: Transformer, names: list[str], batches: list[Tensor]) -> None:
    """Steps of the product's own loop on batches drawn before (replicas, batch, length + 1)."""
    waiting = iter(batches)

    def draw(_: int) -> tuple[Tensor, Tensor, Tensor]:
        tokens = next(waiting)
        return tokens[..., :-1], tokens[..., 1:], torch.ones_like(tokens[..., 1:], dtype=torch.bool)

    train(model, draw, steps=len(batches), names=names, optimiser=Optimiser("adam", 1e-2))


def training_steps() -> Iterator[Row]:
    """Steps of the full model against a plain one, and several seeds as one model against one after the other."""
    d, T, batch, layers, heads, steps = 128, 64, 64, 2, 4, 6
    task = BigramTask(shakespeare_bigrams(), length=T + 1, triggers=5)
    batches = [task.draw(replicas=1, batch=batch, **_how(n)).tokens for n in range(steps)]
    shape = Shape(vocabulary=65, length=T, d=d, layers=layers, heads=heads, head_dim=d // heads, mlp=4 * d, norm=True)
    plain = PlainTransformer(vocabulary=65, length=T, d=d, layers=layers, heads=heads)
    model = Transformer(shape, spread=d**-0.5, **_how())
    names = [name for name, _ in model.named_parameters()]
    theirs = ours = float("inf")
    for _ in range(4):  # by turns, so that a busy moment of the machine meets both
        theirs = min(theirs, seconds(lambda: plain_steps(plain, [tokens[0] for tokens in batches])))
        ours = min(ours, seconds(lambda: _train_on(model, names, batches)))
    work = f"full model, 2 layers, 4 heads, d={d}, T={T}, batch {batch}, {steps} steps of AdamW"
    yield faster(work, "a plain model of torch's own modules", theirs, ours, 0.95)

    seeds, recall = 8, FactTask(16, 16, 4, 16)
    facts = recall.facts(replicas=seeds, **_how())
    drawn = [recall.draw(facts, batch=256, **_how(n)) for n in range(10)]
    sizes: dict[str, Any] = {"d": 16, "H": 8, "d_h": 4, "m": 64}
    many = fact_model(Draw(seeds, **_how()), recall, **sizes)
    singles = [fact_model(Draw(1, **_how(n)), recall, **sizes) for n in range(seeds)]
    together = [(x.tokens, x.answers) for x in drawn]
    apart = [[(x[n : n + 1], y[n : n + 1]) for x, y in together] for n in range(seeds)]
    theirs = ours = float("inf")
    for _ in range(4):
        one_by_one = seconds(
            lambda: [fact_steps(one, recall, own, dense=False) for one, own in zip(singles, apart, strict=True)]
        )
        theirs = min(theirs, one_by_one)
        ours = min(ours, seconds(lambda: fact_steps(many, recall, together, dense=False)))
    work = f"factual recall, S=R=16, d=16, H=8, m=64, batch 256, {seeds} seeds trained as one batched model"
    yield faster(work, "the seeds one after the other", theirs, ours, 1)


def fact_steps(model: Transformer, task: FactTask, batches: list[tuple[Tensor, Tensor]], *, dense: bool) -> list[float]:
    """Steps of Adam on factual recall, by token tables or token by token; the losses."""
    optimiser = torch.optim.Adam(model.train_only(fact_names(model)), lr=1e-3)
    losses = []
    for tokens, answers in batches:
        if dense:
            logits = model(tokens)[:, :, 0]
        else:
            logits = table_logits(model, token_counts(tokens, task.vocabulary, model["tokens"].dtype))
        loss = functional.cross_entropy(logits.flatten(0, 1), answers.flatten())
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()
        losses.append(float(loss.detach()))
    return losses


def facts_by_tables() -> Iterator[Row]:
    """Factual recall by token tables against the dense pass."""
    task = FactTask(32, 32, 8, 32)
    facts = task.facts(replicas=1, **_how())
    drawn = [task.draw(facts, batch=1024, **_how(n)) for n in range(4)]
    batches = [(x.tokens, x.answers) for x in drawn]
    for m in (0, 64):
        theirs = ours = float("inf")
        for _ in range(3):
            model = fact_model(Draw(1, **_how()), task, d=32, H=8, d_h=8, m=m)
            theirs = min(theirs, seconds(lambda: fact_steps(model, task, batches, dense=True)))  # noqa: B023
            ours = min(ours, seconds(lambda: fact_steps(model, task, batches, dense=False)))  # noqa: B023
        work = f"factual recall by token tables, S=R=32, D=8, d=32, H=8, d_h=8, m={m}, T=32, batch 1024, {len(batches)} steps"
        yield faster(work, "scores and values of every token of every sequence", theirs, ours, 4)


def generators() -> Iterator[Row]:
    """Data against loops over sequences and tokens; the loops are timed on fewer sequences and scaled."""
    task = BigramTask(shakespeare_bigrams(), length=256, triggers=5)
    batch, few = 4096, 16
    theirs = ours = float("inf")
    for n in range(3):
        theirs = min(theirs, seconds(lambda: bigram_token_loop(task, batch=few)) * batch / few)
        ours = min(ours, seconds(lambda: task.draw(replicas=8, batch=batch // 8, **_how(n))))  # noqa: B023
    yield faster(f"bigram task, Shakespeare, T=256, K=5, {batch} sequences", "a loop over tokens", theirs, ours, 50)
    recall, few = FactTask(32, 32, 8, 32), 64
    facts = recall.facts(replicas=8, **_how())
    table = facts[0].tolist()
    theirs = ours = float("inf")
    for n in range(3):
        theirs = min(theirs, seconds(lambda: facts_token_loop(recall, table, batch=few)) * batch / few)
        ours = min(ours, seconds(lambda: recall.draw(facts, batch=batch // 8, **_how(n))))  # noqa: B023
    yield faster(f"factual recall, S=R=32, T=32, {batch} sequences", "a loop over tokens", theirs, ours, 50)


TRANSFORMER_FIGURES: dict[str, Callable[[], Iterator[Row]]] = {
    "transformer-steps": training_steps,
    "facts-by-tables": facts_by_tables,
    "generators": generators,
}
