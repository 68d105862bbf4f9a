"""Which of an induction head's three memories is learned first, and whether they learn better together.

A basic model of two layers is trained; measured are the step at which one memory's probe sets in over that of another, and
the accuracy after training all three at once less that after training them one after the other, the others frozen.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

import torch
from torch import Tensor

from asymp.models.tasks.bigrams import BigramTask
from asymp.models.transformer import Transformer
from asymp.montecarlo.arguments import Whole, checked, one_of, takes
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.transformers.induction import INNER, in_context_accuracy, trained_induction
from asymp.montecarlo.samplers.transformers.training import onsets

ORDER = ("OV2", "KQ2", "KQ1")
"""The order in which the sources see them learned."""
Probe = Annotated[str, one_of(*ORDER)]


def _recalls(scores: Tensor, diagonal: Tensor) -> Tensor:
    """R(W, W*): the share of items i whose largest score is s_i,d(i), one number a replica."""
    return (scores.argmax(2) == diagonal).double().mean(1)


def _margins(scores: Tensor, diagonal: Tensor) -> Tensor:
    """Mean over i of (s_i,d(i) - mean_j s_ij)/std_j s_ij, one number a replica; scores (replicas, items, candidates)."""
    own = scores.gather(2, diagonal.expand(len(scores), -1)[..., None])[..., 0]
    return ((own - scores.mean(2)) / scores.std(2).clamp(min=1e-12)).mean(1)


@torch.no_grad()
def probe_margins(model: Transformer, task: BigramTask, of: Callable[[Tensor, Tensor], Tensor] = _margins) -> Tensor:
    """Standardised margins, or what else `of` scores is asked, (replicas, 3) of W_OV^2, W_KQ^2 and W_KQ^1 as memories.

    W_OV^2 is asked about all tokens, W_KQ^2 about the triggers (no other token ever has to look for itself), W_KQ^1 about
    all positions but the first.
    """
    E, P, U = model["tokens"], model["positions"], model["unembed"]
    tokens = torch.arange(E.shape[1], device=E.device)
    first = model["OV1"][:, 0]
    outputs = E @ model["OV2"][:, 0].mT @ U.mT
    # Query e_i against the keys W_OV^1 e_j.
    second = E @ model["KQ2"][:, 0] @ (E @ first.mT).mT
    previous = P[:, 1:] @ model["KQ1"][:, 0] @ P.mT
    positions = torch.arange(P.shape[1] - 1, device=E.device)
    triggers = task.most_frequent.to(E.device)
    found = [of(outputs, tokens), of(second[:, triggers], triggers), of(previous, positions)]
    return torch.stack(found, 1).double()


@checked
@takes(trained_induction, without=INNER)
def sample_probe_order(
    draw: Draw, *, first: Probe, second: Probe, onset: float = 1.0, steps: int = 400, every: int = 5,
    probe: Annotated[str, one_of("margin", "recall")] = "margin", **settings: Any,
) -> Tensor:  # fmt: skip
    """The step at which the probe `first` sets in over that of `second`: below 1 if `first` is learned first.

    A probe sets in when its standardised margin first exceeds `onset`, or with `probe="recall"` the share R(W, W*) that is
    recalled; one that never does counts with the last step + 1.
    Training ends as soon as `first` has set in: a `second` that has not by then counts with the next step.
    """

    def learned(seen: Sequence[Tensor]) -> bool:
        return bool((torch.stack(list(seen))[:, :, ORDER.index(first)] > onset).any(0).all())

    look = partial(probe_margins, of=_recalls) if probe == "recall" else probe_margins
    _, _, seen = trained_induction(draw, steps=steps, every=every, look=look, enough=learned, **settings)
    when = onsets(torch.stack(seen) > onset, every, steps)
    own = when[:, ORDER.index(first)]
    return own / torch.minimum(when[:, ORDER.index(second)], own + 1)


def stage(step: int, steps: int) -> str:
    """What learns at a step when each of the three has a third of the steps to itself."""
    return ORDER[min(3 * step // max(steps, 1), 2)]


@checked
@takes(trained_induction, without=INNER)
def sample_joint_gain(draw: Draw, *, steps: Whole, **settings: Any) -> Tensor:
    """In-context accuracy of the basic model after so many steps on all three, less that after as many in three stages."""
    accuracies = []
    for staged in (False, True):
        made, task, _ = trained_induction(
            draw, steps=steps, stage=(lambda step: stage(step, steps)) if staged else None, **settings
        )
        accuracies.append(in_context_accuracy(draw, made, task, sequences=512))
    return accuracies[0] - accuracies[1]


probe_order_experiment = experiment("probe-order", sample_probe_order, version=4, block=4)
joint_gain_experiment = experiment("joint-gain", sample_joint_gain, version=3, block=8)
