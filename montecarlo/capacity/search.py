"""The search for a capacity: geometric bisection, then a grid of sizes with fresh replicas around what it found."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import special

from asymp.montecarlo.capacity.points import CapacityPoint, Dispersion, monotone_limits, tails
from asymp.montecarlo.checks import seed_of
from asymp.montecarlo.draws import derive_seed

EFFECTIVE_ERRORS = 30
OFFSETS = (0.4, 1.2, 2.0, 3.0, 4.5)  # of the grid's sizes, in standard errors of what one size says
GROWTH = 4  # first steps up
NARROW = 1.15  # the bisection ends at this ratio, or later where the curve is steep
BESIDE = 4  # integers on either side of the centre make a grid where a finer one would repeat them
NEAR = 1.2  # sizes within a factor e^1.2 tell the dispersion
WIDE = 1.5  # limits with this ratio call for another bisection rather than a wider grid
UNSURE = 0.1  # a decision of the bisection with a larger p-value is worth more replicas
ROUNDS = 3
PAIRED_REPLICAS = 48  # a covariance between ten sizes is estimated from them


@dataclass(kw_only=True)
class Search:
    """The points evaluated so far, and what to evaluate next. Only points of the stage `grid` carry the interval.

    Args:
        start: The smallest size.
        stop: The largest size.
        threshold: The mean recall that a size must reach.
        replicas: Of a size, at least; more, up to `max_replicas`, until it has 30 effective errors at the threshold.
        seed: A whole number; the same seed gives the same numbers.
        rng: In the place of a seed, one, or a `numpy.random.Generator`, which gives other numbers every time.
        level: Of the interval.
        paired: Whether one replica is the same draw at every size: `recall` then gets the same seed at every size.
        max_replicas: The most replicas of a size.
    """

    recall: Callable[[int, int, int], Any]
    start: int = 8
    stop: int = 1_000_000
    threshold: float = 0.99
    replicas: int = 64
    seed: int = 0
    rng: int | np.random.Generator | None = None
    level: float = 0.95
    paired: bool = False
    max_replicas: int = 20_000

    def __post_init__(self) -> None:
        for name in ("start", "stop", "replicas", "max_replicas"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise ValueError(f"{name} must be an integer; got {value!r}")
        self.seed = seed_of(self.seed, self.rng)
        if not 1 <= self.start < self.stop:
            raise ValueError(
                f"start and stop must be integers with 1 <= start < stop; got {self.start!r} and {self.stop!r}"
            )
        if not 2 <= self.replicas <= self.max_replicas:
            raise ValueError(
                f"replicas must be an integer in 2..max_replicas ({self.max_replicas!r}); got {self.replicas!r}"
            )
        if not callable(self.recall):
            raise ValueError(f"recall must be a function of N, replicas and seed; got {self.recall!r}")
        self.e0 = 1 - self.threshold
        self.points: list[CapacityPoint] = []

    def run(self) -> list[CapacityPoint]:
        """Search, then measure; again where the measurement shows that the grid does not span the answer."""
        low, high = self._enclose()
        for turn in range(ROUNDS):
            if low is None or high is None:
                self._edge(self.start if low is None else self.stop)
            elif turn > 0 and high < WIDE * low:
                # The grid was too narrow, or so wide that the answer lies between two decided sizes.
                reach = 1.2 * math.log(high / low) / 2
                self._grid(math.sqrt(low * high), reach / OFFSETS[-1], self._enough(self._dispersion(low)(low)))
            else:
                self._grid(*self._bisect(low, high))
            low, high = self._limits()
            if low is None or high is None:
                break
            low, high = self._jump(low, high)
            if self._spanned(low, high):
                break
        return self.points

    def _enclose(self) -> tuple[int | None, int | None]:
        """A size that seems to hold and one that seems to fail; None where the range ends first."""
        low, N = None, self.start
        while not self._fails(N):
            low = N
            if self.stop == N:
                return low, None
            N = min(GROWTH * N, self.stop)
        return low, N

    def _bisect(self, low: int, high: int) -> tuple[float, float, int]:
        """Where to put the grid: its centre, its unit in log N, and the replicas that a size needs.

        The unit is the standard error of log N from one size alone. The bisection goes on until a grid of that unit, or
        of the next few integers, spans the bracket.
        """
        while True:
            middle = math.sqrt(low * high)
            if high <= NARROW * low or high - low <= BESIDE:
                D = self._dispersion(middle)(middle)
                replicas = self._enough(D)
                centre, slope = self._slope(low, high)
                unit = min(0.4, 1 / (slope * math.sqrt(replicas * self.e0 / D)))
                if high - low <= BESIDE or math.log(high / low) <= OFFSETS[-1] * unit:
                    return centre, unit, replicas
            N = min(max(round(middle), low + 1), high - 1)
            if self._fails(N):
                high = N
            else:
                low = N

    def _slope(self, low: int, high: int) -> tuple[float, float]:
        """The most likely crossing and slope, under a broad prior on the slope: a plan, not a result."""
        middle = math.sqrt(low * high)
        near = sorted(self.points, key=lambda p: abs(math.log(p.N / middle)))[:6]
        dispersion = self._dispersion(middle)
        margin = math.log(high / low)
        slopes = np.geomspace(0.3, 100, 48)[:, None, None]
        shifts = np.linspace(-margin, margin, 81)[None, :, None]
        at = np.log([p.N / middle for p in near])
        counts = np.array([p.replicas / dispersion(p.N) for p in near])
        # Far above the threshold a curve is no longer a power of N: such an error only says that it is large.
        errors = np.minimum([1 - p.recall for p in near], min(10 * self.e0, (1 + self.e0) / 2))
        eta = special.logit(self.e0) + slopes * (at - shifts)
        fit = (counts * (errors * eta - np.logaddexp(0, eta))).sum(axis=2)
        fit -= np.log(slopes[..., 0] / 4) ** 2 / 2
        i, j = np.unravel_index(int(np.argmax(fit)), fit.shape)
        return middle * math.exp(float(shifts[0, j, 0])), float(slopes[i, 0, 0])

    def _dispersion(self, N: float) -> Dispersion:
        return Dispersion.pooled([p for p in self.points if abs(math.log(p.N / N)) < NEAR])

    def _grid(self, centre: float, unit: float, replicas: int) -> None:
        """Fresh replicas at sizes around the centre, and further out until both sides are decided."""
        self._retire()
        wanted = {round(centre * math.exp(side * unit * offset)) for offset in OFFSETS for side in (-1, 1)}
        if len(wanted) < 2 * BESIDE:
            wanted = set(range(math.floor(centre) - BESIDE, math.floor(centre) + BESIDE + 2))
        self._measure((N for N in wanted if self.start <= N <= self.stop), replicas)
        self._widen(centre, OFFSETS[-1] * unit)

    def _edge(self, N: int) -> None:
        """The grid where the range seems to end before recall crosses the threshold: the end and its neighbours."""
        self._retire()
        inward = 1 if self.start == N else -1
        sizes = {min(max(round(N * 2.0 ** (inward * k)), self.start), self.stop) for k in range(3)}
        self._measure(sizes, self._enough(self._dispersion(N)(N)))
        self._widen(N, math.log(4))

    def _measure(self, sizes: Iterable[int], replicas: int) -> None:
        """The grid's points; more replicas if the dispersion turns out to ask for them."""
        grid = [self._evaluate(N, replicas, "grid") for N in sorted(sizes)]
        D = Dispersion.pooled(grid)
        wanted = max(self._enough(D(p.N)) for p in grid)
        if wanted > replicas:
            extra = [self._evaluate(p.N, wanted - replicas, "grid", part=1) for p in grid]
            pairs = zip(grid, extra, strict=True)
            grid = [CapacityPoint(p.N, np.concatenate([p.values, q.values]), "grid") for p, q in pairs]
        self.points += grid

    def _widen(self, centre: float, distance: float) -> None:
        """Outer points, each 1.6 times as far, until one holds and one fails or the range ends."""
        replicas = next(p.replicas for p in self.points if p.stage == "grid")
        for side in (-1, 1):
            reach = distance
            while self._limits()[(side + 1) // 2] is None:
                reach *= 1.6
                N = min(max(round(centre * math.exp(side * reach)), self.start), self.stop)
                if any(p.N == N for p in self.points if p.stage != "search"):
                    if N in (self.start, self.stop):
                        break
                    continue
                self.points.append(self._evaluate(N, replicas, "outer"))

    def _jump(self, low: int, high: int) -> tuple[int, int]:
        """Two neighbours in the grid of which one clearly holds and the next clearly fails, else the limits."""
        grid = [p for p in self.points if p.stage == "grid"]
        D = Dispersion.pooled(grid)

        def test(point: CapacityPoint) -> tuple[float, float]:
            return tails([point], D, self.e0, self.paired)

        for p, q in pairwise(grid):
            if low <= p.N and high >= q.N and max(test(p)[1], test(q)[0]) < 0.01:
                return p.N, q.N
        return low, high

    def _spanned(self, low: int, high: int) -> bool:
        """Whether the limits lie in the grid, and sizes in between too: those that could not be decided."""
        grid = [p.N for p in self.points if p.stage == "grid"]
        if high - low <= 1:
            return True
        return min(grid) <= low and high <= max(grid) and any(low < N < high for N in grid)

    def _retire(self) -> None:
        """Points of an earlier grid stay as outer points."""
        self.points = [CapacityPoint(p.N, p.values, "outer") if p.stage == "grid" else p for p in self.points]

    def _limits(self) -> tuple[int | None, int | None]:
        return monotone_limits(self.points, e0=self.e0, level=self.level, paired=self.paired)

    def _fails(self, N: int) -> bool:
        """Whether recall at N seems to be below the threshold; up to four times the replicas where it is close."""
        point = self._evaluate(N, self._enough(1 / N), "search")
        while True:
            D = Dispersion.pooled([point])
            fails, holds = tails([point], D, self.e0, False)
            wanted = max(2 * point.replicas if min(fails, holds) > UNSURE else 0, self._enough(D(N)))
            if wanted <= point.replicas or point.replicas >= min(4 * self._enough(D(N)), self.max_replicas):
                break
            more = self._evaluate(N, min(wanted, self.max_replicas) - point.replicas, "search", part=point.replicas)
            point = CapacityPoint(N, np.concatenate([point.values, more.values]), "search")
        self.points.append(point)
        return 1 - point.recall > self.e0

    def _enough(self, D: float) -> int:
        """Replicas for 30 effective errors at the threshold."""
        least = max(self.replicas, PAIRED_REPLICAS) if self.paired else self.replicas
        return min(self.max_replicas, max(least, math.ceil(EFFECTIVE_ERRORS * D / self.e0)))

    def _evaluate(self, N: int, replicas: int, stage: str, part: int = 0) -> CapacityPoint:
        """Fresh replicas at size N, checked. Shared replicas get a seed that does not know N."""
        names = (part,) if self.paired else (N, stage, part, sum(p.N == N for p in self.points))
        drawn = self.recall(N, replicas, derive_seed("find-capacity", self.seed, *names))
        if isinstance(drawn, tuple):
            successes, trials = (np.asarray(x, dtype=np.float64) for x in drawn)
            if not np.all(trials > 0):
                raise ValueError(f"recall must return at least one trial a replica; got {trials.min():g} at N = {N}")
            drawn = successes / trials
        values = np.asarray(drawn, dtype=np.float64)
        if values.shape != (replicas,):
            raise ValueError(f"recall must return one fraction a replica, shape ({replicas},); got {values.shape}")
        if not np.all((values >= 0) & (values <= 1)):
            raise ValueError(f"recall must return fractions in [0, 1]; got another value at N = {N}")
        return CapacityPoint(N, values, stage)
