"""in-context-denoising: softmax attention over the context denoises best at the temperature of the noise."""

from asymp.montecarlo.transformers.denoising import best_temperature_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

GRID = {
    "quick": [{"sigma": sigma} for sigma in (0.8, 1.5)],
    "standard": [{"sigma": sigma, "d": d} for sigma in (0.6, 1.0, 2.0) for d in (4, 8, 16)],
}
GRID["paper"] = GRID["standard"]

CLAIM = Claim(
    id="in-context-denoising",
    simulation="Contexts of eight points on a sphere, one of them seen under gaussian noise; softmax attention over the context "
    "guesses the clean point, and the inverse temperature with the smallest mean squared error over 4096 contexts is found.",
    notes=("That training finds this attention is not measured here.",),
    parts=(
        part(
            "sharp",
            kind="constant",
            law=laws["in-context-denoising"],
            experiment=best_temperature_experiment,
            statement="The best inverse temperature is 1/sigma^2.",
            grid=GRID,
            replicas={"quick": 32, "standard": 128, "paper": 128},
            margin=0.02,
            x_axis="sigma",
        ),
    ),
)
