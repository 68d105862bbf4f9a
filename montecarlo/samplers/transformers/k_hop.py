"""K hops: the fewest lookups that compute f^K(x), and transformers trained to answer f^K(x).

By hand: in a layer every position of the table may look itself up once more (f^p becomes f^(2p)), and the query may look its
own token up in the table as it stood before the layer. The fewest layers are found by trying every schedule; the schedule is
then carried out by softmax attention with one-hot keys on a random permutation and compared with K applications of it.

Trained: a sequence lists f(0), ..., f(N - 1), a fresh permutation each time, and ends with x: positions say whose image a
token is. Embeddings are frozen; attention is not causal, so that the table can look itself up. Only the answer at x counts.
"""

from typing import Any

import torch
from torch import Tensor

from asymp.models.transformer import Shape
from asymp.montecarlo.arguments import Positive, TwoOrMore, Whole, WholeOrZero, checked, takes
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.transformers.training import Optimiser, drawn_model, train

SHARP = 60.0


def _schedule(K: int) -> list[tuple[bool, bool]]:
    """A shortest list of (query looks up, table doubles), by breadth-first search over (hops made, power of the table)."""
    reached: dict[tuple[int, int], list[tuple[bool, bool]]] = {(0, 1): []}
    while True:
        following: dict[tuple[int, int], list[tuple[bool, bool]]] = {}
        for (hops, power), path in reached.items():
            if hops == K:
                return path
            for asks in (False, True):
                for doubles in (False, True):
                    state = (hops + power * asks, power * (2 if doubles else 1))
                    if state[0] <= K and state[1] <= 2 * K:
                        following.setdefault(state, [*path, (asks, doubles)])
        reached = following


def _lookup(asked: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Softmax attention: queries and keys are one-hot tokens, values the table's rows."""
    N = table.shape[-1]
    keys = torch.eye(N, dtype=torch.float64, device=table.device)
    return (SHARP * asked @ keys.T).softmax(-1) @ table


@checked
def sample_fewest_layers(draw: Draw, *, K: Whole, N: TwoOrMore = 16) -> torch.Tensor:
    """The number of layers after which attention gives f^K(x) for every x, by a shortest schedule; -1 if it does not."""
    schedule = _schedule(K)
    found = []
    for one in draw.each():
        f = one.permutation(N)
        table = torch.nn.functional.one_hot(f, N).double()
        query = torch.eye(N, dtype=torch.float64, device=one.device)
        for asks, doubles in schedule:
            before = table
            if doubles:
                table = _lookup(table, before)
            if asks:
                query = _lookup(query, before)
        answer = torch.arange(N, device=one.device)
        for _ in range(K):
            answer = f[answer]
        found.append(len(schedule) if bool((query.argmax(1) == answer).all()) else -1)
    return torch.tensor(found, dtype=torch.float64, device=draw.device)


def hop_sequences(draw: Draw, N: int, K: int, *, batch: int) -> tuple[Tensor, Tensor]:
    """Tables with their query at the end (replicas, batch, N + 1), and the answers f^K(x)."""
    drawn = draw.uniform(shape=(batch, N))
    f = drawn.argsort(2)
    x = draw.integers(N, (batch, 1))
    answer = x
    for _ in range(K):
        answer = f.gather(2, answer)
    return torch.cat([f, x], 2), answer[..., 0]


@checked
def sample_trained_hops(
    draw: Draw,
    *,
    K: Whole,
    layers: Whole,
    curriculum: bool = False,
    N: Whole = 6,
    d: Whole = 32,
    steps: WholeOrZero = 600,
    batch: Whole = 128,
    lr: Positive = 1e-2,
) -> Tensor:
    """The share of 1024 fresh queries answered with f^K(x) after so many steps of Adam.

    With a curriculum they are shared equally: first the answer is f(x), then f^2(x), f^4(x), and so on up to f^K(x).
    """
    shape = Shape(vocabulary=N, length=N + 1, d=d, layers=layers, causal=False)
    model = drawn_model(draw, shape, spread=d**-0.5)
    names = [f"{kind}{layer}" for layer in range(1, layers + 1) for kind in ("KQ", "OV")]
    lessons = [*(2**n for n in range((K - 1).bit_length())), K] if curriculum else [K]

    def fresh_batch(step: int) -> tuple[Tensor, Tensor, Tensor]:
        hops = lessons[min(len(lessons) * step // max(1, steps), len(lessons) - 1)]
        tokens, answers = hop_sequences(draw, N, hops, batch=batch)
        mask = torch.zeros_like(tokens, dtype=torch.bool)
        mask[..., -1] = True
        return tokens, tokens.clone().index_copy(2, torch.tensor([N], device=draw.device), answers[..., None]), mask

    train(model, fresh_batch, steps=steps, names=names, optimiser=Optimiser("adam", lr))
    with torch.no_grad():
        tokens, answers = hop_sequences(draw, N, K, batch=1024)
        right: Tensor = model(tokens)[:, :, -1].argmax(-1) == answers
        return right.double().mean(1)


@takes(sample_trained_hops)
def sample_layer_gain(draw: Draw, *, layers: int, fewer: int, **settings: Any) -> Tensor:
    """The share answered by a model of so many layers less that by one of `fewer`, trained alike."""
    deep, shallow = (sample_trained_hops(draw, layers=count, **settings) for count in (layers, fewer))
    return deep - shallow


# the schedule is right for every permutation, or it is not
fewest_layers_experiment = experiment("fewest-layers", sample_fewest_layers, block=4, deterministic=True)
trained_hops_experiment = experiment("trained-hops", sample_trained_hops, version=2, block=8, bounds=(0.0, 1.0))
layer_gain_experiment = experiment("layer-gain", sample_layer_gain, version=2, block=8)
