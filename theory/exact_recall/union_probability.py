"""Rare recall errors by importance sampling over the half-spaces in which one wrong output beats the right one.

Given the embeddings and the norm r of the input, output y beats the right output c in a half-space A_y of the noise; an
error is the union of M - 1 half-spaces. As in ALOE (Owen, Maximov, Chertkov 2019) one y is drawn, then the noise in its
half-space, and the value is the weight of that draw divided by the number of half-spaces that the noise lies in:
P(union) = sum_y P(A_y) E[1/count | A_y]. Here the geometry of the outputs and r are drawn jointly with the noise, from
a law tilted towards A_y: rare errors come from rare geometries too. Nothing is approximated: weights undo the tilts.

Coordinates: the first axis is along u_y - u_c. With x the first components of the embeddings, y beats c iff
zeta > kappa r sqrt d, where zeta = n.xi/|n|, n_k = sqrt(D_k) x_k, kappa = -q x_c/|n|. Given that, r^2 (1 + kappa^2) is
close to chi2_d/d, from which it is drawn; zeta is drawn from the truncated normal law.
"""

from dataclasses import dataclass

import numpy as np

from asymp.theory.exact_recall.atoms import SAFE
from asymp.theory.exact_recall.bulk import bartlett, bartlett_dimensions, chi, own_noise
from asymp.theory.exact_recall.pairs import LARGEST_TILT, PairTable, log_pair, log_prior, sides
from asymp.theory.functions.arguments import FloatArray, IntArray
from asymp.theory.lazy import special


