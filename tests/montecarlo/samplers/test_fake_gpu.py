"""Every experiment on a fake GPU, where tensors of mixed devices, and copies to the host on the way, are errors."""

import math
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from support.fake_gpu import GPU, Views, run
from torch._subclasses.fake_tensor import FakeTensorMode

from asymp.models.tasks.bigrams import BigramTask, uniform_bigrams
from asymp.models.tasks.facts import FactTask, token_counts
from asymp.models.tasks.planted import PlantedTask
from asymp.models.transformer import Shape, Transformer
from asymp.models.transformer.tables import table_logits
from asymp.montecarlo import experiments
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.growing_memory import Curve
from asymp.montecarlo.samplers.memory_training.memory import run_group
from asymp.montecarlo.samplers.memory_training.problem import TrainProblem
from asymp.montecarlo.samplers.transformers.facts_trained import fact_model
from asymp.montecarlo.samplers.transformers.k_hop import hop_sequences
from asymp.montecarlo.samplers.transformers.training import masked_loss

SMALL: dict[str, Any] = {"alpha": 2, "N": 30, "M": 4, "d": 6}
SCHEME: dict[str, Any] = {"alpha": 2, "M": 4, "d": 500}
MANY: dict[str, Any] = {"alpha": 2, "N": math.inf, "M": 4, "d": 60}
BOTH = {"inputs": "sphere", "outputs": "sphere"}
RECALLS = [
    {}, {"d": 1, "outputs": "sphere"}, {"M": 40}, {"T": 20, "P": 5, "rho": 0.5}, {"T": 10**4, "M": 40},
    {"weights": [1.0] * 29 + [0.0], "T": 50}, {"N": math.inf, "P": 7.5}, {"N": math.inf, "rho": 1},
    {"N": math.inf, "T": 100, "P": 9, "rho": 1},
]  # fmt: skip
SCORES = [
    {**SMALL, "inputs": kind, "outputs": kind, "route": route}
    for kind in ("gaussian", "sphere")
    for route in ("naive", "projected")
]

