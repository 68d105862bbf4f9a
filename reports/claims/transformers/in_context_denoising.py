"""in-context-denoising: softmax attention over the context denoises best at the temperature of the noise."""

from asymp.montecarlo.samplers.transformers import in_context_denoising as sampled
from asymp.reports.declaring import Claim, Constant, Grid, few_draws, laws, nightly, rows, settings

CLAIM = Claim(
    id="in-context-denoising",
    title="Denoising by one step of attention",
    source="bietti2025",
    order=11,
    few_settings="trained layers take five seconds a setting, and of the best temperature no bound on its tails is known",
    parts=(
        Constant(
            "source",
            "Training finds softmax attention that denoises as well as the posterior mean, which is one step of a dense memory.",
            law=laws["in-context-denoising:excess"],
            experiment=sampled.trained_denoiser_experiment,
            grid=Grid(settings(sigma=1.5, of="excess", steps=300, batch=64)),
            margin=0.047,  # values are 2 a/(a + b), from 0 to 2: so much off 1 is 10 % off in a/b
            x_axis="sigma",
            draw=nightly(5),
        ),
        Constant(
            "sharp",
            "The best inverse temperature is 1/sigma^2.",
            law=laws["in-context-denoising"],
            experiment=sampled.best_temperature_experiment,
            # From 0.3 to 1 of the points' norm sqrt d: with less noise hardly a context is in doubt, and none has a say.
            grid=Grid(rows("d sigma", (4, 0.6), (4, 2.0), (8, 1.4), (16, 1.2), (16, 4.0))),
            margin=0.02,
            x_axis="sigma",
            draw=few_draws(24, 4),
        ),
    ),
)
