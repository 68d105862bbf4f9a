"""The recall error of a linear associative memory at finite d, numerically exact (the law `exact-recall-error`).

W = sum_x q(x) u_f(x) e_x^T with e_x ~ N(0, I/d) answers argmax_y u_y^T W e_z. Given e_z, the overlaps s_c.e_z of
s_c = sum_{f(x)=c} q(x) e_x are independent Gaussians, up to the factor |e_z| that no argmax sees: with r = |e_z|,
G = U U^T,

    E = sum_z p(z) P( argmax_y [G (q(z) r eps_f(z) + d^-1/2 D^1/2 xi)]_y != f(z) ),
    r^2 ~ chi2_d/d,   xi ~ N(0, I_M),   D = diag(S_y - q(z)^2 1{y = f(z)}),

exactly, for every d >= 1 and every law of the outputs; only the class sums S_y of q^2 enter. The sum over z, the law
of G and the noise become one integral, done by randomised quasi-Monte Carlo (recall_bulk, union_probability).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from asymp.theory.power_sums import FloatArray
from asymp.theory.recall_atoms import make_atoms
from asymp.theory.recall_own_count import MOST_INPUTS, OwnCount, OwnCountPart
from asymp.theory.recall_parts import PER_DRAW, Fixed, Frequent, Infrequent, Sampled, Unseen
from asymp.theory.recall_samples import CountLaw
from asymp.theory.recall_storage import check_number, check_whole, make_storage

__all__ = ["RecallError", "recall_error"]

REPLICAS = 16
"""Independent randomisations of the quasi-random points; their spread is the error."""

QUANTILE = 2.947
"""Student's t with 15 degrees of freedom: 99 %, two-sided."""

FIRST = 256
"""Points of each replica in the first round; each round doubles them."""

QMC_DIMENSIONS = 400
"""Variables beyond these (the embeddings of many outputs) are pseudo-random."""

OUTLIER = 50.0
"""Values above so many times the mean are outliers."""

WORK = 2e9
"""Numbers drawn or multiplied at most, about a minute: then the error is what it is."""

CHUNK = 2_000_000
PILOT = 256


@dataclass(frozen=True)
class RecallError:
    """value: the recall error; error: its numerical uncertainty, a 99 % interval's half-width."""

    value: float
    error: float


def recall_error(
    *,
    alpha: Any = None,
    N: Any,
    M: Any,
    d: Any,
    rho: Any = 0,
    P: Any = None,
    T: Any = None,
    targets: Any = None,
    weights: Any = None,
    p: Any = None,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    rel_error: float = 1e-3,
    seed: int = 0,
) -> RecallError:
    """E sum_x p(x) 1{f_q(x) != f(x)} over embeddings (and samples), with its numerical uncertainty.

    Inputs x = 1..N (N may be math.inf) with p(x) = C x^-alpha, or the array p; outputs f(x) = x mod M, or targets[x-1];
    weights q(x) = p(x)^rho for x <= P (None: N), or the array `weights`. With T samples p is replaced by the empirical
    frequency in q, and P keeps the P most frequent inputs. Ties are broken at random. Inputs must be gaussian.

    Stops when the error is below rel_error times the value, or after about a minute of work: look at `.error`. `seed`
    only changes the randomisation.
    """
    d, M = check_whole("d", d), check_whole("M", M)
    rel_error = check_number("rel_error", rel_error, 0.0)
    if not rel_error > 0:
        raise ValueError(f"rel_error must be a number > 0, got {rel_error}")
    if inputs != "gaussian":
        raise ValueError(f"inputs must be 'gaussian': the law is exact for gaussian inputs only, got {inputs!r}")
    if outputs not in ("gaussian", "sphere"):
        raise ValueError(f"outputs must be 'gaussian' or 'sphere', got {outputs!r}")
    if T is not None:
        T = check_whole("T", T, 0)
    storage = make_storage(
        alpha=alpha, N=N, M=M, rho=rho, P=P, targets=targets, weights=weights, p=p, sampled=T is not None
    )
    sphere = outputs == "sphere"
    if M == 1:
        return RecallError(0.0, 0.0)
    if T == 0:
        return RecallError(1 - 1 / M, 0.0)
    rng = np.random.default_rng([seed, 1])
    parts: list[Any] = []
    if T is None:
        fixed = Fixed(make_atoms(storage, d), d, sphere)
        known = float(fixed.atoms.known[0])
        if np.any(fixed.frequent.filled):
            parts.append(Frequent(fixed))
        if np.any(fixed.rare.filled):
            parts.append(Infrequent(fixed))
    else:
        law = CountLaw.make(storage, T, float(rho), math.inf if P is None else math.floor(float(P)))
        known = 0.0
        if 2 <= N <= MOST_INPUTS:
            own = OwnCount(law, d, sphere, rng)
            choices = ((own.frequent, False), (own.rare, True))
            parts.extend(OwnCountPart(own, rare) for choice, rare in choices if np.any(choice.filled))
        else:
            parts.extend(_sampled(law, d, sphere, rng))
    return _integrate(known, parts, M=M, rel_error=rel_error, seed=seed)


