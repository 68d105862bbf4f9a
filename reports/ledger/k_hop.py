"""k-hop: K hops of reasoning by about log K layers of associative lookups."""

from asymp.montecarlo.transformers.hops import fewest_layers_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

PRESETS = ("quick", "standard", "paper")
ONCE = dict.fromkeys(PRESETS, 8)
HOPS = {
    "quick": [{"K": K} for K in (1, 2, 3, 4, 7, 8, 16)],
    "standard": [{"K": K} for K in (*range(1, 20), 31, 32, 33, 64)],
}
HOPS["paper"] = HOPS["standard"]

CLAIM = Claim(
    id="k-hop",
    simulation="All schedules of lookups are tried for the shortest that makes K hops; it is then carried out by softmax attention "
    "with one-hot keys on random permutations, and the answer compared with K applications of the permutation.",
    notes=("By hand only: training with and without a curriculum is not measured here.",),
    parts=(
        part(
            "sharp",
            kind="identity",
            law=laws["k-hop"],
            experiment=fewest_layers_experiment,
            statement="The fewest layers for K hops are 1 + floor(log2 K).",
            grid=HOPS,
            replicas=ONCE,
            margin=1e-9,
            x_axis="K",
        ),
        part(
            "doubling",
            kind="bound",
            law=laws["k-hop:doubling"],
            experiment=fewest_layers_experiment,
            statement="Pointer doubling needs 1 + ceil(log2 K) layers, which is never less.",
            grid=HOPS,
            replicas=ONCE,
            x_axis="K",
        ),
    ),
)
