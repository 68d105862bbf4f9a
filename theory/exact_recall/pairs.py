"""Where to look for rare errors: the law of the geometry of two outputs, given that the wrong one wins.

Let x be the components of the embeddings u_k along u_y - u_c, and V = sum_k D_k x_k^2. Given x, output y beats the
right output c with probability P(t_d > sqrt(d) kappa), kappa = -q x_c/sqrt V, t_d Student's: near (1 + kappa^2)^(-d/2).
One coordinate g describes u_c and u_y themselves, the other x_k are (nearly) N(0, 1/d). As log(V/(V + q^2 x_c^2)) is
concave in V, inflating the variance of x_k by 1/(1 - lam D_k), with lam its slope at the V that this inflation makes
typical, gives an importance sampler with bounded weights (and nearly log E of the tail). The law of g is tabulated.

Everything here only steers samples: it is approximate, and accounted for exactly by the weights of union_probability.
"""

from dataclasses import dataclass

import numpy as np

from asymp.theory.functions.arguments import FloatArray, IntArray
from asymp.theory.lazy import special

TYPES = 12
NODES = 64
LARGEST_TILT = 0.95


@dataclass(frozen=True)
class Types:
    """Classes of (nearly) equal S_y: the `kind` of each class, the number and mean S of each kind, the sum of all S_y."""

    kind: IntArray
    number: IntArray
    S: FloatArray
    total: float


def make_types(S: FloatArray) -> Types:
    """Kinds of classes whose S differ by a few per cent, or where they spread widely, at most TYPES of them (and S = 0)."""
    positive = S > 0
    logs = np.log(S[positive])
    width = max(0.05, float(np.ptp(logs)) / TYPES) if len(logs) else 1.0
    bins = np.full(len(S), -1, dtype=np.int64)
    bins[positive] = np.floor((logs - logs.min(initial=np.inf)) / width * (1 - 1e-12)).astype(np.int64)
    kind = np.unique(bins, return_inverse=True)[1].ravel()
    number = np.bincount(kind)
    return Types(np.asarray(kind, dtype=np.int64), number, np.bincount(kind, S) / number, float(S.sum()))


def log_tail(kappa: FloatArray, d: int) -> FloatArray:
    """log P(t_d > sqrt(d) kappa), nearly: the Mills ratio of the normal law is close to 2/(x + sqrt(x^2 + 8/pi))."""
    positive = np.maximum(kappa, 0.0)
    x = np.abs(kappa) * np.sqrt(d / (1 + positive**2))
    mills = np.sqrt(2 / np.pi) / (x + np.sqrt(x**2 + 8 / np.pi))
    logs = np.log(mills) - d / 2 * np.log1p(positive**2)
    if np.any(kappa < 0):
        logs = np.where(kappa < 0, np.log1p(-np.minimum(mills * np.exp(-(x**2) / 2), 0.5)), logs)
    return np.asarray(logs)


def log_pair(q: FloatArray, D_c: FloatArray, S_y: FloatArray, others: FloatArray, d: int) -> FloatArray:
    """log of the probability that y beats c, at the typical geometry; `others` is the sum of the other classes' S."""
    V = D_c + S_y + 2 * others / d
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(V > 0, q / np.sqrt(V), 1e8 * np.sign(q))
    return log_tail(np.clip(kappa, -1e8, 1e8), d)


def log_prior(g: FloatArray, d: int, sphere: bool) -> FloatArray:
    """Log density of the coordinate g of two outputs.

    Sphere: g = logit s^2 with s half the distance of u_c and u_y. Gaussian: tan g = b/|a| with a = (u_y - u_c)/sqrt 2
    and b the component of (u_y + u_c)/sqrt 2 along it.
    """
    if sphere:
        a = (d - 1) / 2
        return np.asarray(np.log(special.poch(a, 0.5) / (2 * np.sqrt(np.pi))) - 2 * a * np.log(np.cosh(g / 2)))
    return np.asarray(np.log(special.poch(d / 2, 0.5) / np.sqrt(np.pi)) + (d - 1) * np.log(np.cos(g)))


def sides(g: FloatArray, sphere: bool) -> tuple[FloatArray, FloatArray]:
    """The components of u_c and u_y along u_y - u_c at the coordinate g (gaussian: in units of |a|)."""
    if sphere:
        s = 1 / np.sqrt(1 + np.exp(-g))
        return -s, s
    return (np.tan(g) - 1) / np.sqrt(2), (np.tan(g) + 1) / np.sqrt(2)


