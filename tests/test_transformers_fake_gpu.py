"""Transformers, their tasks and their training on a fake GPU: mixed devices and hidden copies to the host are errors there."""

import pytest
import torch
from fake_gpu import Views
from torch._subclasses.fake_tensor import FakeTensorMode

from asymp.models.tasks.bigrams import BigramTask, uniform_bigrams
from asymp.models.tasks.facts import FactTask, token_counts
from asymp.models.tasks.planted import PlantedTask
from asymp.models.transformer import Shape, Transformer
from asymp.models.transformer.tables import table_logits
from asymp.montecarlo.transformers.facts_trained import fact_model
from asymp.montecarlo.transformers.hops_trained import hop_sequences
from asymp.montecarlo.transformers.training import masked_loss

GPU = torch.device("cuda", 0)


def how():
    return {"generator": torch.Generator(), "device": GPU}


@pytest.mark.parametrize("options", [{}, {"choice": "random"}, {"noise": 0.3, "noise_token": 1}])
def test_bigrams_are_drawn_there(options):
    task = BigramTask(uniform_bigrams(6), length=5, triggers=2, **options)
    with FakeTensorMode(allow_non_fake_inputs=True), Views():
        drawn = task.draw(replicas=2, batch=3, **how())
        assert drawn.tokens.shape == (2, 3, 5) and drawn.tokens.device == drawn.in_context.device == GPU


def test_facts_planted_tokens_and_hops_are_drawn_there():
    with FakeTensorMode(), Views(), torch.no_grad():
        task = FactTask(4, 3, 2, 5)
        drawn = task.draw(task.facts(replicas=2, **how()), batch=6, **how())
        model = fact_model(task, d=4, H=2, d_h=3, m=5, replicas=2, **how())
        logits = table_logits(model, token_counts(drawn.tokens, task.vocabulary))
        assert logits.shape == (2, 6, 6) and logits.device == GPU
        marked = PlantedTask(5, 4, balanced=True).draw(batch=7, **how()).marked(5)
        assert marked.shape == (7, 4) and marked.device == GPU
        tokens, answers = hop_sequences(4, 2, replicas=2, batch=3, **how())
        assert tokens.device == answers.device == GPU


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"heads": 2, "head_dim": 2, "mlp": 8, "norm": True},
        {"attention": "linear", "positions": False},
        {"layers": 1, "queries": "vector", "residual": False, "causal": False, "positions": False},
    ],
)
def test_a_forward_pass_is_made_there(options):
    # Without gradients: in a torch built without CUDA the graph of a fake GPU's parameters ends the process.
    with FakeTensorMode(), Views(), torch.no_grad():
        model = Transformer(Shape(vocabulary=6, length=5, d=4, **options), replicas=2, **how())
        tokens = torch.zeros(2, 3, 5, dtype=torch.long, device=GPU)
        logits = model(tokens)
        targets = tokens[..., : logits.shape[2]]
        loss = masked_loss(logits, targets, torch.ones_like(targets, dtype=torch.bool))
        assert loss.shape == (2,) and loss.device == GPU
        assert model.read(tokens).logits.device == GPU
