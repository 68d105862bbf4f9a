"""hopfield-energy: the dynamics x' = sign(W x) goes downhill on -x^T W x."""

from typing import Any

from asymp.montecarlo.samplers.capacity.hopfield_energy import energy_change_experiment, largest_rise_experiment
from asymp.reports.declaring import Claim, Grid, Identity, Order, Setting, laws, rows


def drawn(d: int, N: int, start: int) -> dict[str, Any]:
    """Patterns and a state from the bits of a linear congruential sequence: given in full, so that both sides have them."""
    bits, x = [], start
    for _ in range((N + 1) * d):
        x = (1103515245 * x + 12345) % 2**31
        bits.append(1 if x & 2**16 else -1)
    rows = [bits[i * d : (i + 1) * d] for i in range(N + 1)]
    return {"patterns": rows[:N], "state": rows[N]}


def fields(params: Setting) -> tuple[list[int], list[int]]:
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


def identity(params: Setting) -> Setting:
    """A: the fields of the bits that flip; B: the squared overlaps of the patterns with the change."""
    h, flips = fields(params)
    change = {i: -2 * params["state"][i] for i in flips}
    B = sum(sum(xi[i] * c for i, c in change.items()) ** 2 for xi in params["patterns"])
    return {"A": sum(abs(h[i]) for i in flips), "B": B}


def one_bit(params: Setting) -> Setting:
    """|(W x)_i| of the bit, 0 if it does not flip."""
    h, flips = fields(params)
    return {"h": abs(h[params["bit"]]) if params["bit"] in flips else 0}


def counted(params: Setting) -> Setting:
    """N, the number of bits that flip, and their fields."""
    h, flips = fields(params)
    return {"N": len(params["patterns"]), "F": len(flips), "A": sum(abs(h[i]) for i in flips)}


def moved_bit(cell: Setting) -> list[dict[str, Any]]:
    """The same net with a zero diagonal and one bit that flips: any will do, and the first is taken; none if none does."""
    zero = {**cell, "diagonal": "zero"}
    return [{**zero, "bit": bit} for bit in fields(zero)[1][:1]]


NETS = [moving(d, N) for d, N in ((6, 3), (8, 8), (12, 2), (16, 5), (32, 12))]
# The example of the erratum: three patterns of four bits.
EXAMPLE = {"patterns": [[-1, 1, -1, -1], [1, 1, 1, -1], [1, -1, -1, -1]], "state": [-1, -1, -1, -1], "diagonal": "zero"}

CLAIM = Claim(
    id="hopfield-energy",
    title="A Hopfield net goes downhill",
    source="bietti2025",
    order=9,
    parts=(
        Order(
            "source",
            "With the diagonal of W kept and all bits moved at once, the energy of a Hopfield net never rises, in at least 95 % "
            "of nets.",
            below=laws["hopfield-energy:source"],
            experiment=largest_rise_experiment,
            grid=Grid(rows("d N", (6, 3), (8, 8), (9, 20), diagonal="kept")),
            at_least=0.95,  # an inequality that holds in every net
        ),
        Identity(
            "sharp",
            "With the diagonal kept, the change of the energy in a step is -4 A - B exactly, with A and B as in the formula.",
            law=laws["hopfield-energy"],
            experiment=energy_change_experiment,
            grid=Grid(NETS),
            to_law=identity,
        ),
        Identity(
            "asynchronous",
            "One bit at a time with a zero diagonal the energy falls by 4 |(W x)_i|.",
            law=laws["hopfield-energy:asynchronous"],
            experiment=energy_change_experiment,
            grid=Grid([cell for net in NETS for cell in moved_bit(net)]),
            to_law=one_bit,
        ),
        Order(
            "zero-diagonal",
            "With the diagonal set to zero and all bits moved at once, the energy never rises.",
            below=laws["hopfield-energy:zero-diagonal"],
            experiment=energy_change_experiment,
            grid=Grid([EXAMPLE]),
            at_least=0.95,  # nothing is random: all runs are equal
            to_law=counted,
            erratum=laws["hopfield-energy:zero-diagonal"].errata[0],
        ),
    ),
)
