"""Memory matrices: the softmax of the scores, inputs by outputs, for each scheme and along training."""

from typing import Any

import numpy as np

from asymp.montecarlo.draws import Draw
from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings
from asymp.reports.figures.style import INK, heat, new

N, M, ALPHA, STRENGTH = 30, 5, 1.0, 5.0
SCHEMES: dict[str, dict[str, Any]] = {
    "q₀: all equal": {"rho": 0.0},
    "q₁: as frequent": {"rho": 1.0},
    "q₀, first 10": {"rho": 0.0, "P": 10},
}
SETTINGS = {
    "quick": {"d": 30, "steps": [10, 100, 1000], "lr": 1.0},
    "paper": {"d": 30, "steps": [10, 100, 1000, 10_000], "lr": 1.0},
}


def measure(settings: Settings, how: How) -> Data:
    """A matrix of each scheme, all schemes with as large a W as equal weights of 5; matrices of one run of SGD."""
    from asymp.montecarlo.draws import block_generator, pick_device
    from asymp.montecarlo.samplers.memory_training.memory import train_memory
    from asymp.montecarlo.samplers.training.memory_matrix import memory_matrix

    where, d, steps = pick_device(how.device), settings["d"], settings["steps"]
    p = np.arange(1, N + 1) ** -ALPHA
    p = p / p.sum()
    pictures = []
    for name, scheme in SCHEMES.items():
        q = p ** scheme["rho"] * (np.arange(1, N + 1) <= scheme.get("P", N))
        scale = STRENGTH * float(np.sqrt(N / (q**2).sum()))
        # The same embeddings for every scheme: the pictures differ by the weights alone.
        generator = block_generator(where, "memory-matrices", 1, {"d": d, "runs": 1}, how.seed, 0)
        _, matrix = memory_matrix(
            Draw(1, generator, where), N=N, M=M, d=d, alpha=ALPHA, **scheme, scale=scale, embeddings="gaussian"
        )
        pictures.append({"name": name, "matrix": np.round(matrix[0].cpu().numpy(), 4)})
    run = train_memory(
        alpha=ALPHA, N=N, M=M, d=d, T=steps[-1], lr=settings["lr"], init="zero", record=steps, measure=("scores",),
        replicas=1, seed=how.seed, device=how.device,
    )  # fmt: skip
    pictures += [{"name": f"SGD, {step} steps", "matrix": np.round(run.memory_matrix(0, step), 4)} for step in steps]
    return {"pictures": pictures}


def draw(data: Data) -> Drawing:
    """A picture for each, one scale of colours: the schemes above, training below."""
    pictures = data["pictures"]
    schemes = len(SCHEMES)
    width = max(schemes, len(pictures) - schemes)
    figure, axes = new(2, height=3.3, columns=width, sharey=True)
    places = [*range(schemes), *range(width, width + len(pictures) - schemes)]
    for i, ax in enumerate(axes):
        ax.set_visible(i in places)
    for place, picture in zip(places, pictures, strict=True):
        ax = axes[place]
        shown = heat(ax, picture["matrix"], vmin=0, vmax=1, extent=(-0.5, M - 0.5, N + 0.5, 0.5))
        # A dot where the target is.
        rows = range(1, N + 1)
        ax.plot([x % M for x in rows], rows, ls="none", marker="o", ms=2.2, mfc="white", mec=INK, mew=0.4)
        ax.set_title(picture["name"], fontsize=9.5)
        ax.set(xticks=range(M), xlabel="output y", ylabel="input x (dot: its target)" if place % width == 0 else "")
    figure.colorbar(shown, ax=[axes[place] for place in places], label="mass given to y", pad=0.02, shrink=0.6)
    return figure


FIGURE = Figure("memory-matrices", SETTINGS, measure, draw)