SETTINGS: dict[str, list[dict[str, Any]]] = {
    # scores
    "score": [{**case, "rho": 0.5} for case in SCORES],
    "score-variance": [{**case, "y": 3} for case in SCORES],
    "score-covariance": [{"N": 5, "M": 3, "d": 4, "y": 1, "y_prime": 0, **kinds} for kinds in ({}, BOTH)],
    "weighted-score": [{"N": 5, "M": 4, "d": 3, "k": 2}],
    "noisy-labels": [{"alpha": 2, "N": 5, "d": 3, "flip": 0.2}],
    "weighted-variance": [{"N": 5, "M": 4, "d": 3, "k": 2, "inputs": "sphere"}],
    "embedding-moment": [{"d": 4, "order": 2}, {"d": 4, "order": 2, "of": "norm", "embeddings": "sphere"}],
    "embedding-law": [{"d": 4, "t": 0.5}],
    "directions": [{"d": 4, "P": 3, "epsilon": 0.5}],
    "remapping-moment": [{"d": 4, "of": "norm"}],
    "remapping-law": [{"d": 4, "r": 1.0, "t": 0.5}],
    "update-norm": [{"N": 3, "d": 4}, {"N": 9, "d": 4, "decay": 1.0, "j": 2}],
    "update-entry": [{"N": 9, "d": 4}],
    "relative-update": [{"N": 3, "d": 4}],
    # capacity
    "injective-recall": [{"d": 4, "N": 9, "items": 3}],
    "injective-all": [{"d": 4, "N": 9}],
    "injective-item": [{"d": 4, "N": 9}, {"d": 4, "N": 9, "inputs": "sphere", "count": "lost"}],
    "best-linear-found": [{"d": 4, "N": 6, "steps": 3}],
    "listwise-found": [{"d": 4, "N": 6, "r": r, "steps": 3} for r in (0.5, 1.0)],
    "binary-recall": [{"d": 4, "N": 6}],
    "binary-gram": [{"d": 4, "N": 6}],
    "binary-labels": [{"d": 4, "N": 6, "steps": 3}],
    "trained-linear": [{"d": 4, "N": 6, "steps": 2}],
    "few-bits": [{"d": 4, "N": 6, "b": 1, "answers": "labels"}, {"d": 4, "N": 6, "b": 2, "answers": "pairs"}],
    "hebbian-bits": [{"d": 6, "millibits": 500}],
    "learned-error": [{"d": 4, "M": 6}],
    "learned-all": [{"d": 4, "M": 6}],
    "largest-product": [{"d": 4, "P": 6}],
    "low-rank-recall": [{"d": 8, "m": 3, "N": 9}],
    "low-rank-error": [{"d": 8, "m": 3, "N": 9}],
    "low-rank-capacity": [{"d": 16, "m": 12, "K": 4}],
    "trained-low-rank": [{"d": 5, "m": 3, "N": 9, "steps": 2}],
    "mlp-recall": [{"d": 8, "m": 3, "N": 9}],
    "mlp-error": [{"d": 8, "m": 3, "N": 9}],
    "mlp-capacity": [{"d": 16, "m": 24, "K": 4}],
    "trained-load": [{"d": 5, "m": 3, "load": 20, "steps": 2}],
    "facts-recall": [{"d": 8, "m": 3, "N": 8, "R": 4, "M": 5}],
    "facts-error": [{"d": 8, "m": 3, "N": 8, "R": 4, "M": 5}],
    "facts-capacity": [{"d": 16, "m": 24, "M": 16}],
    "trained-pairs": [{"d": 5, "m": 3, "N": 9, "M": 6, "steps": 2}],
    "bit-error": [{"d": 8, "N": 5}, {"d": 8, "N": 5, "kind": "dense", "k": 3}],
    "fixed-patterns": [{"d": 8, "N": 5, "items": "all"}],
    "bit-capacity": [{"d": 64}],
    "near-patterns": [{"d": 32, "N": 4, "steps": 2}],
    "largest-rise": [{"d": 4, "N": 3}],
    "energy-change": [{"patterns": [[1, -1], [1, 1]], "state": [1, 1], "bit": 0}],
    "attention-descent": [{"d": 5, "N": 4, "beta": 1.0}],
    "attention-leak": [{"d": 5, "N": 4, "beta": 1.0}],
    "attention-noise": [{"d": 5, "N": 4, "beta": 1.0, "s": 0.5}],
    "attention-linear": [{"d": 5, "N": 4, "s": 0.5}],
    "attention-capacity": [{"d": 5, "lam": 1.0, "most": 600}],
    "lookup-recall": [{"d": 5, "N": 9, "items": "all"}],
    "lookup-silence": [{"d": 5, "N": 9}],
    "lookup-silenced": [{"d": 5, "s": 1.0}],
    "lookup-noise": [{"d": 5, "N": 9, "s": 1.0}],
    "learned-stored": [{"d": 5, "M": 9}],
    "summed-recall": [{"d": 4, "m": 5, "N": 6, "R": 2, "M": 3}],
    "learning-steps": [{"d": 5, "N": 9, "most": 2}],
    # scaling
    "missing-mass": [
        {"alpha": alpha, "T": T, "N": N}
        for alpha, T, N in ((2, 100, math.inf), (1.1, 10**5, math.inf), (1, 100, 5000), (0, 9, 50))
    ],
    "recall-error": [{**SMALL, **case, "route": route} for case in RECALLS for route in ("naive", "factored", "d-free")]
    + [{**SMALL, **BOTH}],
    "large-recall-error": [SMALL],
    "scheme-error": [
        {**SCHEME, **case}
        for case in (
            {"rho": 1}, {"rho": 0.1, "k": 0.47, "growth": "linear"}, {"k": 0.125, "growth": "linear"}, {"weights": "best"},
            {"rho": 0.2, "N": 2000}, {"rho": 0.5, "P": 7, "outputs": "sphere"},
        )
    ],
    "injective-error": [{"alpha": 2, "N": 100, "d": 20, "c": 8}],
    "equal-weights-error": [
        SMALL, {**SMALL, "T": 20, "P": 5}, {**MANY, "k": 0.125}, {**MANY, "k": 0.125, "T": 50, "s": 2}, {**MANY, "T": 50},
    ],
    "equal-weights-error-large": [{**MANY, "T": 50}],
    "equal-weights-recall": [{"N": 20, "d": 6}],
    "matched-count-error": [{"alpha": 2, "T": 10**5, "d": 80, "M": 2, "k": 0.25}],
    "fill-ratio": [{**SMALL, "rho": 0.5, "T": 40, "memories": 3}],
    # transformers
    "parameter-count": [{"H": 1, "d_h": 2, "d": 2, "m": 3}],
    "noise-learned": [{"layer": layer, "m": 5, "N": 6, "T": 2, "a": 0.5} for layer in ("feed-forward", "attention")],
    "noise-gap": [{"m": 5, "N": 6, "T": 2, "a": 0.5, "draws": 3}],
    "attention-spread": [{"d": 4, "N": 5, "T": 3, "n": 6, "of": of, "balanced": of == "noise"} for of in ("signal", "noise")],
    "balanced-spread": [{"d": 4, "N": 5, "T": 3, "n": 6}],
    "more-samples": [{"d": 4, "N": 5, "T": 3, "few": 4, "many": 6}],
}  # fmt: skip
DIFFERENTIATE = {
    "attention-step", "backward-vector", "gradient-memory", "gradient-row", "margin-flow", "margin-slope", "margin-steps",
    "noisy-inputs", "one-step-accuracy", "one-step-score", "one-step-spread", "one-step-weight", "random-token-times",
    "retrieval-step", "sgd-weight", "sgd-weight-ratio", "fitted-power", "two-token-first-step", "two-token-loss-rise",
    "two-token-times", "facts-slope", "trained-facts", "trained-facts-gap", "induction-accuracy", "induction-attention",
    "induction-gap", "probe-order", "joint-gain", "noise-training", "trained-hops", "layer-gain", "trained-denoiser",
    "three-steps-entry", "three-steps-recovered", "three-steps-simplified", "three-steps-width", "plateau-loss", "final-loss",
    "learning-time",
    "conserved-drift",
}  # fmt: skip
"""Autograd asks a CUDA build for its streams and ends the process; models and tasks run below, without gradients."""
ELSEWHERE = {
    "works with numbers on the host": (
        "needed-samples", "best-temperature", "fewest-layers", "lookup-cost", "recalled-output", "stored-score",
        "induction-by-hand", "by-hand-gain", "attention-by-hand", "sgd-against-map",
    ),
    "indexes with tensors or with a step, which have no stand-in here": (
        "logit-variance", "learned-attention", "three-steps-accuracy", "planted-found", "argmax-agreement", "argmax-mass",
        "target-mass",
    ),
    "is another experiment that is here, with other settings": ("stopped-error", "stopping-ratio"),
    "is in MEMORIES": ("train-memory", "training-ratio", "training-runs"),
}  # fmt: skip


