"""sgd-map: the weight that SGD with batch one gives to an input follows a map from one sight to the next."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.training.sgd_map import sgd_weight_experiment
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, settings
from asymp.reports.kinds import Constant, Identity
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws


def sights(gamma: Any, n: Any, M: Any = (2, 5), written: str = "target", **start: Any) -> Grid:
    """Products of steps, numbers of outputs and sights; nothing is random but the orthonormal bases, which do not matter."""
    return Grid(settings(gamma=gamma, M=M, n=n, written=written, **start))


constant = partial(Constant, experiment=sgd_weight_experiment, x_axis="n")

CLAIM = Claim(
    id="sgd-map",
    title="Weights that SGD gives, as a map",
    source="cabannes2024, Figure 5",
    order=7,
    parts=(
        Identity(
            "source",
            "One sight takes the weight q to q + gamma/(1 + e^q/(M - 1)), the other scores being 0.",
            law=laws["sgd-map:source"],
            experiment=sgd_weight_experiment,
            grid=sights((0.1, 10.0), 1, M=(2, 5, 100), q=(0.0, 1.0, 8.0), written="all"),
            margin=1e-9,
        ),
        Identity(
            "sharp",
            "A memory that keeps only what is written on targets has the weights f^n(0).",
            law=laws["sgd-map"],
            experiment=sgd_weight_experiment,
            grid=sights((0.1, 1.0, 10.0), (2, 20, 100)),
            margin=1e-9,
            x_axis="n",
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
            "With large steps the weight stays at gamma (M - 1)/M for many sights.",
            law=laws["sgd-map:large-step"],
            grid=sights(20.0, (1, 10, 50), M=5),
            margin=0.02,
        ),
        Identity(
            "source-iterated",
            "The weight that SGD itself gives to an input seen n times is f^n(0).",
            law=laws["sgd-map"],
            experiment=sgd_weight_experiment,
            grid=sights((1.0, 10.0), (2, 20, 100), written="all"),
            erratum=laws["sgd-map:source"].errata[0],
            x_axis="n",
        ),
    ),
)
