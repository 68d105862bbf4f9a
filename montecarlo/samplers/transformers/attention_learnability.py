"""Three gradient steps of a one-layer model on sequences with one planted token: what attention has learnt.

X_t = e_(z_t), plus e_trig at the planted position t*; y = f(z_(t*)), f a permutation. Step 1 on the values at uniform
attention, step 2 on the attention vector w. The signal is w.e_trig, the noise the spread of w.e_v over tokens v.

`learned-attention` writes the sequences down. The others use count matrices, for contexts of any length, O(n N d) whatever T
is: a sequence enters by how often each token occurs in it. Tokens are uniform, so that the counts of the T - 1 others are
multinomial.
"""

from typing import Annotated

import torch
from torch import Tensor

from asymp.models.tasks.planted import PlantedTask
from asymp.montecarlo.arguments import Whole, checked, one_of
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment

# Sequences whose tokens are drawn at a time.
CHUNK = 2**20


class _Planted:
    """n sequences of one draw of everything: counts (n, N) of all tokens, and the planted one, which is the label."""

    def __init__(self, draw: Draw, *, d: int, N: int, T: int, n: int, balanced: bool) -> None:
        self.T, self.N, self.n = T, N, n
        self.E, self.U = (draw.gaussian((N, d)) for _ in range(2))
        self.trigger = draw.gaussian((d,))
        self.labels = draw.integers(N, (n,))
        if balanced:
            self.labels = torch.arange(n, device=draw.device) % N
        self.counts = _counts(draw, self.labels, N, T)
        self.centred = (self.U - self.U.mean(0)).index_select(0, self.labels)

    def attention(self) -> Tensor:
        """w after the second step."""
        mean = (self.counts @ self.E + self.trigger) / self.T
        W = self.centred.T @ mean / self.n
        pulled = self.centred @ W
        tokens, planted = pulled @ self.E.T, pulled @ self.trigger
        # sum_t (pulled.X_t) X_t: all tokens without the trigger, and what it adds at the planted one.
        weights = self.counts * tokens
        own = tokens.gather(1, self.labels[:, None])[:, 0] + planted
        along = planted @ self.E.index_select(0, self.labels) + own.sum() * self.trigger + weights.sum(0) @ self.E
        total = weights.sum(1) + planted
        return (along / self.T - total @ mean / self.T) / self.n


