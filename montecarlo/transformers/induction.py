"""Induction heads: trained with one and two layers, probed on the way, and written down by hand."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import torch
from torch import Tensor

from asymp.models.tasks.bigrams import BigramLaw, BigramTask, shakespeare_bigrams, uniform_bigrams
from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_whole
from asymp.montecarlo.transformers.training import Optimiser, train

__all__ = [
    "attention_by_hand_experiment",
    "induction_accuracy_experiment",
    "induction_by_hand_experiment",
    "induction_gap_experiment",
    "induction_head_by_hand",
    "probe_order_experiment",
    "sample_attention_by_hand",
    "sample_induction_accuracy",
    "sample_induction_by_hand",
    "sample_induction_gap",
    "sample_probe_order",
]

TEXTS = ("uniform", "shakespeare")
BASIC = ("KQ1", "KQ2", "OV2")


@cache
def _law(text: str, N: int) -> BigramLaw:
    check_choice("text", text, TEXTS)
    return uniform_bigrams(N) if text == "uniform" else shakespeare_bigrams()


def _task(text: str, N: int, T: int, K: int) -> BigramTask:
    return BigramTask(_law(text, N), length=T, triggers=K)


def _batch(
    task: BigramTask, *, replicas: int, batch: int, everywhere: bool, **how: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """Tokens, what follows them, and where the loss is taken: in context, or everywhere."""
    drawn = task.draw(replicas=replicas, batch=batch, **how)
    mask = torch.ones_like(drawn.in_context) if everywhere else drawn.in_context
    return drawn.tokens[..., :-1], drawn.tokens[..., 1:], mask[..., :-1]


@torch.no_grad()
def _accuracy(model: Transformer, task: BigramTask, *, sequences: int, **how: Any) -> Tensor:
    """The share of in-context positions whose next token is predicted, one number a replica."""
    tokens, targets, mask = _batch(task, replicas=model.replicas, batch=sequences, everywhere=False, **how)
    right = (model(tokens).argmax(-1) == targets) & mask
    return torch.div(right.sum((1, 2)).double(), mask.sum((1, 2)).clamp(min=1))


def _basic(task: BigramTask, d: int, layers: int, replicas: int, **how: Any) -> tuple[Transformer, list[str]]:
    """The basic model: frozen random embeddings and first values; key-query matrices and the last values start at 0."""
    shape = Shape(vocabulary=task.law.N, length=task.length, d=d, layers=layers)
    trained = list(BASIC) if layers == 2 else ["KQ1", "OV1"]
    return Transformer(shape, replicas=replicas, zero=trained, **how), trained


def _full(task: BigramTask, d: int, layers: int, replicas: int, **how: Any) -> tuple[Transformer, list[str]]:
    """The full model: everything learned, 4 heads, layer norm, a ReLU MLP of width 4 d."""
    shape = Shape(
        vocabulary=task.law.N, length=task.length, d=d, layers=layers, heads=4, head_dim=d // 4, mlp=4 * d, norm=True
    )
    model = Transformer(shape, replicas=replicas, spread=d**-0.5, **how)
    return model, [name for name, _ in model.named_parameters()]


def _trained(
    *,
    layers: int,
    model: str,
    text: str,
    N: int,
    T: int,
    K: int,
    d: int,
    batch: int,
    steps: int,
    optimiser: Mapping[str, Any],
    replicas: int,
    every: int = 0,
    record: Any = None,
    schedule: Any = None,
    **how: Any,
) -> tuple[Transformer, BigramTask, list[Any]]:
    check_choice("model", model, ("basic", "full"))
    task = _task(text, N, T, K)
    made, names = (_basic if model == "basic" else _full)(task, d, layers, replicas, **how)
    records = train(
        made,
        lambda: _batch(task, replicas=replicas, batch=batch, everywhere=model == "full", **how),
        steps=check_whole("steps", steps, low=0),
        names=names,
        optimiser=Optimiser(**optimiser),
        every=every,
        record=record,
        schedule=schedule,
    )
    return made, task, records


ADAM = {"name": "adam", "lr": 5e-3}


def sample_induction_accuracy(
    *,
    layers: int,
    model: str = "basic",
    text: str = "uniform",
    N: int = 16,
    T: int = 16,
    K: int = 4,
    d: int = 64,
    batch: int = 64,
    steps: int = 400,
    optimiser: Mapping[str, Any] = ADAM,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """In-context accuracy after training a model with so many layers, on 512 fresh sequences a run."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    given: dict[str, Any] = {
        "model": model,
        "text": text,
        "N": N,
        "T": T,
        "K": K,
        "d": d,
        "batch": batch,
        "steps": steps,
    }
    made, task, _ = _trained(
        layers=check_whole("layers", layers), optimiser=optimiser, replicas=replicas, **given, **how
    )
    return _accuracy(made, task, sequences=512, **how)


