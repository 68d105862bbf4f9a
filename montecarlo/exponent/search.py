"""Small vectorised searches used by the families of laws: Newton in one nuisance, zooming in on an extremum."""

from collections.abc import Callable

import numpy as np

from asymp.montecarlo.exponent.likelihood import Array

__all__ = ["descend", "reach", "zoom"]


def descend(
    f: Callable[[Array], tuple[Array, Array, Array]],
    start: Array,
    step: Array | float,
    low: Array | float,
    high: Array | float,
    *,
    rounds: int = 6,
) -> tuple[Array, Array, Array, Array]:
    """Minimise each entry over [low, high] by Gauss-Newton steps no longer than `step`, kept only if they go down.

    f returns value, derivative and a curvature >= 0. Returns argument, value, derivative, curvature.
    """
    x = start
    value, slope, curve = f(x)
    longest = np.broadcast_to(np.asarray(step, dtype=float), x.shape)
    for i in range(rounds):
        move = np.clip(-slope / np.maximum(curve, 1e-300), -longest, longest)
        fresh = np.clip(x + move, low, high)
        new = f(fresh)
        down = new[0] <= value
        gain = float(np.max(np.where(down, value - new[0], 0.0), initial=0.0))
        x = np.where(down, fresh, x)
        value, slope, curve = (np.where(down, a, b) for a, b in zip(new, (value, slope, curve), strict=True))
        longest = np.where(down, longest, np.abs(fresh - x) / 4)
        if i > 1 and gain < 1e-4 and bool(down.all()):
            break
    return x, value, slope, curve


def reach(room: Array, slope: Array, curve: Array, limit: float) -> tuple[Array, Array]:
    """How far below and above its minimum a parabola (slope and curvature there) stays within `room`."""
    root = np.sqrt(slope**2 + 2 * curve * np.maximum(room, 0.0))
    safe = np.maximum(curve, 1e-300)
    return np.minimum((root + slope) / safe, limit), np.minimum((root - slope) / safe, limit)


def zoom(f: Callable[[Array], Array], nodes: Array, values: Array, *, rounds: int = 1) -> tuple[Array, Array]:
    """Minimise each row of f by zooming in between the neighbours of its best node.

    `nodes` (rows, m) increases along each row and `values` = f(nodes). Returns each row's best argument and value.
    """
    rows = np.arange(len(nodes))
    m = nodes.shape[1]
    i = values.argmin(1)
    x, best = nodes[rows, i], values[rows, i]
    left, right = nodes[rows, np.maximum(i - 1, 0)], nodes[rows, np.minimum(i + 1, m - 1)]
    share = np.linspace(0, 1, 9)
    for _ in range(rounds):
        nodes = left[:, None] + (right - left)[:, None] * share
        values = f(nodes)
        i = values.argmin(1)
        better = values[rows, i] < best
        x, best = np.where(better, nodes[rows, i], x), np.where(better, values[rows, i], best)
        gap = (right - left) / 8
        left, right = np.maximum(x - gap, left), np.minimum(x + gap, right)
    return x, best