class PairTable:
    """Tables of the law of the coordinate g and of the tilt lam, for each row (kind of c, q, D_c) and each kind of y.

    NODES equidistant nodes of g from `low` in steps of `width`, density and cumulative at them, `tilt`, and the
    logarithm of the pair's probability `log_chance`.
    """

    def __init__(self, types: Types, kind: IntArray, q: FloatArray, D_c: FloatArray, d: int, sphere: bool) -> None:
        self.types, self.d, self.sphere = types, d, sphere
        left = np.maximum(types.total - types.S[kind][:, None] - types.S, 0.0)
        self.log_typical = log_pair(q[:, None], D_c[:, None], types.S, left, d)
        q, D_c, S_y = (v[:, :, None] for v in np.broadcast_arrays(q[:, None], D_c[:, None], types.S[None, :]))
        # How many classes of each kind are left besides c and y.
        kinds = np.arange(len(types.S))
        is_c, is_y = kind[:, None, None] == kinds, kinds[:, None] == kinds
        self.others = np.maximum(types.number - is_c - is_y, 0)
        reach = _reach(d, sphere)
        g = np.broadcast_to(np.linspace(-reach, reach, NODES), (*S_y.shape[:2], NODES))
        logs, _ = self._posterior(g, q, D_c, S_y)
        # The part of the range that matters, and one step more on either side.
        alive = logs > logs.max(axis=2, keepdims=True) - 35
        first, last = alive.argmax(axis=2) - 1, NODES - alive[:, :, ::-1].argmax(axis=2)
        first, last = np.maximum(first, 0), np.minimum(last, NODES - 1)
        step = 2 * reach / (NODES - 1)
        self.low = -reach + step * first
        self.width = step * (last - first) / (NODES - 1)
        logs, self.tilt = self._posterior(self.low[..., None] + self.width[..., None] * np.arange(NODES), q, D_c, S_y)
        top = logs.max(axis=2, keepdims=True)
        relative = np.exp(logs - top)
        area = relative.sum(axis=2)
        self.log_chance = top[:, :, 0] + np.log(area * self.width)
        # A tenth goes to a broader law, for what the approximation may have missed.
        broad = np.sqrt(relative)
        density = 0.9 * relative / area[..., None] + 0.1 * broad / broad.sum(axis=2, keepdims=True)
        cumulative = np.concatenate(
            [np.zeros((*density.shape[:2], 1)), np.cumsum((density[..., 1:] + density[..., :-1]) / 2, axis=2)], axis=2
        )
        scale = cumulative[..., -1:]
        self.cumulative, self.density = cumulative / scale, density / scale / self.width[..., None]

    def _posterior(
        self, g: FloatArray, q: FloatArray, D_c: FloatArray, S_y: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """log of (density of g times the probability that y wins), and the tilt lam, at the nodes g."""
        d, S = self.d, self.types.S
        x_c, x_y = sides(g, self.sphere)
        base, signal = D_c * x_c**2 + S_y * x_y**2, (q * x_c) ** 2
        most = LARGEST_TILT / np.maximum(np.max(np.where(self.others > 0, S, 0.0), axis=2, keepdims=True), 1e-200)
        low, high = np.zeros_like(g), np.broadcast_to(most, g.shape)
        number = [self.others[:, :, t, None] for t in range(len(S))]
        for _ in range(10):
            lam = (low + high) / 2
            V = base + sum(
                n * s / (d * (1 - np.minimum(lam * s, LARGEST_TILT))) for n, s in zip(number, S, strict=True)
            )
            small = lam * V * (V + signal) < signal
            low, high = np.where(small, lam, low), np.where(small, high, lam)
        lam = low
        V, cost = base, np.zeros_like(g)
        for n, s in zip(number, S, strict=True):
            t = np.minimum(lam * s, LARGEST_TILT)
            V = V + n * s / (d * (1 - t))
            cost = cost - n * (np.log1p(-t) + t / (1 - t)) / 2
        with np.errstate(divide="ignore"):
            kappa = np.where(V > 0, -q * x_c / np.sqrt(np.maximum(V, 1e-300)), 0.0)
        logs = log_prior(g, d, self.sphere) + log_tail(np.clip(kappa, -1e8, 1e8), d) + cost
        return np.maximum(logs, -1e200), lam


def _reach(d: int, sphere: bool, depth: float = 400.0) -> float:
    """The coordinate where the density of g has fallen to exp(-depth): beyond it nothing is looked for."""
    if sphere:
        return float(2 * np.arccosh(np.exp(min(depth / max(d - 1, 1), 300.0))))
    return float(np.arccos(np.exp(-min(depth / max(d - 1, 1e-9), 30.0))))
