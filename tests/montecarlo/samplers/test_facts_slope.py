"""Trained models at a number of parameters: their sizes counted on the model itself, their facts by hand."""

import pytest
from support.draws import how

from asymp.models.tasks.facts import FactTask
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers.facts_trained import fact_model, fact_names
from asymp.montecarlo.samplers.transformers.factual_recall_mlp import (
    model_of,
    sample_facts_slope,
)
from asymp.reports import claims
from asymp.reports.grid import PRESETS

PART = next(p for p in claims["factual-recall-mlp"].parts if p.name == "facts-slope")


def cells():
    return [cell for preset in PRESETS for cell in PART.cells(preset, {})]


@pytest.mark.parametrize(("parameters", "d_h"), sorted({(c["parameters"], c.get("d_h", 4)) for c in cells()}))
def test_the_model_has_so_many_parameters(parameters, d_h):
    model = fact_model(Draw(3, **how()), FactTask(2, 2, 2, 4), **model_of(parameters, d_h=d_h))
    weights = [model[name][0] for name in fact_names(model) if name != "bias1"]
    assert sum(w.numel() for w in weights) == parameters
    # Half of them are the MLP's, so that heads and width grow alike.
    assert sum(model[name][0].numel() for name in ("up1", "down1")) == parameters / 2


def test_a_capacity_counts_as_facts_between_those_of_its_size_and_the_next():
    def facts(n):
        return max(S * (n - S) for S in range(n))

    for n in range(2, 200):
        assert facts(n) <= PART.counted({}, n) <= facts(n + 1)


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
