"""sgd-map: the weight that SGD with batch one gives to an input follows a map from one sight to the next."""

from typing import Any

from asymp.montecarlo.train.map_weights import sgd_weight_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]
# Nothing is random but the orthonormal bases, which do not matter.
REPLICAS = dict.fromkeys(("quick", "standard", "paper"), 4)


def grid(quick: list[dict[str, Any]], standard: list[dict[str, Any]]) -> Grid:
    """Cells by preset."""
    return {"quick": quick, "standard": standard, "paper": standard}


def sights(gammas: tuple[float, ...], Ms: tuple[int, ...], ns: tuple[int, ...], written: str) -> list[dict[str, Any]]:
    """Cells over steps, numbers of outputs and sights."""
    return [{"gamma": gamma, "M": M, "n": n, "written": written} for gamma in gammas for M in Ms for n in ns]


ONE = [
    {"gamma": gamma, "M": M, "n": 1, "q": q, "written": "all"}
    for gamma in (0.1, 10.0)
    for M in (2, 5, 100)
    for q in (0.0, 1.0, 8.0)
]

CLAIM = Claim(
    id="sgd-map",
    simulation="An input is shown n times to a memory with orthonormal embeddings; each time the gradient of the cross-entropy is "
    "taken by automatic differentiation and a step of size gamma made. The memory of the source keeps what a step writes on "
    "the target (written = target); SGD itself writes on all outputs (written = all).",
    parts=(
        part(
            "source",
            kind="identity",
            law=laws["sgd-map:source"],
            experiment=sgd_weight_experiment,
            statement="One sight takes the weight q to q + gamma/(1 + e^q/(M - 1)), the other scores being 0.",
            grid=grid(ONE, ONE),
            replicas=REPLICAS,
            margin=1e-9,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["sgd-map"],
            experiment=sgd_weight_experiment,
            statement="A memory that keeps only what is written on targets has the weights f^n(0).",
            grid=grid(
                sights((0.1, 1.0, 10.0), (2, 5), (2, 20, 100), "target"),
                sights((0.01, 0.1, 1.0, 10.0), (2, 5, 50), (2, 20, 200, 2000), "target"),
            ),
            replicas=REPLICAS,
            margin=1e-9,
            x_axis="n",
        ),
        part(
            "orthonormal",
            kind="identity",
            law=laws["sgd-map:orthonormal"],
            experiment=sgd_weight_experiment,
            statement="SGD itself follows the map with e^(q M/(M - 1)) in the place of e^q.",
            grid=grid(
                sights((0.1, 1.0, 10.0), (2, 5), (2, 20, 100), "all"),
                sights((0.01, 0.1, 1.0, 10.0), (2, 5, 50), (2, 20, 200, 2000), "all"),
            ),
            replicas=REPLICAS,
            margin=1e-9,
            x_axis="n",
        ),
        part(
            "flow",
            kind="constant",
            law=laws["sgd-map:ode"],
            experiment=sgd_weight_experiment,
            statement="With small steps the weight solves q + (e^q - 1)/(M - 1) = gamma n.",
            grid=grid(
                sights((0.02,), (2, 5), (50, 400), "target"),
                sights((0.01, 0.02), (2, 5, 50), (50, 400, 2000), "target"),
            ),
            replicas=REPLICAS,
            margin=0.05,
            x_axis="n",
        ),
        part(
            "asymptotic",
            kind="constant",
            law=laws["sgd-map:asymptotic"],
            experiment=sgd_weight_experiment,
            statement="After many steps of any size e^q = (M - 1)[gamma n + (gamma/2 - 1) log n + c].",
            grid=grid(
                sights((0.5, 3.0), (2, 5), (400,), "target"), sights((0.1, 0.5, 3.0), (2, 5, 20), (500, 3000), "target")
            ),
            replicas=REPLICAS,
            margin=0.02,
            x_axis="n",
        ),
        part(
            "small-step",
            kind="constant",
            law=laws["sgd-map:small-step"],
            experiment=sgd_weight_experiment,
            statement="As long as gamma n is small the weight is n gamma (M - 1)/M.",
            grid=grid(sights((0.001,), (2, 5), (10, 50), "target"), sights((0.001,), (2, 5, 50), (10, 50), "target")),
            replicas=REPLICAS,
            margin=0.05,
            x_axis="n",
        ),
        part(
            "plateau",
            kind="constant",
            law=laws["sgd-map:large-step"],
            experiment=sgd_weight_experiment,
            statement="With large steps the weight stays at gamma (M - 1)/M for many sights.",
            grid=grid(
                sights((20.0,), (5,), (1, 10, 50), "target"), sights((20.0, 30.0), (5, 20), (1, 10, 100), "target")
            ),
            replicas=REPLICAS,
            margin=0.02,
            x_axis="n",
        ),
        part(
            "source-iterated",
            kind="identity",
            law=laws["sgd-map"],
            experiment=sgd_weight_experiment,
            statement="The weight that SGD itself gives to an input seen n times is f^n(0).",
            grid=grid(
                sights((1.0, 10.0), (2, 5), (2, 20, 100), "all"), sights((0.1, 1.0, 10.0), (2, 5), (2, 200), "all")
            ),
            replicas=REPLICAS,
            margin=0.02,
            erratum=laws["sgd-map:source"].errata[0],
            x_axis="n",
        ),
    ),
)
