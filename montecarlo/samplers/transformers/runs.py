"""Models that a person trains: an induction head on bigrams (a text of one's own, too), and factual recall.

Several models are trained as one (`replicas`), each with draws of its own. With `checkpoint` a run that was interrupted
goes on from the last report; the numbers are those of a run that was not.
"""

from typing import Any

from torch import Tensor
from torch.nn import functional

from asymp.models.tasks.bigrams import BigramLaw, BigramTask, shakespeare_bigrams, text_bigrams, uniform_bigrams
from asymp.models.tasks.facts import FactTask
from asymp.models.transformer import Transformer
from asymp.montecarlo.arguments import takes
from asymp.montecarlo.checks import check_choice, check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers.facts_trained import fact_accuracy, fact_logits, fact_model, fact_names
from asymp.montecarlo.samplers.transformers.induction import bigram_batch, in_context_accuracy, induction_model
from asymp.montecarlo.samplers.transformers.session import Session, TrainingResult, Watched
from asymp.montecarlo.samplers.transformers.training import Optimiser, masked_loss


@takes(Watched)
def train_induction(
    *,
    text: str = "uniform",
    N: int = 16,
    T: int = 16,
    K: int = 4,
    model: str = "basic",
    layers: int = 2,
    d: int = 64,
    batch: int = 64,
    optimiser: str = "adam",
    lr: float = 5e-3,
    steps: int = 400,
    every: int = 50,
    **settings: Any,
) -> TrainingResult:
    """Train a transformer on the bigram task; accuracy is that of 256 fresh sequences, in context.

    Args:
        text: Where bigrams come from: "uniform" (N tokens), "shakespeare", or the path of a text file.
        N: The number of tokens, for uniform bigrams.
        T: The length of a sequence.
        K: The number of triggers.
        model: "basic" (frozen random embeddings, one head, trained key-query matrices and last values, loss in context)
            or "full" (all learned, 4 heads, layer norm, MLP, loss everywhere).
        layers: The number of layers.
        d: The dimension of the residual stream.
        batch: Sequences a step.
        optimiser: "adam" or "sgd".
        lr: The step size.
    """
    check_choice("model", model, ("basic", "full"))
    layers, d, batch = (check_whole(n, v) for n, v in (("layers", layers), ("d", d), ("batch", batch)))
    if model == "full" and d % 4:
        raise ValueError(f"d must be a multiple of 4 for the 4 heads of the full model; got {d}")
    watched = Watched(steps=steps, every=every, **settings)
    draw, law = watched.draw("train-induction"), _bigrams(text, N)
    task = BigramTask(law, length=check_whole("T", T, low=2), triggers=check_whole("K", K))
    made, names = induction_model(draw, task, model=model, d=d, layers=layers)

    def loss(trained: Transformer, draw: Draw) -> Tensor:
        drawn = bigram_batch(draw, task, batch=batch, everywhere=model == "full")
        return masked_loss(trained(drawn[0]), *drawn[1:])

    def accuracy(trained: Transformer, draw: Draw) -> Tensor:
        return in_context_accuracy(draw, trained, task, sequences=256).float()

    said: dict[str, object] = {
        "task": "induction", "text": text, "N": law.N, "T": T, "K": K, "model": model, "layers": layers, "d": d, "batch": batch,
        "following": law.following, "optimiser": optimiser, "lr": lr, "replicas": draw.replicas, "seed": watched.seed,
    }  # fmt: skip
    return Session(made, names, loss, accuracy, Optimiser(optimiser, float(lr)), draw, said, watched).run()


@takes(Watched)
def train_facts(
    *,
    S: int = 16,
    R: int = 16,
    D: int = 4,
    T: int = 16,
    noise: int | None = None,
    d: int = 16,
    H: int = 8,
    d_h: int = 4,
    m: int = 64,
    batch: int = 256,
    lr: float = 1e-2,
    steps: int = 1000,
    every: int = 100,
    **settings: Any,
) -> TrainingResult:
    """Train one attention layer and an MLP on S R facts, by token tables; accuracy is that of 1024 fresh sequences.

    Args:
        S: The number of subjects.
        R: The number of relations.
        D: How many answers a relation has.
        T: The length of a sequence.
        noise: The number of noise tokens; None is S + R.
        d: The dimension of the embeddings.
        H: The number of heads.
        d_h: The size of a head.
        m: The width of the MLP; 0 is none.
        batch: Sequences a step.
        lr: The step size of Adam.
    """
    batch = check_whole("batch", batch)
    watched = Watched(steps=steps, every=every, **settings)
    draw, task = watched.draw("train-facts"), FactTask(S, R, D, T, noise)
    made = fact_model(draw, task, d=d, H=H, d_h=d_h, m=m)
    facts = task.facts(replicas=draw.replicas, generator=draw.generator, device=draw.device)

    def loss(trained: Transformer, draw: Draw) -> Tensor:
        found, answers = fact_logits(draw, trained, task, facts, batch)
        losses = functional.cross_entropy(found.flatten(0, 1), answers.flatten(), reduction="none")
        return losses.view(draw.replicas, -1).mean(1)

    def accuracy(trained: Transformer, draw: Draw) -> Tensor:
        return fact_accuracy(draw, trained, task, facts)

    said: dict[str, object] = {
        "task": "facts", "S": S, "R": R, "D": D, "T": T, "noise": noise, "d": d, "H": H, "d_h": d_h, "m": m, "batch": batch,
        "lr": lr, "replicas": draw.replicas, "seed": watched.seed,
    }  # fmt: skip
    return Session(made, fact_names(made), loss, accuracy, Optimiser("adam", float(lr)), draw, said, watched).run()


def _bigrams(text: str, N: int) -> BigramLaw:
    if text == "uniform":
        return uniform_bigrams(N)
    return shakespeare_bigrams() if text == "shakespeare" else text_bigrams(text)