def test_every_experiment_has_a_place_here() -> None:
    placed = [*SETTINGS, *DIFFERENTIATE, *(id for ids in ELSEWHERE.values() for id in ids)]
    assert sorted(placed) == sorted(experiments)


@pytest.mark.parametrize(("id", "settings"), [(id, case) for id, cases in SETTINGS.items() for case in cases])
def test_experiment(id: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: SimpleNamespace(total_memory=2**34))
    monkeypatch.setattr(Curve, "settled", False)  # one bit that is copied to the host, to end early
    run(experiments[id].sample, replicas=2, **settings)


# -- memories that are trained -------------------------------------------------------------------------------------------

EVERYTHING = ("error", "loss", "margins", "q", "scores")
MEMORIES: list[dict[str, Any]] = [
    {}, {"batch": 4}, {"batch": 12}, {"population": True}, {"measure": EVERYTHING}, {"measure": EVERYTHING, "batch": 4},
    {"inputs": "sphere", "outputs": "sphere"}, {"N": 11}, {"d": 5}, {"inputs": "orthonormal"}, {"init": "zero"},
    {"optimiser": "sign", "batch": 4}, {"optimiser": "adam", "batch": 12, "layer_norm": True, "learn": "all"},
    {"optimiser": "sign", "batch": 4, "learn": "all"}, {"learn": "exponential", "layer_norm": True, "batch": 2},
    {"optimiser": "sign", "measure": ("q",)}, {"route": "weights", "outputs": "orthonormal", "measure": EVERYTHING},
]  # fmt: skip


