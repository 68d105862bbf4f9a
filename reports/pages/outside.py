"""What the sources say that no claim of the ledger takes up, and why."""

from dataclasses import dataclass

__all__ = ["OUTSIDE", "Outside"]


@dataclass(frozen=True)
class Outside:
    """A statement without a claim: its source, what it says in our words, and why it is not measured."""

    source: str
    statement: str
    why: str


OUTSIDE = (
    Outside(
        "cabannes2024",
        "The figures after the fifth, eleven of sixteen, beyond those whose settings the ledger knows (published grids of trained "
        "memories, pictures of memory matrices).",
        "Their exact settings are not in what the ledger was made from, and a figure cannot be repeated by guessing them.",
    ),
    Outside(
        "cabannes2024",
        "The proofs of its theorems, and that the stated rates hold for all data laws and constants at once.",
        "A simulation tries points; it can contradict a theorem, never prove one. The statements themselves are measured.",
    ),
    Outside(
        "bietti2025, bietti2024",
        "Large pre-trained language models do the same: the completions of 'Madrid is located in' by Pythia-1B, circuits and "
        "factual recall found in GPT-2 and its like.",
        "These are observations of particular trained models. No weights and no text are downloaded here.",
    ),
    Outside(
        "bietti2024",
        "Truncating the feed-forward weights of a language model improves its reasoning (Chen, Bruna, Bietti).",
        "The same: it needs a pre-trained model. The toy setting behind it is `global-before-context`.",
    ),
    Outside(
        "bietti2025, bietti2024",
        "Lower bounds on what one layer of attention can represent (Sanford, Hsu, Telgarsky).",
        "That no weights exist cannot be shown by trying weights. That training finds none is measured (`induction-head`).",
    ),
    Outside(
        "bietti2025, bietti2024",
        "The capacities match information-theoretic lower bounds: no other construction holds more, up to logarithms.",
        "A statement about all constructions. Bits held by those at hand are measured (`bits-per-parameter`, `best-linear`).",
    ),
    Outside(
        "bietti2024",
        "Few large gradient steps find the relevant directions of a multi-index model, y = g(W x) + noise.",
        "Feature learning from continuous inputs is another model than an associative memory of discrete tokens.",
    ),
    Outside(
        "bietti2025",
        "Reasoning over several hops is learnt by gradient steps with a curriculum (Wang et al.).",
        "Measured by hand, and trained at two hops with and without a curriculum (`k-hop`): more take more than a claim may cost.",
    ),
)
