"""Models that a person trains: an induction head on bigrams (a text of one's own, too), and factual recall.

Several models are trained as one (`replicas`), each with draws of its own. With `checkpoint` a run that was interrupted
goes on from the last report; the numbers are those of a run that was not.
"""

from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from asymp.models.tasks.bigrams import BigramLaw, BigramTask, shakespeare_bigrams, text_bigrams, uniform_bigrams
from asymp.models.tasks.facts import FactTask
from asymp.models.transformer import Transformer
from asymp.montecarlo.checks import check_choice, check_whole
from asymp.montecarlo.draws import Draw, block_generator, pick_device
from asymp.montecarlo.samplers.transformers.facts_trained import fact_accuracy, fact_logits, fact_model, fact_names
from asymp.montecarlo.samplers.transformers.induction import bigram_batch, in_context_accuracy, induction_model
from asymp.montecarlo.samplers.transformers.session import Progress, Session, TrainingResult, print_progress
from asymp.montecarlo.samplers.transformers.training import Optimiser, masked_loss

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
    """Train a transformer on the bigram task; accuracy is that of 256 fresh sequences, in context.

    Args:
        text: Where bigrams come from: "uniform" (N tokens), "shakespeare", or the path of a text file.
        N: The number of tokens, for uniform bigrams.
        T: The length of a sequence.
        K: The number of triggers.
        model: "basic" (frozen random embeddings, one head, trained key-query matrices and last values, loss in context)
            or "full" (all learned, 4 heads, layer norm, MLP, loss everywhere).
        layers: The number of layers.
        d: The dimension of the residual stream.
        batch: Sequences a step.
        optimiser: "adam" or "sgd".
        lr: The step size.
        steps: How many steps are taken.
        every: After how many steps progress is reported, and the checkpoint written.
        checkpoint: A file that a run which was interrupted goes on from.
        precision: "full" (float32), or on a GPU "mixed" (bfloat16 where that is safe).
        compiled: Whether torch compiles the model before it is trained (on a GPU only).
        progress: What is called with each report; None says nothing.
        replicas: How many models are trained side by side.
        seed: A whole number; the same seed gives the same numbers.
        device: "auto" (a GPU if there is one), "cpu" or "cuda".
    """
    check_choice("model", model, ("basic", "full"))
    layers, d, batch = (check_whole(n, v) for n, v in (("layers", layers), ("d", d), ("batch", batch)))
    if model == "full" and d % 4:
        raise ValueError(f"d must be a multiple of 4 for the 4 heads of the full model; got {d}")
    where, generator, replicas = _place("train-induction", device, seed, replicas)
    law = _bigrams(text, N)
    task = BigramTask(law, length=check_whole("T", T, low=2), triggers=check_whole("K", K))
    made, names = induction_model(Draw(replicas, generator, where), task, model=model, d=d, layers=layers)

    def loss(trained: Transformer, source: torch.Generator) -> Tensor:
        drawn = bigram_batch(Draw(replicas, source, where), task, batch=batch, everywhere=model == "full")
        return masked_loss(trained(drawn[0]), *drawn[1:])

    def accuracy(trained: Transformer, source: torch.Generator) -> Tensor:
        return in_context_accuracy(Draw(replicas, source, where), trained, task, sequences=256).float()

    settings: dict[str, object] = {
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
    """Train one attention layer and an MLP on S R facts, by token tables; accuracy is that of 1024 fresh sequences.

    Args:
        S: The number of subjects.
        R: The number of relations.
        D: How many answers a relation has.
        T: The length of a sequence.
        noise: The number of noise tokens; None is S + R.
        d: The dimension of the embeddings.
        H: The number of heads.
        d_h: The size of a head.
        m: The width of the MLP; 0 is none.
        batch: Sequences a step.
        lr: The step size of Adam.
        steps: How many steps are taken.
        every: After how many steps progress is reported, and the checkpoint written.
        checkpoint: A file that a run which was interrupted goes on from.
        precision: "full" (float32), or on a GPU "mixed" (bfloat16 where that is safe).
        compiled: Whether torch compiles the model before it is trained (on a GPU only).
        progress: What is called with each report; None says nothing.
        replicas: How many models are trained side by side.
        seed: A whole number; the same seed gives the same numbers.
        device: "auto" (a GPU if there is one), "cpu" or "cuda".
    """
    batch = check_whole("batch", batch)
    where, generator, replicas = _place("train-facts", device, seed, replicas)
    task = FactTask(S, R, D, T, noise)
    made = fact_model(Draw(replicas, generator, where), task, d=d, H=H, d_h=d_h, m=m)
    names = fact_names(made)
    facts = task.facts(replicas=replicas, generator=generator, device=where)

    def loss(trained: Transformer, source: torch.Generator) -> Tensor:
        found, answers = fact_logits(Draw(replicas, source, where), trained, task, facts, batch)
        losses = functional.cross_entropy(found.flatten(0, 1), answers.flatten(), reduction="none")
        return losses.view(replicas, -1).mean(1)

    def accuracy(trained: Transformer, source: torch.Generator) -> Tensor:
        return fact_accuracy(Draw(replicas, source, where), trained, task, facts)

    settings: dict[str, object] = {
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
