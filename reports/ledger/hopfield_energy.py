"""hopfield-energy: the dynamics x' = sign(W x) goes downhill on -x^T W x."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.memories.energy import energy_change_experiment, largest_rise_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]


def drawn(d: int, N: int, start: int) -> dict[str, Any]:
    """Patterns and a state from the bits of a linear congruential sequence: given in full, so that both sides have them."""
    bits, x = [], start
    for _ in range((N + 1) * d):
        x = (1103515245 * x + 12345) % 2**31
        bits.append(1 if x & 2**16 else -1)
    rows = [bits[i * d : (i + 1) * d] for i in range(N + 1)]
    return {"patterns": rows[:N], "state": rows[N]}


def fields(params: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    """(W x)_i and the bits that move, from the definition of W, in whole numbers."""
    patterns, x = params["patterns"], params["state"]
    d, N = len(x), len(patterns)
    W = [[sum(xi[i] * xi[j] for xi in patterns) for j in range(d)] for i in range(d)]
    if params["diagonal"] == "zero":
        for i in range(d):
            W[i][i] -= N
    h = [sum(W[i][j] * x[j] for j in range(d)) for i in range(d)]
    return h, [i for i in range(d) if h[i] * x[i] < 0]


def moving(d: int, N: int) -> dict[str, Any]:
    """The first such net, with the diagonal kept, that moves: where no bit flips both sides are zero and nothing is seen."""
    start = 7 * d + N
    while not fields({**drawn(d, N, start), "diagonal": "kept"})[1]:
        start += 1
    return {**drawn(d, N, start), "diagonal": "kept"}


def identity(params: Mapping[str, Any]) -> dict[str, Any]:
    """A: the fields of the bits that flip; B: the squared overlaps of the patterns with the change."""
    h, flips = fields(params)
    change = {i: -2 * params["state"][i] for i in flips}
    B = sum(sum(xi[i] * c for i, c in change.items()) ** 2 for xi in params["patterns"])
    return {"A": sum(abs(h[i]) for i in flips), "B": B}


def one_bit(params: Mapping[str, Any]) -> dict[str, Any]:
    """|(W x)_i| of the bit, 0 if it does not flip."""
    h, flips = fields(params)
    return {"h": abs(h[params["bit"]]) if params["bit"] in flips else 0}


def counted(params: Mapping[str, Any]) -> dict[str, Any]:
    """N, the number of bits that flip, and their fields."""
    h, flips = fields(params)
    return {"N": len(params["patterns"]), "F": len(flips), "A": sum(abs(h[i]) for i in flips)}


SIZES = {
    "quick": [(6, 3), (8, 8), (12, 2), (16, 5), (32, 12)],
    "standard": [(d, N) for d in (6, 12, 32, 64) for N in (2, 5, 20, 60)],
}
KEPT: Grid = {preset: [moving(d, N) for d, N in sizes] for preset, sizes in SIZES.items()}
# Bits that flip: any bit will do, and the first that does is taken.
ONE: Grid = {
    preset: [
        {**cell, "diagonal": "zero", "bit": fields({**cell, "diagonal": "zero"})[1][0]}
        for cell in cells
        if fields({**cell, "diagonal": "zero"})[1]
    ]
    for preset, cells in KEPT.items()
}
WORST: Grid = {
    "quick": [{"d": d, "N": N, "diagonal": "kept"} for d, N in ((6, 3), (8, 8), (9, 20))],
    "standard": [{"d": d, "N": N, "diagonal": "kept"} for d in (4, 6, 8, 10) for N in (2, 4, 8, 16, 32)],
}
# The example of the erratum: three patterns of four bits.
EXAMPLE = {
    "patterns": [[-1, 1, -1, -1], [1, 1, 1, -1], [1, -1, -1, -1]],
    "state": [-1, -1, -1, -1],
    "diagonal": "zero",
}
RISING: Grid = {"quick": [EXAMPLE], "standard": [EXAMPLE]}
for grid in (KEPT, ONE, WORST, RISING):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="hopfield-energy",
    simulation="The step and the energies are computed for given patterns and state; the source's descent for random nets from "
    "every one of their 2^d states, of which the worst is taken.",
    parts=(
        part(
            "source",
            kind="order",
            law=laws["hopfield-energy:source"],
            experiment=largest_rise_experiment,
            statement="With the diagonal kept the energy rises from no state of a net, all bits moved at once.",
            grid=WORST,
            replicas={"quick": 32, "standard": 64, "paper": 64},
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["hopfield-energy"],
            experiment=energy_change_experiment,
            statement="The change of the energy is -4 A - B exactly, with the diagonal kept.",
            grid=KEPT,
            replicas=dict.fromkeys(("quick", "standard", "paper"), 2),
            to_law=identity,
            margin=0.02,
        ),
        part(
            "asynchronous",
            kind="identity",
            law=laws["hopfield-energy:asynchronous"],
            experiment=energy_change_experiment,
            statement="One bit at a time with a zero diagonal the energy falls by 4 |(W x)_i|.",
            grid=ONE,
            replicas=dict.fromkeys(("quick", "standard", "paper"), 2),
            to_law=one_bit,
            margin=0.02,
        ),
        part(
            "zero-diagonal",
            kind="order",
            law=laws["hopfield-energy:zero-diagonal"],
            experiment=energy_change_experiment,
            statement="With a zero diagonal and all bits moved at once the energy never rises.",
            grid=RISING,
            replicas=dict.fromkeys(("quick", "standard", "paper"), 32),  # all equal: nothing is random
            to_law=counted,
            erratum=laws["hopfield-energy:zero-diagonal"].errata[0],
        ),
    ),
)
