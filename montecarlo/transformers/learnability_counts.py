"""Three gradient steps on one planted token by count matrices, for contexts of any length: O(n N d) whatever T is.

The task and the first two steps are those of `learnability`: X_t = e_(z_t), plus e_trig at the planted position. A sequence
enters by how often each token occurs in it. Tokens are uniform, so that the counts of the T - 1 others are multinomial.
"""

from typing import Any

import torch
from torch import Tensor

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings

__all__ = [
    "attention_spread_experiment",
    "balanced_spread_experiment",
    "more_samples_experiment",
    "planted_accuracy_experiment",
    "sample_attention_spread",
    "sample_balanced_spread",
    "sample_more_samples",
    "sample_planted_accuracy",
]

OF = ("signal", "noise")
# Sequences whose tokens are drawn at a time.
CHUNK = 2**20


class _Planted:
    """n sequences of one draw of everything: counts (n, N) of all tokens, and the planted one, which is the label."""

    def __init__(self, *, d: int, N: int, T: int, n: int, balanced: bool, **how: Any) -> None:
        self.T, self.N, self.n, self.how = T, N, n, how
        self.E, self.U = (draw_embeddings("gaussian", (N, d), **how) for _ in range(2))
        self.trigger = draw_embeddings("gaussian", (d,), **how)
        self.labels = torch.randint(N, (n,), **how)
        if balanced:
            self.labels = torch.arange(n, device=how["device"]) % N
        self.counts = _counts(self.labels, N, T, **how)
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


def _counts(labels: Tensor, N: int, T: int, **how: Any) -> Tensor:
    """Counts of the label and of T - 1 uniform tokens for every sequence."""
    n = len(labels)
    counts = torch.zeros(n, N, dtype=torch.float64, device=how["device"])
    one = torch.ones((), dtype=torch.float64, device=how["device"])
    counts.scatter_add_(1, labels[:, None], one.expand(n, 1))
    left = T - 1
    while left:
        length = min(left, max(1, CHUNK // n))
        z = torch.randint(N, (n, length), **how)
        counts.scatter_add_(1, z, one.expand(n, length))
        left -= length
    return counts


def _spread(w: Tensor, E: Tensor, trigger: Tensor) -> Tensor:
    """The spread of the tokens' scores beside their overlap with the trigger's."""
    return (E @ w - (E @ trigger) * (w @ trigger) / trigger.square().sum()).std()


def _sizes(d: int, N: int, T: int, n: int) -> dict[str, int]:
    return {name: check_whole(name, value) for name, value in (("d", d), ("N", N), ("T", T), ("n", n))}


def sample_attention_spread(
    *,
    d: int,
    N: int,
    T: int,
    n: int,
    of: str = "noise",
    balanced: bool = False,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """After two steps: the score w.e_trig ('signal') or the spread of the tokens' scores beside it ('noise')."""
    check_choice("of", of, OF)
    how: dict[str, Any] = {**_sizes(d, N, T, n), "balanced": balanced, "generator": generator, "device": device}
    values = []
    for _ in range(replicas):
        drawn = _Planted(**how)
        w = drawn.attention()
        values.append(w @ drawn.trigger if of == "signal" else _spread(w, drawn.E, drawn.trigger))
    return torch.stack(values)


def sample_balanced_spread(
    *, d: int, N: int, T: int, n: int, replicas: int, generator: torch.Generator, device: torch.device
) -> Tensor:
    """The spread of the tokens' scores with balanced labels over that with labels drawn independently."""
    how: dict[str, Any] = {"replicas": replicas, "generator": generator, "device": device}
    given: dict[str, Any] = {"d": d, "N": N, "T": T, "n": n}
    balanced, drawn = (sample_attention_spread(**given, balanced=b, **how) for b in (True, False))
    return balanced / drawn


def sample_planted_accuracy(
    *, d: int, N: int, T: int, n: int, tests: int = 256, replicas: int, generator: torch.Generator, device: torch.device
) -> Tensor:
    """Accuracy on fresh sequences after the third step, the attention vector amplified without limit before it.

    Attention is then on the position with the largest score, ties shared: the planted token, or the best other one.
    """
    given = _sizes(d, N, T, n)
    how: dict[str, Any] = {"generator": generator, "device": device}
    values = []
    for _ in range(replicas):
        drawn = _Planted(**given, balanced=False, **how)
        w = drawn.attention()
        tokens, bonus = drawn.E @ w, w @ drawn.trigger
        seen = _attended(drawn.counts, drawn.labels, tokens, bonus, drawn.E, drawn.trigger)
        W = drawn.centred.T @ seen / n
        labels = torch.randint(N, (check_whole("tests", tests),), **how)
        fresh = _attended(_counts(labels, N, T, **how), labels, tokens, bonus, drawn.E, drawn.trigger)
        values.append(((fresh @ W.T @ drawn.U.T).argmax(1) == labels).double().mean())
    return torch.stack(values)


def sample_more_samples(
    *,
    d: int,
    N: int,
    T: int,
    few: int,
    many: int,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """Accuracy after three steps on `many` sequences less that on `few`, each with embeddings of its own."""
    how: dict[str, Any] = {"replicas": replicas, "generator": generator, "device": device}
    large, small = (sample_planted_accuracy(d=d, N=N, T=T, n=n, **how) for n in (many, few))
    return large - small


def _attended(counts: Tensor, labels: Tensor, tokens: Tensor, bonus: Tensor, E: Tensor, trigger: Tensor) -> Tensor:
    """What hard attention carries, (sequences, d)."""
    own = labels[:, None]
    others = counts.scatter_add(1, own, -torch.ones_like(own, dtype=counts.dtype))  # the planted one left out
    best = torch.where(others > 0, tokens, -torch.inf).max(1)
    planted = tokens.index_select(0, labels) + bonus
    found = planted >= best.values
    return torch.where(found[:, None], E.index_select(0, labels) + trigger, E.index_select(0, best.indices))


attention_spread_experiment = experiment("attention-spread", sample_attention_spread, block=8)
more_samples_experiment = experiment("more-samples", sample_more_samples, block=4)
balanced_spread_experiment = experiment("balanced-spread", sample_balanced_spread, block=4)
planted_accuracy_experiment = experiment("planted-accuracy", sample_planted_accuracy, block=4, bounds=(0.0, 1.0))
