"""Memories made from T samples: draws of the counts, also given that some input was not seen.

The counts of T samples are multinomial. q(x) = (count/T)^rho, or the given weight, where x was seen at least s times
and is among the P most frequent inputs of the sample (equal counts: at random), else 0. The error of the inputs that
were not seen is

    sum_z p(z) (1 - p(z))^T E[e_f(z)(0) | z not seen],

so that where all inputs are seen nearly always, one need not wait for the draws in which one is not. Given that z was
not seen the counts are those of T samples of the other inputs: a draw in which the samples that fell on z are drawn
again.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from asymp.theory.exact_recall.atoms import Atoms, group_atoms
from asymp.theory.exact_recall.storage import Scheme, Table
from asymp.theory.functions.arguments import BoolArray, FloatArray, IntArray
from asymp.theory.functions.zipf.unseen_mass import missing_mass_mean

LEAST_HEAD, MOST_HEAD = 64, 1_000_000
MOST_TAIL = 3e7
"""Samples beyond the head that one draw may hold."""


@dataclass(frozen=True)
class Seen:
    """Inputs seen in some draws: the draw, the input, its count, class and probability."""

    draw: IntArray
    x: FloatArray
    count: FloatArray
    classes: IntArray
    p: FloatArray

    def some(self, which: IntArray | BoolArray) -> "Seen":
        """Some of them."""
        return Seen(self.draw[which], self.x[which], self.count[which], self.classes[which], self.p[which])


@dataclass(frozen=True)
class CountLaw:
    """The law of the counts of T samples, and of the memory made from them."""

    storage: Scheme | Table
    T: int
    rho: float
    P: float
    s: int
    given: FloatArray | None
    """Weights of the inputs, where they do not come from the counts."""
    head: FloatArray
    """Probabilities of the inputs 1..H; the rest is the tail of a scheme."""
    classes: IntArray
    class_mass: FloatArray
    """The probability of each class."""

    @staticmethod
    def make(
        storage: Scheme | Table, T: int, *, rho: float = 0, P: float = math.inf, s: int = 1, given: bool = False
    ) -> "CountLaw":
        """From the storage without samples; P = inf keeps all; given: the weights are those of the storage."""
        if isinstance(storage, Table):
            p, f, weights = storage.probabilities, storage.targets, storage.weights if given else None
            return CountLaw(
                storage, T, rho, P, s, weights, p, f, np.bincount(f, p, minlength=storage.M).astype(np.float64)
            )
        # From (T C)^(1/alpha) on inputs are seen less than once on average.
        often = math.exp(min(math.log(T * storage.C) / storage.alpha, 60.0)) if storage.alpha > 0 else math.inf
        H = int(min(storage.N, MOST_HEAD, max(LEAST_HEAD, 2 * often)))
        rare = T * float(storage.tail(H))
        if rare > MOST_TAIL:
            raise ValueError(
                f"T must be smaller for this law: each of many draws of T = {T:g} samples would hold about {rare:.2g} rare "
                "inputs (pass T=None for the limit of infinitely many samples)"
            )
        x = np.arange(1, H + 1)
        mass = storage.class_mass(0, storage.N)
        return CountLaw(storage, T, rho, P, s, None, np.asarray(storage.p(x)), x % storage.M, mass)

    def of_all_inputs(self) -> "CountLaw":
        """The same law with every input in its head; N finite."""
        if not isinstance(self.storage, Scheme) or not self.has_tail:
            return self
        x = np.arange(1, int(self.storage.N) + 1)
        return replace(self, head=np.asarray(self.storage.p(x)), classes=x % self.storage.M)

    @property
    def size(self) -> float:
        """About how many numbers a draw handles."""
        far = self.T * float(self.storage.tail(len(self.head))) if isinstance(self.storage, Scheme) else 0.0
        return len(self.head) + far

    @cached_property
    def mean_unseen(self) -> float:
        """The mean of the mass that T samples do not show."""
        if isinstance(self.storage, Scheme):
            return float(missing_mass_mean(alpha=self.storage.alpha, T=self.T, N=self.storage.N))
        return float(np.sum(self.head * self._miss(self.head)))

    @cached_property
    def means(self) -> FloatArray:
        """Means of the unseen mass and, where they are known, of the class sums S_y."""
        unseen = np.array([self.mean_unseen])
        if math.inf > self.P or self.s > 1 or self.given is not None or self.rho not in (0, 0.5, 1):
            return unseen
        if self.rho == 0.5:
            return np.concatenate([unseen, self.class_mass])
        M = self.storage.M
        if self.rho == 1:
            if isinstance(self.storage, Scheme):
                square = self.storage.class_powers(2.0)
            else:
                square = np.bincount(self.classes, self.head**2, minlength=M).astype(np.float64)
            return np.concatenate([unseen, square + (self.class_mass - square) / self.T])
        distinct = self._distinct()
        return unseen if distinct is None else np.concatenate([unseen, distinct])

    def _distinct(self) -> FloatArray | None:
        """The mean number of inputs seen of each class: sum of 1 - (1 - p)^T."""
        M, scheme = self.storage.M, self.storage
        p, classes, rest = self.head, self.classes, np.zeros(M)
        if isinstance(scheme, Scheme) and self.has_tail:
            # From T p = 0.2 on by the binomial series, whose terms fall by 0.2/k.
            size = math.exp(min(math.log(5 * self.T * scheme.C) / scheme.alpha, 60.0)) if scheme.alpha > 0 else math.inf
            H = max(min(size, float(scheme.N)), float(len(p)))
            if H > 5 * MOST_HEAD:
                return None
            x = np.arange(1, int(H) + 1)
            p, classes = scheme.p(x), x % M
            factor = -1.0
            for k in range(1, min(self.T, 20) + 1):
                factor *= -(self.T - k + 1) / k
                rest = rest + factor * scheme.class_powers(float(k), len(x))
        return np.bincount(classes, 1 - self._miss(p), minlength=M) + rest

    def draw(self, draws: int, rng: np.random.Generator, seen_only: bool) -> tuple[Atoms, FloatArray]:
        """The atoms of `draws` memories, of all inputs or of those seen; and the features whose means are `means`."""
        M, seen = self.storage.M, self._seen(draws, rng)
        mass = np.bincount(seen.draw * M + seen.classes, seen.p, minlength=draws * M).astype(np.float64).reshape(-1, M)
        kept, q, S = self._memory(seen, draws, rng)
        total = mass if seen_only else np.broadcast_to(self.class_mass, (draws, M))
        unseen = np.sum(np.maximum(self.class_mass - mass, 0.0), axis=1, keepdims=True)
        features = unseen if len(self.means) == 1 else np.concatenate([unseen, S], axis=1)
        return group_atoms(S, total, kept.draw, kept.classes, q, kept.p), features

    def draw_without(self, draws: int, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """Inputs z drawn in proportion to p(z) (1 - p(z))^T: the class of each, and S_y (draws, M) given that z is unseen."""
        scheme, H = self.storage, len(self.head)
        chances = np.cumsum(self.head * self._miss(self.head))
        beyond = max(self.mean_unseen - float(chances[-1]), 0.0) if self.has_tail else 0.0
        target = rng.random(draws) * (chances[-1] + beyond)
        z = np.minimum(np.searchsorted(chances, target, side="right"), H - 1) + 1.0
        far = np.flatnonzero(target >= chances[-1]) if self.has_tail else np.zeros(0, dtype=np.int64)
        while len(far):
            assert isinstance(scheme, Scheme)
            z[far] = self._far(len(far), rng)
            # Beyond the head T p is small, so nearly all are kept.
            far = far[rng.random(len(far)) > self._miss(scheme.p(z[far]))]
        seen = self._seen(draws, rng)
        again = np.zeros(draws, dtype=np.int64)
        hit = seen.x == z[seen.draw]
        again[seen.draw[hit]] = seen.count[hit].astype(np.int64)
        extra = self._others(again, z, rng)
        x = np.concatenate([seen.x[~hit], extra[1]])
        which = np.concatenate([seen.draw[~hit], extra[0]])
        count = np.concatenate([seen.count[~hit], np.ones(len(extra[0]))])
        return self._class(z, rng), self._memory(self._merge(which, x, count, rng), draws, rng)[2]

    def _memory(self, seen: Seen, draws: int, rng: np.random.Generator) -> tuple[Seen, FloatArray, FloatArray]:
        """The inputs kept, their weights, and the class sums (draws, M)."""
        M = self.storage.M
        if math.inf > self.P:
            # Sorted by draw, then by falling count, then at random.
            order = np.lexsort((rng.random(len(seen.x)), -seen.count, seen.draw))
            which = seen.draw[order]
            rank = np.arange(len(order)) - np.searchsorted(which, np.arange(draws))[which]
            seen = seen.some(order[rank < self.P])
        q = self.weight(seen.x, seen.count)
        stored = q != 0
        seen, q = seen.some(stored), q[stored]
        S = np.bincount(seen.draw * M + seen.classes, q**2, minlength=draws * M).astype(np.float64)
        return seen, q, S.reshape(draws, M)

    def weight(self, x: FloatArray, count: FloatArray) -> FloatArray:
        """q of the inputs x seen `count` times, if they are kept."""
        q = (count / self.T) ** self.rho if self.given is None else self.given[(x - 1).astype(np.int64)]
        return np.where(count >= self.s, q, 0.0)

    def _seen(self, draws: int, rng: np.random.Generator) -> Seen:
        """The counts of T samples, `draws` times."""
        H = len(self.head)
        if not self.has_tail and 4 * self.T < H:
            which = np.repeat(np.arange(draws), self.T)
            return self._merge(which, self._near(len(which), rng), np.ones(len(which)), rng)
        beyond = max(1 - float(self.head.sum()), 0.0) if self.has_tail else 0.0
        chances = np.append(self.head, beyond)
        table = rng.multinomial(self.T, chances / chances.sum(), size=draws)
        which, index = np.nonzero(table[:, :H])
        count = table[which, index].astype(np.float64)
        near = Seen(which, (index + 1).astype(np.float64), count, self.classes[index], self.head[index])
        if not self.has_tail:
            return near
        which = np.repeat(np.arange(draws), table[:, H])
        far = self._merge(which, self._far(len(which), rng), np.ones(len(which)), rng)
        pairs = [(getattr(near, name), getattr(far, name)) for name in Seen.__dataclass_fields__]
        return Seen(*(np.concatenate(pair) for pair in pairs))

    def _merge(self, which: IntArray, x: FloatArray, count: FloatArray, rng: np.random.Generator) -> Seen:
        """Equal inputs of one draw put together."""
        order = np.lexsort((x, which))
        which, x, count = which[order], x[order], count[order]
        new = np.flatnonzero(np.concatenate([[True], (which[1:] != which[:-1]) | (x[1:] != x[:-1])])[: len(x)])
        count = np.add.reduceat(count, new) if len(new) else count
        which, x = which[new], x[new]
        inside = x <= len(self.head)
        index = np.where(inside, x - 1, 0).astype(np.int64)
        p = self.head[index]
        if isinstance(self.storage, Scheme):
            p = np.where(inside, p, self.storage.p(x))
        return Seen(which, x, count, self._class(x, rng), p)

    def _class(self, x: FloatArray, rng: np.random.Generator) -> IntArray:
        """The class of each input; beyond 2^53 doubles do not tell classes apart, and all are equally likely."""
        if isinstance(self.storage, Table):
            return self.classes[(x - 1).astype(np.int64)]
        M = self.storage.M
        small = x < 2.0**53
        classes = np.where(small, np.mod(np.where(small, x, 0.0), M), rng.integers(M, size=len(x)))
        return classes.astype(np.int64)

    def _others(self, again: IntArray, z: FloatArray, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """again[i] samples of the inputs other than z[i], for each draw i."""
        which = np.repeat(np.arange(len(z)), again)
        x = np.empty(len(which))
        todo = np.arange(len(which))
        inside = float(self.head.sum()) if self.has_tail else 1.0
        while len(todo):
            far = rng.random(len(todo)) >= inside
            x[todo[~far]] = self._near(int((~far).sum()), rng)
            x[todo[far]] = self._far(int(far.sum()), rng)
            todo = todo[x[todo] == z[which[todo]]]
        return which, x

    def _near(self, n: int, rng: np.random.Generator) -> FloatArray:
        """n samples of the head."""
        total = np.cumsum(self.head)
        index = np.minimum(np.searchsorted(total, rng.random(n) * total[-1], side="right"), len(total) - 1)
        return np.asarray(index + 1, dtype=np.float64)

    def _far(self, n: int, rng: np.random.Generator) -> FloatArray:
        """n samples of the tail of a scheme."""
        scheme = self.storage
        x, todo = np.empty(n), np.arange(n)
        while len(todo):
            assert isinstance(scheme, Scheme)
            # A power law on the line, rounded to whole numbers: t^-a is convex, so its integral over a unit
            # interval exceeds its value in the middle, and their ratio is the chance of keeping the draw.
            a, low, high = scheme.alpha, len(self.head) + 0.5, scheme.N + 0.5
            k = np.minimum(np.round(_power_law(rng.random(len(todo)), a, low, high)), scheme.N)
            half = 0.5 / k
            with np.errstate(invalid="ignore"):
                step = np.log1p(half) - np.log1p(-half)
                scaled = step if a == 1 else (1 - half) ** (1 - a) * np.expm1((1 - a) * step) / (1 - a)
                keep = ~(rng.random(len(todo)) * scaled * k > 1)
            x[todo[keep]] = k[keep]
            todo = todo[~keep]
        return x

    @property
    def has_tail(self) -> bool:
        """Whether there are inputs beyond the head."""
        return isinstance(self.storage, Scheme) and len(self.head) < self.storage.N

    def _miss(self, p: FloatArray) -> FloatArray:
        """(1 - p)^T."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.exp(self.T * np.log1p(-np.minimum(p, 1.0))))


def _power_law(u: FloatArray, a: float, low: float, high: float) -> FloatArray:
    """Draws from t^-a on low..high by inversion (high may be infinite)."""
    if high == math.inf:
        return np.asarray(low * (1 - u) ** (-1 / (a - 1)))
    ratio = math.log(high / low)
    if a == 1:
        return np.asarray(low * np.exp(u * ratio))
    return np.asarray(low * np.exp(np.log1p(u * math.expm1((1 - a) * ratio)) / (1 - a)))
