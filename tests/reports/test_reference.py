"""The reference run: what the file records, and what becomes stale when a statement or its code changes."""

import json
from dataclasses import replace

from support.own_claims import assert_refused

from asymp.reports import claims
from asymp.reports.grid import Grid
from asymp.reports.reference import Reference, code_of, declared_hash, stale

PART = claims["score-mean"].parts[0]
FOUND = Reference("supported", 3, 0.1, "", "", PART.experiment.version, declared_hash(PART), code_of(PART))


def test_what_did_not_change_is_not_stale():
    assert stale(FOUND, PART) == ""
    assert stale(replace(FOUND, declared="", code=""), PART) == ""  # a file of before these were noted


def test_what_changed_is_stale():
    assert "another version" in stale(FOUND, replace(PART, experiment=replace(PART.experiment, version=99)))
    changed = {
        "margin": PART.margin / 2,
        "grid": Grid(PART.grid.settings[1:]),
        "law": claims["score-mean"].parts[1].law,
    }
    for name, value in changed.items():
        assert "have changed since" in stale(FOUND, replace(PART, **{name: value})), name
    order = next(part for part in claims["attention-learnability"].parts if part.name == "balanced")
    assert len({declared_hash(replace(order, **change)) for change in ({}, {"below": 2}, {"at_least": 0.5})}) == 3
    # A sentence that is put better says the same.
    assert stale(FOUND, replace(PART, text="another sentence")) == ""
    assert "the code" in stale(replace(FOUND, code="0" * 16), PART)
    assert "no such statement" in stale(FOUND, None)


def test_the_command_writes_the_file_and_says_what_is_stale(asymp, tmp_path):
    file = tmp_path / "reference.json"
    assert asymp("reference", "score-mean", "--rounds", "1", "--seed", "5", "-o", file, "--quiet").code == 0
    made = json.loads(file.read_text())
    assert (made["seed"], made["cells"]["found"], set(made["machine"]) >= {"commit", "cpu", "torch"}) == (5, 0, True)
    again = asymp("reference", "score-mean", "--rounds", "1", "--seed", "5", "-o", file, "--quiet")
    assert again.code == 0 and json.loads(file.read_text())["cells"]["computed"] == 0  # the same command goes on
    assert stale(Reference(**made["statements"]["score-mean source"]), PART) == ""
    assert "statements are stale" in asymp("reference", "--stale").out
    assert_refused(asymp("reference", "score-mean", "-o", tmp_path / "no" / "x.json"), "no folder")