def _counts(draw: Draw, labels: Tensor, N: int, T: int) -> Tensor:
    """Counts of the label and of T - 1 uniform tokens for every sequence."""
    n = len(labels)
    counts = torch.zeros(n, N, dtype=torch.float64, device=draw.device)
    one = torch.ones((), dtype=torch.float64, device=draw.device)
    counts.scatter_add_(1, labels[:, None], one.expand(n, 1))
    left = T - 1
    while left:
        length = min(left, max(1, CHUNK // n))
        z = draw.integers(N, (n, length))
        counts.scatter_add_(1, z, one.expand(n, length))
        left -= length
    return counts


def _spread(w: Tensor, E: Tensor, trigger: Tensor) -> Tensor:
    """The spread of the tokens' scores beside their overlap with the trigger's."""
    return (E @ w - (E @ trigger) * (w @ trigger) / trigger.square().sum()).std()


@checked
def sample_attention_spread(
    draw: Draw, *, d: Whole, N: Whole, T: Whole, n: Whole, of: Annotated[str, one_of("signal", "noise")] = "noise",
    balanced: bool = False,
) -> Tensor:  # fmt: skip
    """After two steps: the score w.e_trig ('signal') or the spread of the tokens' scores beside it ('noise')."""
    values = []
    for one in draw.each():
        drawn = _Planted(one, d=d, N=N, T=T, n=n, balanced=balanced)
        w = drawn.attention()
        values.append(w @ drawn.trigger if of == "signal" else _spread(w, drawn.E, drawn.trigger))
    return torch.stack(values)


def sample_balanced_spread(draw: Draw, *, d: int, N: int, T: int, n: int) -> Tensor:
    """The spread of the tokens' scores with balanced labels over that with labels drawn independently."""
    balanced, drawn = (sample_attention_spread(draw, d=d, N=N, T=T, n=n, balanced=b) for b in (True, False))
    return balanced / drawn


@checked
def sample_planted_accuracy(draw: Draw, *, d: Whole, N: Whole, T: Whole, n: Whole, tests: Whole = 256) -> Tensor:
    """Accuracy on fresh sequences after the third step, the attention vector amplified without limit before it.

    Attention is then on the position with the largest score, ties shared: the planted token, or the best other one.
    """
    values = []
    for one in draw.each():
        drawn = _Planted(one, d=d, N=N, T=T, n=n, balanced=False)
        w = drawn.attention()
        tokens, bonus = drawn.E @ w, w @ drawn.trigger
        seen = _attended(drawn.counts, drawn.labels, tokens, bonus, drawn.E, drawn.trigger)
        W = drawn.centred.T @ seen / n
        labels = one.integers(N, (tests,))
        fresh = _attended(_counts(one, labels, N, T), labels, tokens, bonus, drawn.E, drawn.trigger)
        values.append(((fresh @ W.T @ drawn.U.T).argmax(1) == labels).double().mean())
    return torch.stack(values)


@checked
def sample_planted_found(draw: Draw, *, d: Whole, N: Whole, T: Whole, n: Whole, tests: Whole = 256) -> Tensor:
    """The share of fresh sequences in which the planted token has the largest score after the second step."""
    values = []
    for one in draw.each():
        drawn = _Planted(one, d=d, N=N, T=T, n=n, balanced=False)
        w = drawn.attention()
        labels = one.integers(N, (tests,))
        found, _ = _planted_first(_counts(one, labels, N, T), labels, drawn.E @ w, w @ drawn.trigger)
        values.append(found.double().mean())
    return torch.stack(values)


def sample_more_samples(draw: Draw, *, d: int, N: int, T: int, few: int, many: int) -> Tensor:
    """Accuracy after three steps on `many` sequences less that on `few`, each with embeddings of its own."""
    large, small = (sample_planted_accuracy(draw, d=d, N=N, T=T, n=n) for n in (many, few))
    return large - small


def _attended(counts: Tensor, labels: Tensor, tokens: Tensor, bonus: Tensor, E: Tensor, trigger: Tensor) -> Tensor:
    """What hard attention carries, (sequences, d)."""
    found, rival = _planted_first(counts, labels, tokens, bonus)
    return torch.where(found[:, None], E.index_select(0, labels) + trigger, E.index_select(0, rival))


def _planted_first(counts: Tensor, labels: Tensor, tokens: Tensor, bonus: Tensor) -> tuple[Tensor, Tensor]:
    """Whether the planted token has the largest score, and which of the others has the largest of theirs."""
    own = labels[:, None]
    others = counts.scatter_add(1, own, -torch.ones_like(own, dtype=counts.dtype))  # the planted one left out
    best = torch.where(others > 0, tokens, -torch.inf).max(1)
    return tokens.index_select(0, labels) + bonus >= best.values, best.indices


def _attention_vector(draw: Draw, *, d: int, N: int, T: int, n: int, balanced: bool) -> tuple[Tensor, Tensor, Tensor]:
    """w after the second step, the tokens' embeddings and the trigger's, for one draw of everything."""
    E, U = (draw.gaussian((N, d)) for _ in range(2))
    trigger = draw.gaussian((d,))
    # f is the identity: tokens and outputs have independent embeddings anyway.
    task = PlantedTask(N, T, balanced)
    drawn = task.draw(batch=n, generator=draw.generator, device=draw.device)
    X = task.embedded(E, trigger)[drawn.marked(N)]
    mean = X.mean(1)
    centred = U[drawn.labels] - U.mean(0)
    W = centred.T @ mean / n
    pulled = centred @ W
    scores = torch.einsum("nd,ntd->nt", pulled, X)
    w = (torch.einsum("nt,ntd->d", scores, X) / T - torch.einsum("n,nd->d", scores.mean(1), mean)) / n
    return w, E, trigger


@checked
def sample_learned_attention(
    draw: Draw, *, d: Whole, N: Whole, T: Whole, n: Whole,
    of: Annotated[str, one_of("signal", "noise", "ratio")] = "signal", balanced: bool = False,
) -> Tensor:  # fmt: skip
    """w.e_trig ('signal'), the spread of w.e_v over the tokens less its overlap with e_trig ('noise'), or their ratio."""
    values = []
    for one in draw.each():
        w, E, trigger = _attention_vector(one, d=d, N=N, T=T, n=n, balanced=balanced)
        signal, tokens = w @ trigger, E @ w
        if of == "noise":
            tokens = tokens - (E @ trigger) * signal / trigger.square().sum()
        spread = tokens.std()
        values.append({"signal": signal, "noise": spread, "ratio": (spread / signal).square()}[of])
    return torch.stack(values)


learned_attention_experiment = experiment("learned-attention", sample_learned_attention, block=8)
attention_spread_experiment = experiment("attention-spread", sample_attention_spread, block=8)
planted_found_experiment = experiment("planted-found", sample_planted_found, block=8, bounds=(0, 1))
more_samples_experiment = experiment("more-samples", sample_more_samples, block=4)
balanced_spread_experiment = experiment("balanced-spread", sample_balanced_spread, block=4)