@dataclass(frozen=True)
class Rare:
    """The error of an input as an integral over uniforms and normals, steered by a table of pairs."""

    table: PairTable
    M: int
    d: int
    sphere: bool

    @property
    def dimensions(self) -> tuple[int, int]:
        """Uniforms (y, g, zeta) and normals (r, |a|, the others' x, the noise, the rest of the embeddings)."""
        return 3, 2 * self.M + (bartlett_dimensions(self.M - 1, self.d - 1) if self.d > 1 else 0)

    def values(
        self, c: IntArray, q: FloatArray, S: FloatArray, u: FloatArray, z: FloatArray, row: IntArray
    ) -> FloatArray:
        """The integrand for inputs of classes c and weights q in memories with class sums S (n, M)."""
        M, d = self.M, self.d
        line = np.arange(len(c))
        own = own_noise(S[line, c], q)
        y, log_choice, kind = self._wrong(row, c, q, own, S, u[:, 0])
        g, log_geometry, lam = self._geometry(row, kind, u[:, 1])
        # Classes in the order c, y, others.
        low, high = np.minimum(c, y)[:, None], np.maximum(c, y)[:, None]
        k = np.arange(M - 2)
        k = k + (k >= low)
        k = k + (k >= high)
        D = np.concatenate([own[:, None], S[line, y][:, None], S[line[:, None], k]], axis=1)
        f = 1 / (1 - np.minimum(lam[:, None] * D[:, 2:], LARGEST_TILT))
        embeddings, log_tilt = self._embeddings(g, f, z[:, 1:M], z[:, 2 * M :])
        x = embeddings[:, :, 0]
        normal = np.sqrt(D) * x
        length = np.sqrt(np.sum(normal**2, axis=1))
        with np.errstate(divide="ignore", invalid="ignore"):
            # Without any noise the sign of the margin decides: y never wins, or always.
            kappa = np.where(length > 0, -q * x[:, 0] / length, np.where(q * x[:, 0] < 0, np.inf, -np.inf))
            never = kappa == np.inf
            normal = np.where(length[:, None] > 0, normal / length[:, None], 0.0)
        kappa = np.clip(kappa, -1e10, 1e10)
        pull = np.maximum(kappa, 0.0)
        r = chi(z[:, 0], d) / np.sqrt(1 + pull**2)
        edge = kappa * r * np.sqrt(d)
        log_half = special.log_ndtr(-edge)
        log_r = np.where(kappa > 0, np.log(special.erfcx(np.maximum(edge, 0.0) / np.sqrt(2)) / 2), log_half)
        log_r = log_r - d / 2 * np.log1p(pull**2)
        zeta = -special.ndtri_exp(np.minimum(np.log(u[:, 2]) + log_half, -1e-300))
        noise = z[:, M : 2 * M]
        noise = noise + normal * (zeta - np.sum(normal * noise, axis=1))[:, None]
        v = np.sqrt(D / d) * noise
        v[:, 0] += q * r
        field = np.matmul(v[:, None, :], embeddings)[:, 0, :]
        scores = np.matmul(embeddings, field[:, :, None])[:, :, 0]
        # y wins by construction; rounding is not asked.
        count = 1 + np.sum(scores[:, 2:] > scores[:, :1], axis=1)
        return np.where(never, 0.0, np.exp(log_geometry + log_tilt + log_r - log_choice) / count)

    def _wrong(
        self, row: IntArray, c: IntArray, q: FloatArray, own: FloatArray, S: FloatArray, u: FloatArray
    ) -> tuple[IntArray, FloatArray, IntArray]:
        """A wrong output for each sample: y, the log of its probability, and its kind.

        The table's chances are for the typical S_y of each kind and q of each row; the estimate at the typical geometry
        corrects them for the true ones.
        """
        table, types, line = self.table, self.table.types, np.arange(len(row))
        total = np.sum(S, axis=1, keepdims=True)
        others = np.maximum(total - S - S[line, c][:, None], 0.0)
        logs = log_pair(q[:, None], own[:, None], S, others, self.d)
        logs = logs + (table.log_chance - table.log_typical)[row[:, None], types.kind]
        logs[line, c] = -np.inf
        chance = np.exp(logs - logs.max(axis=1, keepdims=True))
        # A share for every y, for what the estimate may have missed.
        chance = (1 - SAFE) * chance / chance.sum(axis=1, keepdims=True) + SAFE / (self.M - 1)
        chance[line, c] = 0.0
        cumulative = np.cumsum(chance, axis=1)
        y = np.sum(cumulative <= (u * cumulative[:, -1])[:, None], axis=1)
        y = np.where(y < self.M, y, np.argmax(chance, axis=1))
        return y, np.log(chance[line, y] / cumulative[:, -1]), types.kind[y]

    def _geometry(self, row: IntArray, kind: IntArray, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The coordinate g by its tabulated law, the log of its true over its tabulated density, and the tilt there."""
        table, line = self.table, np.arange(len(row))
        cumulative, density = table.cumulative[row, kind], table.density[row, kind]
        cell = np.clip(np.sum(cumulative <= u[:, None], axis=1) - 1, 0, cumulative.shape[1] - 2)
        width = table.width[row, kind]
        a, b = density[line, cell], density[line, cell + 1]
        left = np.maximum(u - cumulative[line, cell], 0.0)
        # Inverse of the integral of a linear density, in the form that does not cancel.
        step = 2 * left / (a + np.sqrt(np.maximum(a**2 + 2 * left * (b - a) / width, 0.0)))
        step = np.minimum(step, width)
        g = table.low[row, kind] + cell * width + step
        log_density = np.log(a + (b - a) * step / width)
        part = step / width
        tilt = table.tilt[row, kind]
        lam = tilt[line, cell] * (1 - part) + tilt[line, cell + 1] * part
        return g, log_prior(g, self.d, self.sphere) - log_density, lam

    def _embeddings(
        self, g: FloatArray, f: FloatArray, z: FloatArray, rest: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The embeddings (n, M, columns), rows c, y, others, and the log weight of the inflated components x_k."""
        d, n, M = self.d, len(g), f.shape[1] + 2
        columns = 1 + min(M - 1, d - 1)
        U = np.zeros((n, M, columns))
        if d > 1:
            # The vector (u_c + u_y)/sqrt 2 without its first component, then the others without theirs.
            complement = bartlett(rest, M - 1, d - 1, False) * np.sqrt((d - 1) / d)
            U[:, 2:, 1:] = complement[:, 1:, :]
        raw = z[:, 1:] * np.sqrt(f / d)
        U[:, 2:, 0] = raw
        x_c, x_y = sides(g, self.sphere)
        if self.sphere:
            length = np.sqrt(np.sum(U[:, 2:, :] ** 2, axis=2, keepdims=True))
            U[:, 2:, :] /= length
            U[:, 0, 0], U[:, 1, 0] = x_c, x_y
            U[:, :2, 1] = np.sqrt(np.maximum(1 - x_c**2, 0.0))[:, None]
            log_weight = d / 2 * np.log1p(-(U[:, 2:, 0] ** 2) * (1 - 1 / f))
        else:
            # |a|^2 given b/|a|, where both are N(0, I/d): chi2_{d+1}/(d (1 + tan^2 g))
            size = chi(z[:, 0], d + 1) * np.sqrt((d + 1) / d) * np.cos(g)
            U[:, 0, 0], U[:, 1, 0] = size * x_c, size * x_y
            if d > 1:
                U[:, :2, 1:] = complement[:, :1, :] / np.sqrt(2)
            log_weight = -d / 2 * raw**2 * (1 - 1 / f)
        return U, np.sum(log_weight + np.log(f) / 2, axis=1)