def sample_induction_gap(*, replicas: int, generator: torch.Generator, device: torch.device, **settings: Any) -> Tensor:
    """Accuracy of two layers less that of one, each trained on its own."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    two, one = (sample_induction_accuracy(layers=n, replicas=replicas, **settings, **how) for n in (2, 1))
    return two - one


def _margins(scores: Tensor, diagonal: Tensor) -> Tensor:
    """Mean over i of (s_i,d(i) - mean_j s_ij)/std_j s_ij, one number a replica; scores (replicas, items, candidates)."""
    own = scores.gather(2, diagonal.expand(len(scores), -1)[..., None])[..., 0]
    return ((own - scores.mean(2)) / scores.std(2).clamp(min=1e-12)).mean(1)


@torch.no_grad()
def _probes(model: Transformer, task: BigramTask) -> Tensor:
    """Standardised margins (replicas, 3) of W_OV^2, W_KQ^2 and W_KQ^1 as memories.

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
    found = [_margins(outputs, tokens), _margins(second[:, triggers], triggers), _margins(previous, positions)]
    return torch.stack(found, 1).double()


def sample_probe_order(
    *,
    first: str,
    second: str,
    onset: float = 1.0,
    steps: int = 400,
    every: int = 5,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
    **settings: Any,
) -> Tensor:
    """The step at which the probe `first` sets in over that of `second`: below 1 if `first` is learned first.

    A probe sets in when its standardised margin first exceeds `onset`; one that never does counts with the last step + 1.
    """
    names = ("OV2", "KQ2", "KQ1")
    for name in (first, second):
        check_choice("probe", name, names)
    how: dict[str, Any] = {"generator": generator, "device": device}
    defaults: dict[str, Any] = {"text": "uniform", "N": 16, "T": 16, "K": 4, "d": 64, "batch": 64, "optimiser": ADAM}
    given = {**defaults, **settings}
    task = _task(given["text"], given["N"], given["T"], given["K"])
    _, _, records = _trained(
        layers=2,
        model="basic",
        replicas=replicas,
        steps=steps,
        every=every,
        record=lambda _, model: _probes(model, task),
        **given,
        **how,
    )
    history = torch.stack(records)
    above = history > onset
    when = torch.where(above.any(0), above.double().argmax(0) * every, steps + 1).clamp(min=1).double()
    return when[:, names.index(first)] / when[:, names.index(second)]


@torch.no_grad()
def induction_head_by_hand(model: Transformer, c: float) -> None:
    """Write the three memories of an induction head into a basic model of two layers, with scale c.

    W_KQ^1 = c sum_t p_t p_(t-1)^T, W_KQ^2 = c sum_k e_k (W_OV^1 e_k)^T, W_OV^2 = c sum_k u_k e_k^T, each over the squared
    lengths of the vectors it reads, so that a match scores c whatever the scale of the embeddings.
    """
    E, P, U = model["tokens"], model["positions"], model["unembed"]
    d = model.shape.d
    values = E @ model["OV1"][:, 0].mT
    root = d**0.5  # attention divides scores by sqrt d
    p2, e2, v2 = (x.square().sum(2).mean() for x in (P, E, values))
    model.set("KQ1", (c * root / p2**2 * P[:, 1:].mT @ P[:, :-1])[:, None])
    model.set("KQ2", (c * root / (e2 * v2) * E.mT @ values)[:, None])
    # The residual stream itself scores of order one at the outputs: what is written has to stand out of that.
    model.set("OV2", (c * U.mT @ E / e2)[:, None])


def sample_induction_by_hand(
    *,
    d: int,
    text: str = "uniform",
    N: int = 16,
    T: int = 16,
    K: int = 4,
    c: float = 20.0,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """In-context accuracy of the induction head by hand, random embeddings, on 64 sequences a replica."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    task = _task(text, N, T, K)
    shape = Shape(vocabulary=task.law.N, length=T, d=check_whole("d", d), layers=2)
    model = Transformer(shape, replicas=replicas, dtype=torch.float64, **how)
    induction_head_by_hand(model, float(c))
    return _accuracy(model, task, sequences=64, **how)


def sample_attention_by_hand(
    *,
    c: float,
    t: int,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """Attention of the first layer's position t to the one before it, with one-hot embeddings (infinite width)."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    t = check_whole("t", t, low=2)
    N = 3
    d = N + t
    shape = Shape(vocabulary=N, length=t, d=d, layers=1)
    model = Transformer(shape, replicas=replicas, dtype=torch.float64, **how)
    blocks = torch.eye(d, dtype=torch.float64, device=device)
    model.set("tokens", blocks[:N])
    model.set("positions", blocks[N:])
    P = blocks[N:]
    model.set("KQ1", (float(c) * d**0.5 * P[1:].mT @ P[:-1])[None])
    tokens = torch.randint(N, (replicas, 1, t), generator=generator, device=device)
    return model.read(tokens).attention[0][:, 0, 0, t - 1, t - 2]


induction_accuracy_experiment = experiment("induction-accuracy", sample_induction_accuracy, version=3, block=4)
induction_gap_experiment = experiment("induction-gap", sample_induction_gap, version=3, block=4)
probe_order_experiment = experiment("probe-order", sample_probe_order, version=3, block=4)
induction_by_hand_experiment = experiment(
    "induction-by-hand", sample_induction_by_hand, version=3, block=16, bounds=(0.0, 1.0)
)
attention_by_hand_experiment = experiment("attention-by-hand", sample_attention_by_hand, version=2, block=4)
