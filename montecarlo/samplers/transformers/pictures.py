"""What pictures of transformers are drawn from: probes along training, attention on a sequence, the flow of a memory of facts."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from asymp.models.tasks.bigrams import BigramTask
from asymp.models.transformer import Transformer
from asymp.montecarlo.checks import check_number, check_whole
from asymp.montecarlo.draws import Draw, block_generator, one_thread, pick_device
from asymp.montecarlo.samplers.transformers.hallucination_phase import fact_losses
from asymp.montecarlo.samplers.transformers.induction import ADAM, in_context_accuracy, trained_induction
from asymp.montecarlo.samplers.transformers.induction_probes import ORDER, probe_margins, stage

PROBES = ORDER


def fact_flow(*, S: int, R: int, D: int, init: float = 1e-5, device: str = "auto") -> dict[str, list[float]]:
    """The gradient flow of a linear-attention memory of facts: its loss and probabilities along time.

    `right` is the probability of the right answer, `relation` that of all answers of the relation, `subject` that of all
    answers of the subject, each a mean over the facts.
    """
    for name, value in (("S", S), ("R", R), ("D", D)):
        check_whole(name, value, low=2)
    found = fact_losses(S, R, D, check_number("init", init, strict=True), pick_device(device))
    return {name: values.tolist() for name, values in found.items()}


def induction_pictures(
    *,
    text: str = "uniform",
    N: int = 16,
    T: int = 16,
    K: int = 4,
    d: int = 64,
    batch: int = 64,
    steps: int = 400,
    every: int = 10,
    optimiser: Mapping[str, Any] | None = None,
    layers: int = 2,
    staged: bool = False,
    replicas: int = 8,
    seed: int = 0,
    device: str = "auto",
) -> dict[str, Any]:
    """Train the basic model; probes and accuracy every so many steps (replica, record), attention on a fresh sequence.

    `staged` unfreezes the matrices one after the other, each for a third of the steps, in the order of PROBES; otherwise all
    learn at once. Attention is that of the first replica, layer by layer (position,
    position), on the one of 16 sequences with most positions whose next token is determined.
    """
    steps, every, layers = check_whole("steps", steps), check_whole("every", every), check_whole("layers", layers)
    where = pick_device(device)
    given: dict[str, Any] = {"text": text, "N": N, "T": T, "K": K, "d": d, "batch": batch}
    more = {"steps": steps, "layers": layers, "staged": staged, "replicas": replicas, "optimiser": optimiser}
    names = {**given, **more}
    draw = Draw(replicas, block_generator(where, "induction-pictures", 1, names, seed, 0), where)
    # Measured on sequences of its own, so that how often one looks changes nothing.
    look = Draw(replicas, block_generator(where, "induction-look", 1, names, seed, 0), where)

    def record(model: Transformer, task: BigramTask) -> tuple[Tensor, Tensor]:
        probes = probe_margins(model, task) if layers == 2 else torch.empty(replicas, 0)
        return probes, in_context_accuracy(look, model, task, sequences=32)

    with one_thread():
        model, task, records = trained_induction(
            draw, layers=layers, steps=steps, every=every, look=record,
            optimiser=optimiser or ADAM, stage=(lambda step: stage(step, steps)) if staged else None, **given,
        )  # fmt: skip
        drawn = task.draw(replicas=replicas, batch=16, generator=look.generator, device=where)
        # The sequence with most to show.
        best = int(drawn.in_context[0].sum(1).argmax())
        with torch.no_grad():
            attention = [pattern[0, best, 0] for pattern in model.read(drawn.tokens).attention]
    return {
        "steps": [*range(0, steps, every), steps],
        "accuracy": torch.stack([accuracy for _, accuracy in records], 1).tolist(),
        "probes": torch.stack([probes for probes, _ in records], 1).tolist() if layers == 2 else [],
        "attention": [pattern.double().tolist() for pattern in attention],
        "tokens": drawn.tokens[0, best].tolist(),
        "in_context": drawn.in_context[0, best].tolist(),
        "triggers": task.most_frequent.tolist(),
    }
