"""Laws that are one number: an order ("the ratio is at most 1"), an identity ("the deviation is 0"), a published share.

Nothing in them can be computed another way: the number is the statement, retyped from the ledger's words. What the
statement says of the world is for the claim's simulation.
"""

from mpmath import mpf

from second_routes.tools import Route

# id: (the number, a point of the law's domain, the words)
ONE, NONE = "a ratio compared with 1", "a difference, a deviation or an error compared with 0"
CONSTANTS = {
    "hopfield-energy:source": ("0", {"d": 9, "N": 3}, NONE),
    "hopfield-energy:zero-diagonal": ("0", {"N": 3, "F": 2, "A": 5}, NONE),
    "learned-inputs": ("0", {"d": 9, "M": 4, "N": 3}, NONE),
    "lookup-mlp:noise-source": ("1", {"d": 32, "N": 8, "b": 0.5, "s": 1}, ONE),
    "lookup-mlp:noise-corrected": ("1", {"d": 32, "N": 64, "b": 0.5, "s": 1}, ONE),
    "fill-is-best:source": ("1", {"alpha": 1, "N": 20, "M": 2, "d": 100, "rho": 0.5}, ONE),
    "fill-is-best:below": ("1", {"alpha": 2, "N": 100, "M": 2, "d": 5, "rho": 0.5}, ONE),
    "over-optimisation:sgd": ("1", {"d": 10, "N": 100}, ONE),
    "over-optimisation:source": ("1", {"d": 10, "N": 100}, ONE),
    "batch-size": ("1", {"d": 10, "B": 16, "lr": 0.1}, ONE),
    "adam": ("1", {"d": 10, "B": 256, "lr": 0.1}, ONE),
    "layer-norm": ("1", {"d": 10, "B": 256, "lr": 0.1}, ONE),
    "oscillation:source": ("1", {"a": 0.5, "p": 0.75}, ONE),
    "oscillation:balanced": ("1", {"a": 0.9, "p": 0.55}, ONE),
    "induction-head": ("0", {"N": 20, "T": 30, "d": 40}, NONE),
    "induction-head:two-layers": ("0.99", {"N": 20, "T": 30, "d": 40}, "published: about 99 %"),
    "induction-head:one-layer": ("0.55", {"N": 20, "T": 30, "d": 40}, "published: about 55 %"),
    "induction-probes": ("1", {"N": 20, "T": 30, "d": 40}, ONE),
    "induction-weights:solves": ("0.9", {"d": 256}, "the share that counts as solved"),
    "three-gradient-steps:source": ("1", {"N": 20, "T": 9}, "the share of all memories"),
    "global-before-context:feed-forward-source": ("1", {"N": 20}, "O(1)"),
}
ROUTES = {id: Route(lambda value=value, **_: mpf(value), point) for id, (value, point, _) in CONSTANTS.items()}
