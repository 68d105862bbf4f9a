"""What pictures of transformers are drawn from: probes along training, attention on a sequence, the flow of a memory of facts."""

from typing import Any

import torch

from asymp.montecarlo.blocks import block_generator, one_thread, pick_device
from asymp.montecarlo.recall.checks import check_whole
from asymp.montecarlo.transformers import hallucination, induction
from asymp.montecarlo.transformers.joint import ORDER, stage

__all__ = ["PROBES", "fact_flow", "induction_pictures"]

PROBES = ORDER


def fact_flow(*, S: int, R: int, D: int, init: float = 1e-5, device: str = "auto") -> dict[str, list[float]]:
    """The gradient flow of a linear-attention memory of facts: its loss and probabilities along time.

    `right` is the probability of the right answer, `relation` that of all answers of the relation, `subject` that of all
    answers of the subject, each a mean over the facts.
    """
    found = hallucination._flow(*hallucination._checked(S, R, D, init), pick_device(device))
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
    optimiser: Any = None,
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
    given: dict[str, Any] = {"text": text, "N": N, "T": T, "K": K, "d": d, "batch": batch, "steps": steps}
    names = {**given, "layers": layers, "staged": staged, "replicas": replicas, "optimiser": optimiser}
    how: dict[str, Any] = {
        "generator": block_generator(where, "induction-pictures", 1, names, seed, 0),
        "device": where,
    }
    # Measured on sequences of its own, so that how often one looks changes nothing.
    look: dict[str, Any] = {"generator": block_generator(where, "induction-look", 1, names, seed, 0), "device": where}
    task = induction._task(text, N, T, K)

    def record(step: int, model: Any) -> tuple[int, Any, Any]:
        probes = induction._probes(model, task) if layers == 2 else None
        return step, probes, induction._accuracy(model, task, sequences=32, **look)

    with one_thread():
        model, _, records = induction._trained(
            layers=layers, model="basic", optimiser=optimiser or induction.ADAM, replicas=replicas, every=every,
            record=record, schedule=(lambda step: stage(step, steps)) if staged else None, **given, **how,
        )  # fmt: skip
        drawn = task.draw(replicas=replicas, batch=16, **look)
        # The sequence with most to show.
        best = int(drawn.in_context[0].sum(1).argmax())
        with torch.no_grad():
            attention = [pattern[0, best, 0] for pattern in model.read(drawn.tokens).attention]
    return {
        "steps": [step for step, _, _ in records],
        "accuracy": torch.stack([accuracy for _, _, accuracy in records], 1).tolist(),
        "probes": torch.stack([probes for _, probes, _ in records], 1).tolist() if layers == 2 else [],
        "attention": [pattern.double().tolist() for pattern in attention],
        "tokens": drawn.tokens[0, best].tolist(),
        "in_context": drawn.in_context[0, best].tolist(),
        "triggers": task.most_frequent.tolist(),
    }
