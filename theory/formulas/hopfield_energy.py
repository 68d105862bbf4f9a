"""hopfield-energy: the dynamics x' = sign(W x) goes downhill on -x^T W x."""

from typing import Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

__all__ = ["LAWS"]

CONVENTIONS = (
    "W = sum over N patterns of xi xi^T, xi in {-1, 1}^d, its diagonal kept; E(x) = -x^T W x; all bits move at once, "
    "x' = sign(W x), and a bit with (W x)_i = 0 stays. The quantity is E(x') - E(x)."
)
ZERO = (
    "W = sum over N patterns of xi xi^T with its diagonal set to zero, as in Hopfield (1982); E(x) = -x^T W x; all bits "
    "move at once. The quantity is E(x') - E(x)."
)
MEANINGS = {
    "A": "sum of |(W x)_i| over the bits that flip",
    "B": "sum over the patterns of (xi . (x' - x))^2",
    "F": "number of bits that flip",
    "N": "number of patterns",
    "d": "number of bits",
}
FLIPS: dict[str, Any] = {
    "relation": "<=",
    "domain": {"N": integer(0), "F": integer(0), "A": real(0)},
    "typical": {"N": (2, 64), "F": (1, 64), "A": (1, 1024)},
    "meanings": {name: MEANINGS[name] for name in ("N", "F", "A")},
    "quantity": "Delta_E",
    "conventions": ZERO,
}

LAWS = (
    law(
        "hopfield-energy",
        "-4*A - B",
        relation="=",
        domain={"A": real(0), "B": real(0)},
        typical={"A": (1, 1024), "B": (4, 4096)},
        meanings={name: MEANINGS[name] for name in ("A", "B")},
        quantity="Delta_E",
        title="Change of the energy in one synchronous step, exact",
        source=Source("asymp", "-(x' - x)^T W (x' - x) - 2 (x' - x)^T W x, W positive semi-definite"),
        conventions=CONVENTIONS,
        notes=("Never positive, and zero only when no bit flips or all flipped fields and overlaps vanish.",),
    ),
    law(
        "hopfield-energy:source",
        "0",
        relation="<=",
        domain={"d": integer(1), "N": integer(1)},
        typical={"d": (8, 512), "N": (1, 128)},
        meanings={name: MEANINGS[name] for name in ("d", "N")},
        quantity="Delta_E",
        title="The energy never rises, as the source states it",
        source=Source("bietti2025", "slide on Hopfield nets: 'iterates descend on a quadratic energy landscape'"),
        conventions=CONVENTIONS,
        notes=("Holds as the source writes W, with the diagonal kept: W is then positive semi-definite.",),
    ),
    law(
        "hopfield-energy:asynchronous",
        "-4*h",
        relation="=",
        domain={"h": real(0)},
        typical={"h": (1, 1024)},
        meanings={"h": "|(W x)_i| of the one bit that flips"},
        quantity="Delta_E",
        title="Change of the energy when one bit flips, diagonal zero, exact",
        source=Source("hopfield1982", "one bit at a time"),
        conventions="W symmetric with zero diagonal, E(x) = -x^T W x; one bit moves to sign((W x)_i).",
    ),
    law(
        "hopfield-energy:zero-diagonal",
        "0",
        title="The energy never rises, read for a zero diagonal",
        source=Source("bietti2025", "slide on Hopfield nets, read with the zero diagonal of Hopfield (1982)"),
        errata=(
            Erratum(
                regime="The diagonal of W set to zero and all bits moved at once.",
                discrepancy="The energy can rise, by as much as 4 N for each bit that flips: patterns (-1, 1, -1, -1), "
                "(1, 1, 1, -1), (1, -1, -1, -1) and x = (-1, -1, -1, -1) go to x' = (1, 1, -1, 1), from E = 0 up to "
                "E = 12. With the diagonal kept, or one bit at a time, it never rises.",
                corrected_by="hopfield-energy:zero-diagonal-corrected",
            ),
        ),
        **FLIPS,
    ),
    law(
        "hopfield-energy:zero-diagonal-corrected",
        "4*N*F - 4*A",
        title="Change of the energy in one synchronous step with a zero diagonal",
        source=Source("asymp", "-(x' - x)^T W (x' - x) - 2 (x' - x)^T W x, W at least -N"),
        notes=(
            "Exactly 4 N F - 4 A - B, B the sum over the patterns of (xi . (x' - x))^2. A symmetric W without a diagonal "
            "ends in a cycle of at most two states.",
        ),
        **FLIPS,
    ),
)
