"""sgd-map: the weight that SGD with batch one gives to an input follows a map from one sight to the next."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.training.sgd_map import sgd_weight_experiment
from asymp.reports.declaring import Claim, Constant, Grid, Identity, few_draws, laws, settings


def sights(gamma: Any, n: Any, M: Any = (2, 5), written: str = "target", **start: Any) -> Grid:
    """Products of steps, numbers of outputs and of times seen; only the orthonormal bases are random, which do not matter."""
    return Grid(settings(gamma=gamma, M=M, n=n, written=written, **start))


constant = partial(Constant, experiment=sgd_weight_experiment, x_axis="n")

identity = partial(Identity, law=laws["sgd-map"], experiment=sgd_weight_experiment, x_axis="n")

CLAIM = Claim(
    id="sgd-map",
    title="Weights that SGD gives, as a map",
    source="cabannes2024, Figure 5",
    order=7,
    parts=(
        Identity(
            "source",
            "One more sample of an input takes its weight q to q + gamma/(1 + e^q/(M - 1)), if the other scores are 0.",
            law=laws["sgd-map:source"],
            experiment=sgd_weight_experiment,
            grid=sights((0.1, 10.0), 1, M=(2, 5, 100), q=(0.0, 1.0, 8.0), written="all"),
            margin=1e-9,
        ),
        identity(
            "sharp",
            "In a memory that keeps only what is written on the right answers, an input seen n times has the weight f^n(0).",
            grid=sights((0.1, 1.0, 10.0), (2, 20, 100)),
            margin=1e-9,
        ),
        Identity(
            "orthonormal",
            "SGD itself follows the map with e^(q M/(M - 1)) in the place of e^q.",
            law=laws["sgd-map:orthonormal"],
            experiment=sgd_weight_experiment,
            grid=sights((0.1, 1.0, 10.0), (2, 20, 100), written="all"),
            margin=1e-9,
            x_axis="n",
        ),
        constant(
            "flow",
            "With small steps the weight solves q + (e^q - 1)/(M - 1) = gamma n.",
            law=laws["sgd-map:ode"],
            grid=sights(0.02, (50, 400)),
            margin=0.05,
        ),
        constant(
            "asymptotic",
            "After many steps of any size e^q = (M - 1)[gamma n + (gamma/2 - 1) log n + c].",
            law=laws["sgd-map:asymptotic"],
            grid=sights((0.5, 3.0), 400),
            margin=0.02,
            draw=few_draws(6, 2),
        ),
        constant(
            "small-step",
            "As long as gamma n is small the weight is n gamma (M - 1)/M.",
            law=laws["sgd-map:small-step"],
            grid=sights(0.001, (10, 50)),
            margin=0.05,
        ),
        constant(
            "plateau",
            "With large steps the weight stays near gamma (M - 1)/M while the input is seen many more times.",
            law=laws["sgd-map:large-step"],
            grid=sights(20.0, (1, 10, 50), M=5),
            margin=0.02,
        ),
        identity(
            "source-iterated",
            "The weight that SGD itself gives to an input seen n times is f^n(0).",
            grid=sights((1.0, 10.0), (2, 20, 100), written="all"),
            erratum=laws["sgd-map:source"].errata[0],
        ),
    ),
)
