"""in-context-denoising: softmax attention over the context denoises best at the temperature of the noise."""

from asymp.montecarlo.samplers.transformers.in_context_denoising import (
    best_temperature_experiment,
    trained_denoiser_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, rows, settings
from asymp.reports.kinds import Constant
from asymp.reports.kinds.drawing import few_draws, nightly
from asymp.theory import laws

CLAIM = Claim(
    id="in-context-denoising",
    title="Denoising by one step of attention",
    source="bietti2025",
    order=11,
    parts=(
        Constant(
            "source",
            "Training finds softmax attention that denoises as well as the posterior mean, one step of a dense memory.",
            law=laws["in-context-denoising:excess"],
            experiment=trained_denoiser_experiment,
            grid=Grid(settings(sigma=1.5, of="excess", steps=400, batch=128)),
            x_axis="sigma",
            draw=nightly(5),
        ),
        Constant(
            "sharp",
            "The best inverse temperature is 1/sigma^2.",
            law=laws["in-context-denoising"],
            experiment=best_temperature_experiment,
            # From 0.3 to 1 of the points' norm sqrt d: with less noise hardly a context is in doubt, and none has a say.
            grid=Grid(rows("d sigma", (4, 0.6), (4, 2.0), (8, 1.4), (16, 1.2), (16, 4.0))),
            margin=0.02,
            x_axis="sigma",
            draw=few_draws(24, 4),
        ),
    ),
)
