"""The calibration of verdicts: a small sample of it, and that it would notice a test that refutes too often or never."""

import json

import numpy as np
import pytest

from asymp.reports import claim_calibration, claims
from asymp.reports.claim_calibration import _size, calibrate_claims, claims_text, power_of_controls, size_of_part


@pytest.mark.parametrize(
    ("id", "name"), [("score-mean", "source"), ("score-variance", "sharp"), ("interference", "sharp")]
)
def test_a_right_law_is_refuted_at_five_per_cent_at_most(id, name):
    part = next(p for p in claims[id].parts if p.name == name)
    found = size_of_part(id, part, seeds=60)
    # The test itself has three looks at 1e-3, here at fixed seeds.
    assert found["good"], found
    assert found["seeds"] == 60


def test_the_wrong_laws_of_a_claim_are_refuted():
    rows = power_of_controls(claims["score-mean"], resamplings=10, fresh=1, preset="quick")
    assert len(rows) == 10
    assert all(row["good"] for row in rows), [row for row in rows if not row["good"]]


def test_a_rate_is_fitted_once_for_all_its_wrong_exponents():
    from asymp.reports.judge import rate

    before = rate.fit_exponent
    rows = power_of_controls(claims["near-orthogonality"], resamplings=1, fresh=0, preset="quick")
    assert rate.fit_exponent is before
    assert all(row["refuted"] == 1 for row in rows if row["part"] == "source")


def test_p_values_that_are_too_small_are_noticed():
    uniform = np.random.default_rng(1).random(400)
    assert _size(uniform)["good"]
    assert not _size(uniform**1.7)["good"]  # 5 % become 0.05^(1/1.7) = 17 %
    assert not _size(np.where(uniform < 0.05, 1e-9, uniform))["good"]  # 5 % below 0.001: 20 instead of 0.4
    assert not _size(np.where(uniform < 0.5, uniform * 0.7, uniform))["good"]  # 14 points too many below 0.35
    assert _size(np.ones(400))["good"]  # never refuted: conservative, which is allowed


def test_what_is_finished_is_not_done_again(tmp_path, monkeypatch):
    asked = []

    def fake(id, **options):
        asked.append(id)
        return {"claim": id, "seed": options["seed"], "size": [], "power": [], "good": True, "seconds": 0.0}

    monkeypatch.setattr(claim_calibration, "calibrate_claim", fake)
    file = tmp_path / "claims.jsonl"
    calibrate_claims(["score-mean"], workers=1, file=file)
    with file.open("a") as out:
        out.write('{"claim": "half a li')  # stopped while writing
    rows = calibrate_claims(["score-mean", "remapping"], workers=1, file=file)
    assert asked == ["score-mean", "remapping"]
    assert [row["claim"] for row in rows] == ["score-mean", "remapping"]
    calibrate_claims(["score-mean"], workers=1, file=file, seed=1)
    assert asked[-1] == "score-mean", "another seed is another calibration"


def test_the_table_names_what_is_not_as_it_should_be():
    size = {"part": "sharp", "refuted": 90, "seeds": 400, "share": 0.225, "binomial_p": 0.0, "below": {}, "good": False}
    size |= {"above_uniform": 0.2, "allowed": 0.09}
    power = {"part": "sharp", "how": "order reversed", "refuted": 100, "supported": 3, "resamplings": 200}
    power |= {"confirmed": 2, "fresh": 5, "good": False}
    text = claims_text([{"claim": "x", "size": [size], "power": [power], "good": False, "seconds": 1.0}])
    assert "NOT AS IT SHOULD BE" in text and "order reversed: refuted 100" in text and "0 of 1" in text
    json.dumps(size)
