"""k-hop: K hops of reasoning by about log K layers of associative lookups."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.transformers import k_hop as sampled
from asymp.reports.declaring import Bound, Claim, Grid, Identity, Order, few_draws, laws, nightly, settings

HOPS = Grid(settings(K=(1, 2, 3, 4, 7, 8, 16)))
# Trained: two hops, which take two layers.
TRAINED: dict[str, Any] = {"K": 2, "N": 4, "d": 32, "steps": 1000, "batch": 64, "layers": 2}
PAPER: dict[str, Any] = {"K": 4, "N": 8, "d": 64, "steps": 20_000, "batch": 256, "layers": 3}


def lessons(curriculum: bool) -> Grid:
    """Training with a curriculum or without."""
    return Grid(settings(**TRAINED, curriculum=curriculum), paper=settings(**PAPER, curriculum=curriculum))


order = partial(Order, about=("K", "N"), draw=nightly(5))

CLAIM = Claim(
    id="k-hop",
    title="K hops by log K layers",
    source="bietti2025",
    order=10,
    parts=(
        Identity(
            "sharp",
            "The fewest layers for K hops are 1 + floor(log2 K).",
            law=laws["k-hop"],
            experiment=sampled.fewest_layers_experiment,
            grid=HOPS,
            margin=1e-9,
            x_axis="K",
            draw=few_draws(60, ranges={"K": (1, 64)}, reason="K alone is drawn, beyond the grid"),
        ),
        Bound(
            "doubling",
            "Pointer doubling needs 1 + ceil(log2 K) layers, which is never less.",
            law=laws["k-hop:doubling"],
            experiment=sampled.fewest_layers_experiment,
            grid=HOPS,
            x_axis="K",
            draw=few_draws(28, ranges={"K": (1, 64)}, reason="K alone is drawn, beyond the grid"),
        ),
        order(
            "curriculum",
            "Gradient steps with a curriculum learn two hops with two layers, in at least three of four runs.",
            above=0.9,
            experiment=sampled.trained_hops_experiment,
            grid=lessons(True),
            quantity="A_K",
            stated_in="bietti2025, slide on multi-hop reasoning (Wang et al.)",
            conventions="A sequence lists f(0), ..., f(N - 1) for a fresh permutation f and ends with x; one head a "
            "layer, residual stream, frozen random embeddings; trained with Adam on the answer at x. With a curriculum "
            "the answers asked for are f(x), f^2(x), f^4(x), ..., f^K(x), for equally many steps each. The source says "
            "that gradient steps with a curriculum learn it, with no number: nine in ten is this project's.",
        ),
        order(
            "no-curriculum",
            "As many gradient steps on two hops alone learn them too, in at least three of four runs.",
            above=0.9,
            experiment=sampled.trained_hops_experiment,
            grid=lessons(False),
            quantity="A_K",
            stated_in="bietti2025, slide on multi-hop reasoning (Wang et al.)",
        ),
        order(
            "fewer-layers",
            "Trained alike, two layers answer more queries of two hops than one, in at least three of four runs.",
            above=0,
            experiment=sampled.layer_gain_experiment,
            grid=Grid(settings(**TRAINED | {"steps": 400}, fewer=1), paper=settings(**PAPER, fewer=2)),
            quantity="A_enough - A_fewer",
            stated_in="asymp, binary powers",
            conventions="L layers make at most 2^L - 1 hops.",
        ),
    ),
)
