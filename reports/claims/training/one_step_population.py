"""one-step-population: a step with a large batch stores every association with a weight proportional to its frequency."""

from typing import Any

from asymp.montecarlo.samplers.training.one_step_population import one_step_weight_experiment
from asymp.reports.declaring import Claim, Constant, Grid, Identity, Setting, laws, rows


def cells(output: str, eta: float = 3.0) -> list[dict[str, Any]]:
    """Coefficients of frequent and of rare inputs."""
    sizes = rows("N M x", (6, 2, 1), (6, 2, 3), (6, 2, 6), (20, 5, 1), (20, 5, 3), (20, 5, 20), eta=eta, output=output)
    return [size | {"alpha": alpha} for size in sizes for alpha in (0.5, 2.0)]


def frequency(params: Setting) -> dict[str, Any]:
    """p(x) from its definition."""
    alpha = params["alpha"]
    total = sum(k**-alpha for k in range(1, params["N"] + 1))
    return {"p": params["x"] ** -alpha / total, **{k: params[k] for k in ("eta", "M", "output")}}


def on_targets(params: Setting) -> dict[str, Any]:
    """The source's weight with the factor eta (1 - 1/M) that it leaves open, the same for all inputs and outputs."""
    values = frequency(params)
    return {**values, "p": min(1.0, values["p"] * (params["eta"] * (1 - 1 / params["M"])))}


CLAIM = Claim(
    id="one-step-population",
    title="Weights after a step with a large batch",
    source="bietti2025, bietti2024",
    order=6,
    parts=(
        Constant(
            "source",
            "The weight of an association after the step is proportional to p, with the factor eta (1 - 1/M).",
            law=laws["one-step-population:source"],
            experiment=one_step_weight_experiment,
            grid=Grid(cells("target", eta=1.0)),
            to_law=on_targets,
            margin=0.02,
        ),
        Identity(
            "sharp",
            "The coefficient is eta p (1 - 1/M) on the target and -eta p/M on every other output, exactly.",
            law=laws["one-step-population"],
            experiment=one_step_weight_experiment,
            grid=Grid(cells("target") + cells("other")),
            to_law=frequency,
            margin=1e-9,
        ),
        Identity(
            "source-others",
            "The step writes on the right answers only, with weights in proportion to p: nothing is written on other "
            "outputs.",
            law=laws["one-step-population:source"],
            experiment=one_step_weight_experiment,
            grid=Grid(cells("other")),
            to_law=frequency,
            scale=lambda params: params["eta"] * frequency(params)["p"],
            erratum=laws["one-step-population:source"].errata[0],
        ),
    ),
)
