"""`asymp store` and `--plan`."""

import csv
import json
import re

import numpy as np
import pytest
from support.own_claims import CHEAP, FLAT, assert_refused

from asymp.montecarlo.running.store import Store
from asymp.montecarlo.running.upkeep import every_cell


@pytest.fixture
def filled(asymp, tmp_path, monkeypatch):
    monkeypatch.setenv("FLAT_SETTINGS", "4")
    folder = tmp_path / "store"
    assert asymp("check", "--claims", FLAT, "flat", "--store", folder, "--workers", "1", "--rounds", "1").code == 0
    return folder


def test_ls_and_show(asymp, filled):
    listed = json.loads(asymp("store", "ls", "--store", filled, "--json").out)
    assert [h["names"]["params"] for h in listed] == [{"d": d} for d in (1, 2, 3, 4)]
    assert all(h["replicas"] == 160 and h["names"]["experiment"] == "flat" for h in listed)
    assert "4 series, 4 cells" in asymp("store", "ls", "flat", "--store", filled).out
    assert asymp("store", "ls", "other", "--store", filled).out.strip() == "nothing is kept"
    shown = asymp("store", "show", listed[0]["key"][:10], "--store", filled).out
    assert "blocks 0 to 0: 160 replicas" in shown and "torch cpu (Mersenne Twister)" in shown
    header = json.loads(asymp("store", "show", listed[0]["key"], "--store", filled, "--json").out)[0]
    values = next(c.values for c in every_cell(Store(filled)) if c.key == listed[0]["key"])
    assert header["statistics"]["sum"] == pytest.approx(float(np.sum(values)), rel=1e-14)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT.*", header["provenance"]["started"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_export(asymp, filled, tmp_path, ending):
    def rows(file):
        if ending == "csv":
            with file.open(newline="") as text:
                return list(csv.DictReader(text))
        return pytest.importorskip("pyarrow.parquet").read_table(file).to_pylist()

    file = tmp_path / f"cells.{ending}"
    assert "4 rows" in asymp("store", "export", "--store", filled, "-o", file).out
    cells = {c.key: c for c in every_cell(Store(filled))}
    for row in rows(file):
        assert float(row["sum"]) == float(cells[row["key"]].values.sum())
        assert row["provenance_command"].startswith("asymp check --claims flat.py flat --store . --workers 1")
    assert json.loads(asymp("store", "export", "--store", filled, "-o", file, "--values", "--json").out) == {
        "rows": 640
    }
    found = {}
    for row in rows(file):
        found.setdefault(row["key"], []).append((int(row["replica"]), float(row["value"])))
    for key, cell in cells.items():
        assert found[key] == list(enumerate(cell.values.tolist()))
    assert list(tmp_path.glob(".*.part")) == []


def test_gc_keeps_what_is_the_users_and_drops_former_code(asymp, filled, tmp_path, monkeypatch):
    assert asymp("check", CHEAP, "--store", filled, "--quiet").code == 0
    number = len(list(Store(filled).all()))
    assert "0 cells of former code" in asymp("store", "gc", "--store", filled).out
    monkeypatch.setattr("asymp.reports.cli.store.source.source_hash", lambda sample: "another")
    assert f"{number - 4} cells of former code" in asymp("store", "gc", "--store", filled, "--dry-run").out
    assert len(list(Store(filled).all())) == number
    asymp("store", "gc", "--store", filled)
    assert len(list(Store(filled).all())) == 4


def test_bad_input(asymp, filled, tmp_path):
    for command, words in (
        (["ls", "--store", tmp_path / "nowhere"], "there is no store"),
        (["show", "zz", "--store", filled], "zz"),
        (["export", "--store", filled, "-o", tmp_path / "x.xls"], ".csv or .parquet"),
        (["export", "--store", filled, "-o", tmp_path / "no" / "x.csv"], "could not be written"),
    ):
        assert_refused(asymp("store", *command), words)
    assert not (tmp_path / "nowhere").exists()


def test_a_plan_says_what_a_run_takes_and_what_it_timed_is_kept(asymp, tmp_path, monkeypatch):
    monkeypatch.setenv("FLAT_SETTINGS", "6")
    monkeypatch.setenv("FLAT_NAP", "0.002")
    command = ["check", "--claims", FLAT, "flat", "--store", tmp_path / "store", "--workers", "2"]
    plan = json.loads(asymp(*command, "--plan", "--json").out)
    assert (plan["claims"], plan["statements"], plan["settings"], plan["untimed"], plan["kept"]) == (1, 1, 6, 0, 6)
    # six blocks of a nap of 20 ms are a first round; a loaded machine naps longer, never shorter
    assert 6 * 0.02 <= plan["first_round"] < 60 and plan["rounds"] >= 1
    assert (plan["seconds"], plan["left_out"], plan["workers"]) == (180, [], 2)
    assert plan["memory_bytes_each"] > 50e6
    text = asymp(*command, "--plan", "--time", "5ms").err + asymp(*command, "--plan", "--time", "0.001s").out
    assert "--time must be" in text and "no time for: flat" in text
    ran = asymp(*command[:-2], "--workers", "1", "--rounds", "1")
    assert ran.code == 0 and "0 cells computed, 6 found in the store" in ran.err