def trained(**case: Any) -> dict[str, torch.Tensor]:
    settings = {"alpha": 2.0, "N": 12, "M": 4, "d": 13, "T": 24, "lr": 0.5, "record": "all", "measure": ("error",)}
    problem = TrainProblem(**{**settings, **case})
    with FakeTensorMode(), Views():
        return run_group(problem, [Draw(3, torch.Generator(), GPU) for _ in range(2)])


@pytest.mark.parametrize("case", MEMORIES)
def test_training_of_memories(case: dict[str, Any]) -> None:
    found = trained(**case)
    assert found["final"].shape == (6, case.get("N", 12), 4)
    assert all(value.device == GPU for value in found.values())
    assert set(found) == {"final", *case.get("measure", ("error",))}


# -- transformers and their tasks, without gradients -----------------------------------------------------------------------


def how() -> dict[str, Any]:
    return {"generator": torch.Generator(), "device": GPU}


@pytest.mark.parametrize("options", [{}, {"choice": "random"}, {"noise": 0.3, "noise_token": 1}])
def test_bigrams(options: dict[str, Any]) -> None:
    task = BigramTask(uniform_bigrams(6), length=5, triggers=2, **options)
    with FakeTensorMode(allow_non_fake_inputs=True), Views():
        drawn = task.draw(replicas=2, batch=3, **how())
        assert drawn.tokens.shape == (2, 3, 5) and drawn.tokens.device == drawn.in_context.device == GPU


def test_facts_planted_tokens_and_hops() -> None:
    with FakeTensorMode(), Views(), torch.no_grad():
        task = FactTask(4, 3, 2, 5)
        drawn = task.draw(task.facts(replicas=2, **how()), batch=6, **how())
        model = fact_model(Draw(2, **how()), task, d=4, H=2, d_h=3, m=5)
        logits = table_logits(model, token_counts(drawn.tokens, task.vocabulary))
        assert logits.shape == (2, 6, 6) and logits.device == GPU
        marked = PlantedTask(5, 4, balanced=True).draw(batch=7, **how()).marked(5)
        assert marked.shape == (7, 4) and marked.device == GPU
        tokens, answers = hop_sequences(Draw(2, **how()), 4, 2, batch=3)
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
def test_a_forward_pass(options: dict[str, Any]) -> None:
    with FakeTensorMode(), Views(), torch.no_grad():
        model = Transformer(Shape(vocabulary=6, length=5, d=4, **options), replicas=2, **how())
        tokens = torch.zeros(2, 3, 5, dtype=torch.long, device=GPU)
        logits = model(tokens)
        targets = tokens[..., : logits.shape[2]]
        loss = masked_loss(logits, targets, torch.ones_like(targets, dtype=torch.bool))
        assert loss.shape == (2,) and loss.device == GPU
        assert model.read(tokens).logits.device == GPU


# -- the fake GPU itself ---------------------------------------------------------------------------------------------------


def test_brackets_are_translated_faithfully() -> None:
    x = torch.arange(60.0).view(3, 4, 5)
    some = (1, -1, slice(1, 3), None, (slice(None), 2), (..., slice(1, -1)), (..., 0), (slice(None), None, 1, slice(2)))
    for index in some:
        assert torch.equal(Views._view(x, index), x[index])


def to_the_host(draw: Draw) -> torch.Tensor:
    drawn = draw.uniform()
    return drawn / drawn.max().item()


def with_another_device(draw: Draw) -> torch.Tensor:
    return draw.uniform() * torch.ones(draw.replicas)


@pytest.mark.parametrize(("careless", "words"), [(to_the_host, "_local_scalar_dense"), (with_another_device, "device")])
def test_it_finds_what_it_is_there_for(careless: Any, words: str) -> None:
    with pytest.raises(Exception, match=words):
        run(careless)


def test_it_finds_a_copy_to_the_host_in_training(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(problem: Any, recorder: Any, *, ties: bool) -> torch.Tensor:
        return problem.scores / problem.scores.max().item()

    # the package's attribute of that name is the function
    monkeypatch.setattr(sys.modules[run_group.__module__], "train_scores", careless)
    with pytest.raises(Exception, match="_local_scalar_dense"):
        trained()
