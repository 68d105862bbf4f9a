"""Laws that are one number: an order ("the ratio is at most 1"), an identity ("the deviation is 0"), a published share.

Nothing in them can be computed another way: the number is the statement, retyped from the ledger's words. What the
statement says of the world is for the claim's simulation.
"""

from mpmath import mpf

from second_routes.tools import Route

__all__ = ["CONSTANTS", "ROUTES"]

# id: (the number, a point of the law's domain, the words)
ONE, NONE = "a ratio compared with 1", "a difference, a deviation or an error compared with 0"
CONSTANTS = {
    "best-linear:trained-recall": ("0.99", {"d": 64}, "published: 99 % of the items"),
    "hopfield-energy:source": ("0", {"d": 9, "N": 3}, NONE),
    "hopfield-energy:zero-diagonal": ("0", {"N": 3, "F": 2, "A": 5}, NONE),
    "attention-retrieval:source": ("0", {"d": 9, "N": 3, "beta": 2}, NONE),
    "low-rank-capacity:trained": ("1", {"d": 32, "m": 8, "N": 32}, ONE),
    "attention-retrieval:linear": ("1", {"d": 32, "N": 32, "s": 1}, ONE),
    "learned-inputs": ("0", {"d": 9, "M": 4, "N": 3}, NONE),
    "lookup-mlp:noise-source": ("1", {"d": 32, "N": 8, "b": 0.5, "s": 1}, ONE),
    "lookup-mlp:noise-corrected": ("1", {"d": 32, "N": 64, "b": 0.5, "s": 1}, ONE),
    "lookup-mlp:learning": ("1", {"d": 32, "N": 64, "b": 0.5}, ONE),
    "fill-is-best:source": ("1", {"alpha": 1, "N": 20, "M": 2, "d": 100, "rho": 0.5}, ONE),
    "fill-is-best:below": ("1", {"alpha": 2, "N": 100, "M": 2, "d": 5, "rho": 0.5}, ONE),
    "error-map:small-dimension": ("1", {"d": 5, "T": 2000}, ONE),
    "error-map:large-dimension": ("1", {"d": 200, "T": 2000}, ONE),
    "gradient-as-memory:deviation": ("0", {"d": 9}, NONE),
    "gradient-noisy-inputs:deviation": ("0", {"d": 9}, NONE),
    "backward-vector": ("0", {"d": 9}, NONE),
    "one-step-population:zero": ("0", {"p": 0.25}, NONE),
    "sgd-approximation:long": ("1", {"d": 10, "N": 20, "gamma": 1, "T": 2000}, ONE),
    "sgd-approximation:source": ("1", {"d": 100, "N": 20, "gamma": 1, "T": 100}, ONE),
    "step-size:source": ("1", {"gamma": 2, "M": 3, "n": 4}, ONE),
    "step-size:large": ("1", {"d": 1000, "N": 10}, ONE),
    "step-size:late": ("1", {"d": 10, "N": 100}, ONE),
    "over-optimisation:sgd": ("1", {"d": 10, "N": 100}, ONE),
    "over-optimisation:source": ("1", {"d": 10, "N": 100}, ONE),
    "batch-size": ("1", {"d": 10, "B": 16, "lr": 0.1}, ONE),
    "adam": ("1", {"d": 10, "B": 256, "lr": 0.1}, ONE),
    "layer-norm": ("1", {"d": 10, "B": 256, "lr": 0.1}, ONE),
    "margin-growth:slope": ("1", {"t": 1000}, "the slope of log t in log t"),
    "oscillation:source": ("1", {"a": 0.5, "p": 0.75}, ONE),
    "oscillation:balanced": ("1", {"a": 0.9, "p": 0.55}, ONE),
    "oscillation:loss-rise": ("0", {"a": 0.5, "p": 0.75}, NONE),
    "memory-matrix:agreement": ("1", {"M": 5}, "the share of all rows"),
    "induction-head": ("0", {"N": 20, "T": 30, "d": 40}, NONE),
    "induction-head:two-layers": ("0.99", {"N": 20, "T": 30, "d": 40}, "published: about 99 %"),
    "induction-head:one-layer": ("0.55", {"N": 20, "T": 30, "d": 40}, "published: about 55 %"),
    "induction-probes": ("1", {"N": 20, "T": 30, "d": 40}, ONE),
    "induction-weights:solves": ("0.9", {"d": 256}, "the share that counts as solved"),
    "three-gradient-steps:source": ("1", {"N": 20, "T": 9}, "the share of all memories"),
    "global-before-context:order": ("0", {"N": 20, "T": 9, "a": 0.25}, NONE),
    "global-before-context:feed-forward-source": ("1", {"N": 20}, "O(1)"),
    "attention-learnability:balanced": ("1", {"d": 11, "N": 50, "T": 9, "n": 700}, ONE),
    "attention-learnability:more-samples": ("0", {"d": 11, "N": 50, "T": 9}, NONE),
    "factual-recall-attention:dimension-not-heads": ("0", {"S": 16, "R": 5, "D": 7}, NONE),
    "factual-recall-attention:relations-take-heads": ("0", {"D": 7, "d": 11, "d_h": 4}, NONE),
    "factual-recall-mlp:heads-not-width": ("0", {"S": 16, "R": 5, "d": 11}, NONE),
    "factual-recall-mlp:noise-order": ("0", {"d": 11, "m": 7}, NONE),
    "factual-recall-mlp:growth-order": ("0", {"D": 7, "T": 9}, NONE),
    "induction-head:one-layer-short": ("0.9", {"N": 20, "T": 30, "d": 40}, "nine in ten"),
    "induction-probes:joint": ("0", {"N": 20, "T": 30, "d": 40}, NONE),
    "induction-weights:width": ("0", {"d": 256}, NONE),
    "three-gradient-steps:simplified": ("0", {"N": 20, "T": 9}, NONE),
    "three-gradient-steps:width": ("0", {"N": 20, "T": 9}, NONE),
    "global-before-context:trained-onset": ("1", {"N": 20, "T": 9, "a": 0.25}, ONE),
    "global-before-context:truncation": ("0", {"N": 20, "T": 9, "a": 0.25}, NONE),
    "k-hop:learned": ("0.9", {"K": 4, "N": 8}, "nine in ten"),
    "k-hop:layers": ("0", {"K": 4, "N": 8}, NONE),
    "in-context-denoising:excess": ("1", {"sigma": 0.5}, ONE),
    "hallucination-phase:conserved": ("0", {"S": 16, "R": 5, "D": 7}, NONE),
}
ROUTES = {id: Route(lambda value=value, **_: mpf(value), point) for id, (value, point, _) in CONSTANTS.items()}
