"""Trained models at a number of parameters: their sizes counted on the model itself, their facts by hand."""

import pytest
import torch

from asymp.models.tasks.facts import FactTask
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers.facts_trained import fact_model, fact_names, sample_trained_facts
from asymp.montecarlo.samplers.transformers.factual_recall_mlp import (
    facts_slope_experiment,
    model_of,
    sample_facts_slope,
)
from asymp.reports import claims
from asymp.reports.grid import PRESETS

PART = next(p for p in claims["factual-recall-mlp"].parts if p.name == "facts-slope")


def how(seed=0):
    return {"generator": torch.Generator().manual_seed(seed), "device": torch.device("cpu")}


def cells():
    return [cell for preset in PRESETS for cell in PART.cells(preset, {})]


@pytest.mark.parametrize(("parameters", "d_h"), sorted({(c["parameters"], c.get("d_h", 4)) for c in cells()}))
def test_the_model_has_so_many_parameters(parameters, d_h):
    model = fact_model(Draw(3, **how()), FactTask(2, 2, 2, 4), **model_of(parameters, d_h=d_h))
    weights = [model[name][0] for name in fact_names(model) if name != "bias1"]
    assert sum(w.numel() for w in weights) == parameters
    # Half of them are the MLP's, so that heads and width grow alike.
    assert sum(model[name][0].numel() for name in ("up1", "down1")) == parameters / 2


@pytest.mark.parametrize(("n", "S", "R"), [(2, 1, 1), (7, 4, 3), (8, 4, 4)])
def test_subjects_and_relations_are_half_and_half(n, S, R):
    # 64 = 16 2^2 parameters: d = 2, one head of size 4, 8 neurons.
    rest = {"D": 3, "T": 5, "batch": 8, "steps": 3, "lr": 1e-2}
    found = sample_facts_slope(Draw(4, **how(1)), parameters=64, n=n, **rest)
    wanted = sample_trained_facts(Draw(4, **how(1)), S=S, R=R, d=2, H=1, d_h=4, m=8, **rest)
    assert found.tolist() == wanted.tolist()


def test_a_capacity_counts_as_facts_between_those_of_its_size_and_the_next():
    def facts(n):
        return max(S * (n - S) for S in range(n))

    for n in range(2, 200):
        assert facts(n) <= PART.counted({}, n) <= facts(n + 1)


def test_each_model_has_sizes_on_both_sides_of_what_it_should_hold():
    for preset in PRESETS:
        sizes = {}
        for cell in PART.cells(preset, {}):
            sizes.setdefault(cell["parameters"], []).append(cell["n"])
        assert len(sizes) >= 3
        # A regression of a capacity takes six sizes; different ones, in order.
        assert all(len(own) == (3 if preset == "quick" else 6) and own == sorted(set(own)) for own in sizes.values())
        if preset == "paper":
            for parameters, own in sizes.items():
                assert own[0] ** 2 / 4 < 0.15 * parameters < own[-1] ** 2 / 4


def test_more_parameters_recall_more():
    # 36 facts: far above what d = 4 holds (0.14 facts a parameter), far below d = 16 (0.009). Trained 200 steps.
    rest = {"n": 12, "batch": 128, "steps": 200}
    few, many = (sample_facts_slope(Draw(4, **how(2)), parameters=16 * d**2, **rest) for d in (4, 16))
    assert (many > 0.95).all() and (few < 0.9).all()


def test_the_first_published_cell_runs():
    cell = {**PART.grid["paper"][0], "steps": 5}
    found = facts_slope_experiment.sample(Draw(1, **how(3)), **cell)
    assert found.shape == (1,) and 0 <= float(found) <= 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"parameters": 1000}, "parameters must be 16 d\\^2 .* got 1000"),
        ({"parameters": 16 * 49, "d_h": 4}, "2 d a multiple of d_h=4; got 784"),
        ({"parameters": 0}, "parameters must be a whole number"),
        ({"n": 1}, "n must be a whole number >= 2"),
        ({"d_h": 0}, "d_h must be"),
    ],
)
def test_bad_input_is_told_in_one_sentence(options, words):
    with pytest.raises(ValueError, match=words):
        sample_facts_slope(Draw(1, **how()), **{"parameters": 1024, "n": 4, "steps": 1, **options})
