"""Transformers trained on sequences of bigrams, with one layer and with two.

Models, sequences and training batches are drawn; measured is the share of in-context positions whose next token is
predicted, the difference between two layers and one, and where the layers of a trained model attend to.
"""

from typing import Annotated, Any

import torch
from torch import Tensor

from asymp.montecarlo.arguments import Whole, checked, one_of, takes
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.transformers.induction import INNER, in_context_accuracy, trained_induction


@checked
@takes(trained_induction, without=INNER)
def sample_induction_accuracy(draw: Draw, *, layers: Whole, **settings: Any) -> Tensor:
    """In-context accuracy after training a model with so many layers, on 512 fresh sequences a run."""
    made, task, _ = trained_induction(draw, layers=layers, **settings)
    return in_context_accuracy(draw, made, task, sequences=512)


@takes(trained_induction, without=(*INNER, "layers"))
def sample_induction_gap(draw: Draw, **settings: Any) -> Tensor:
    """Accuracy of two layers less that of one, each trained on its own."""
    two, one = (sample_induction_accuracy(draw, layers=n, **settings) for n in (2, 1))
    return two - one


@checked
@takes(trained_induction, without=INNER)
def sample_induction_attention(
    draw: Draw, *, of: Annotated[str, one_of("previous", "after")], **settings: Any
) -> Tensor:
    """Mean attention of a trained basic model of two layers, on 128 fresh sequences a run.

    of 'previous': of the first layer, from every position but the first to the one before it. 'after': of the second, from
    triggers seen before to the positions that follow their earlier occurrences.
    """
    model, task, _ = trained_induction(draw, **settings)
    drawn = task.draw(replicas=draw.replicas, batch=128, generator=draw.generator, device=draw.device)
    with torch.no_grad():
        first, second = (pattern[:, :, 0].double() for pattern in model.read(drawn.tokens).attention)
    if of == "previous":
        return first.diagonal(-1, 2, 3).mean((1, 2))
    same = drawn.tokens[..., :, None] == drawn.tokens[..., None, :]
    follows = torch.zeros_like(second)
    follows[..., 1:] = same.tril(-1)[..., :-1]
    mass, asked = (second * follows).sum(-1), drawn.in_context
    return (mass * asked).sum((1, 2)) / asked.sum((1, 2)).clamp(min=1)


induction_attention_experiment = experiment(
    "induction-attention", sample_induction_attention, version=2, block=4, bounds=(0.0, 1.0)
)
induction_accuracy_experiment = experiment(
    "induction-accuracy", sample_induction_accuracy, version=4, block=4, bounds=(0.0, 1.0)
)
induction_gap_experiment = experiment("induction-gap", sample_induction_gap, version=4, block=4)