def _sampled(law: CountLaw, d: int, sphere: bool, rng: np.random.Generator) -> list[Any]:
    """The parts of memories made from samples of many inputs."""
    source = Sampled(law, d, sphere, PILOT, rng)
    parts: list[Any] = [_controlled(source, rng)]
    if source.apart:
        parts.append(Unseen(source))
    if source.steering.rare is not None:
        parts.append(Infrequent(source))
    return parts


def _controlled(source: Sampled, rng: np.random.Generator) -> Frequent:
    """The part of frequent errors with its control variate, whose slope comes from draws of its own: no bias."""
    part = Frequent(source)
    uniforms, normals = part.dimensions
    points = PER_DRAW * PILOT
    values, unseen = part.with_unseen(rng.random((points, uniforms)), rng.standard_normal((points, normals)), rng)
    values, unseen = (v.reshape(PILOT, PER_DRAW).mean(axis=1) for v in (values, unseen))
    spread = float(np.var(unseen))
    slope = float(np.mean((values - values.mean()) * (unseen - unseen.mean()))) / spread if spread > 0 else 0.0
    return Frequent(source, slope, source.law.mean_unseen)


class _Stream:
    """The replicas of one integral, extended round by round."""

    def __init__(self, part: Any, M: int, seed: int, index: int) -> None:
        from scipy.stats import qmc

        self.part, self.points = part, 0
        self.uniforms, self.normals = part.dimensions
        self.numbers = self.uniforms + self.normals + M * M
        self.rngs = [np.random.default_rng([seed, 2, index, k]) for k in range(REPLICAS)]
        self.quasi = min(self.uniforms + self.normals, QMC_DIMENSIONS)
        self.engines = [qmc.Sobol(self.quasi, scramble=True, seed=rng) for rng in self.rngs]
        self.sums, self.largest = np.zeros(REPLICAS), 0.0

    def extend(self) -> None:
        """Twice as many points."""
        more = self.points or FIRST
        size = max(PER_DRAW, 1 << int(math.log2(max(CHUNK / self.numbers, 1))))
        for k, (engine, rng) in enumerate(zip(self.engines, self.rngs, strict=True)):
            for start in range(0, more, size):
                values = self._values(engine, rng, min(size, more - start))
                self.sums[k] += values.sum()
                self.largest = max(self.largest, float(np.abs(values).max()))
        self.points += more

    def _values(self, engine: Any, rng: np.random.Generator, n: int) -> FloatArray:
        from scipy.special import ndtri

        u = np.clip(engine.random(n), 1e-16, 1 - 1e-16)
        z = ndtri(u[:, self.uniforms :])
        left = self.uniforms + self.normals - self.quasi
        if left:
            z = np.concatenate([z, rng.standard_normal((n, left))], axis=1)
        return self.part.values(u[:, : self.uniforms], z, rng)

    @property
    def work(self) -> float:
        """The numbers that the next round takes."""
        return float(REPLICAS * (self.points or FIRST) * self.numbers)

    @property
    def mean(self) -> float:
        """The mean of the replicas."""
        return float(np.mean(self.sums) / self.points)

    @property
    def outlier(self) -> float:
        """Where single values stand out, what three of the largest add to the mean: the spread may not show them."""
        return 3 * self.largest / (REPLICAS * self.points) if self.largest > OUTLIER * abs(self.mean) else 0.0

    @property
    def variance(self) -> float:
        """The estimated variance of the mean."""
        return float(np.var(self.sums / self.points, ddof=1) / REPLICAS)


def _integrate(known: float, parts: list[Any], *, M: int, rel_error: float, seed: int) -> RecallError:
    """known + the sum of the parts, until the error is small enough or the work is spent."""
    streams = [_Stream(part, M, seed, i) for i, part in enumerate(parts)]
    left = WORK
    for stream in streams:
        left -= stream.work
        stream.extend()
    while True:
        value = known + sum(s.mean for s in streams)
        # 1e-7: splines, and far inputs taken as forgotten; 1e-13: rounding of what is known.
        error = QUANTILE * math.sqrt(sum(s.variance for s in streams)) + sum(s.outlier for s in streams)
        error += 1e-7 * (value - known) + 1e-13 * value
        if error <= rel_error * value or not streams:
            break
        # The round that takes off most variance for its work.
        stream = max(streams, key=lambda s: s.variance / s.work)
        if stream.work > left:
            break
        left -= stream.work
        stream.extend()
    return RecallError(min(max(value, 0.0), 1.0), error)
