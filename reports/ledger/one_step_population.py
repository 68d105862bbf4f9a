"""one-step-population: a step with a large batch stores every association with a weight proportional to its frequency."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.gradients.one_step import one_step_weight_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

PRESETS = ("quick", "standard", "paper")
REPLICAS = dict.fromkeys(PRESETS, 8)


def cell(N: int, M: int, x: int, alpha: float, output: str) -> dict[str, Any]:
    """One coefficient."""
    return {"N": N, "M": M, "x": x, "alpha": alpha, "eta": 3.0, "output": output}


TARGETS = [cell(N, M, x, alpha, "target") for N, M in ((6, 2), (20, 5)) for x in (1, 3, N) for alpha in (0.5, 2.0)]
UNIT_STEPS = [{**c, "eta": 1.0} for c in TARGETS]
OTHERS = [cell(N, M, x, alpha, "other") for N, M in ((6, 2), (20, 5)) for x in (1, 3, N) for alpha in (0.5, 2.0)]


def frequency(params: Mapping[str, Any]) -> dict[str, Any]:
    """p(x) from its definition."""
    alpha = params["alpha"]
    total = sum(k**-alpha for k in range(1, params["N"] + 1))
    return {"p": params["x"] ** -alpha / total, **{k: params[k] for k in ("eta", "M", "output")}}


def weight_unit(params: Mapping[str, Any]) -> float:
    """The coefficient on the target is eta (1 - 1/M) times p: the factor that the source leaves open."""
    return float(params["eta"] * (1 - 1 / params["M"]))


def on_targets(params: Mapping[str, Any]) -> dict[str, Any]:
    """The source's weight with its open factor, the same for all inputs and outputs."""
    values = frequency(params)
    return {**values, "p": min(1.0, values["p"] * weight_unit(params))}


CLAIM = Claim(
    id="one-step-population",
    simulation="Orthonormal embeddings; the population loss with Zipf frequencies is differentiated once at W = 0, one step is "
    "taken, and the coefficient of u_k e_x^T is read off.",
    parts=(
        part(
            "source",
            kind="constant",
            law=laws["one-step-population:source"],
            experiment=one_step_weight_experiment,
            statement="The weight of an association after the step is proportional to p, with the factor eta (1 - 1/M).",
            grid=dict.fromkeys(PRESETS, UNIT_STEPS),
            replicas=REPLICAS,
            to_law=on_targets,
            margin=0.02,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["one-step-population"],
            experiment=one_step_weight_experiment,
            statement="The coefficient is eta p (1 - 1/M) on the target and -eta p/M on every other output, exactly.",
            grid=dict.fromkeys(PRESETS, TARGETS + OTHERS),
            replicas=REPLICAS,
            to_law=frequency,
            margin=1e-9,
        ),
        part(
            "source-others",
            kind="identity",
            law=laws["one-step-population:zero"],
            experiment=one_step_weight_experiment,
            statement="q ~ p as a memory of the targets only: nothing is written on other outputs.",
            grid=dict.fromkeys(PRESETS, OTHERS),
            replicas=REPLICAS,
            to_law=frequency,
            margin=0.02,
            scale=lambda params: params["eta"] * frequency(params)["p"],
            erratum=laws["one-step-population:source"].errata[0],
        ),
    ),
)
