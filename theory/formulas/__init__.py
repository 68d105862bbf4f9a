"""The laws, one file for each claim of the ledger: the source's own statement and beside it the sharp form.

A file's name is the claim's id with underscores; it holds a tuple LAWS.
"""

from pathlib import Path

__all__ = ["MODULES", "ORDER"]

# The ids of the ledger, section by section.
ORDER = {
    1: (
        "score-mean",
        "score-variance",
        "score-covariance",
        "interference",
        "near-orthogonality",
        "weighted-associations",
        "remapping",
        "maximal-update",
    ),
    2: (
        "injective-capacity",
        "best-linear",
        "listwise",
        "binary-capacity",
        "low-rank-capacity",
        "mlp-capacity",
        "multi-input-capacity",
        "bits-per-parameter",
        "hopfield-energy",
        "hopfield-capacity",
        "dense-capacity",
        "attention-retrieval",
        "quasi-orthogonality",
        "learned-inputs",
        "lookup-mlp",
    ),
    3: (
        "missing-mass",
        "finite-memory-upper",
        "finite-memory-lower",
        "exact-recall-error",
        "power-scheme",
        "threshold-scheme",
        "optimal-scheme",
        "minimax",
        "at-most-d",
        "joint-law",
        "fill-scheme",
        "seen-s-times",
        "fill-is-best",
        "error-map",
    ),
    4: (
        "gradient-as-memory",
        "gradient-noisy-inputs",
        "backward-vector",
        "one-step-memory",
        "one-step-filter",
        "one-step-population",
        "sgd-map",
        "sgd-map-as-power",
        "sgd-approximation",
        "step-size",
        "over-optimisation",
        "batch-size",
        "adam",
        "layer-norm",
        "training-grid",
        "margin-growth",
        "oscillation",
        "memory-matrix",
    ),
    5: (
        "induction-head",
        "induction-probes",
        "induction-weights",
        "three-gradient-steps",
        "global-before-context",
        "attention-learnability",
        "factual-recall-attention",
        "factual-recall-mlp",
        "hallucination-phase",
        "k-hop",
        "in-context-denoising",
    ),
}

HERE = Path(__file__).parent
MODULES = tuple(
    name for ids in ORDER.values() for name in (id.replace("-", "_") for id in ids) if (HERE / f"{name}.py").is_file()
)
