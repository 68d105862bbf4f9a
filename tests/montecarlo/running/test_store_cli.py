"""`asymp store`, `--plan`, and runs that decide while looking when to stop."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from asymp.montecarlo.running.series import Series, Work
from asymp.montecarlo.running.store import Store
from asymp.montecarlo.running.sweep import Costs, Item, Sweep, measure
from asymp.montecarlo.running.upkeep import every_cell
from asymp.montecarlo.samplers.recall.error import recall_error_experiment
from asymp.montecarlo.samplers.scaling.missing_mass import missing_mass_experiment

FLAT = Path(__file__).resolve().parents[2] / "support" / "flat.py"


@pytest.fixture
def filled(asymp, tmp_path, monkeypatch):
    monkeypatch.setenv("FLAT_SETTINGS", "4")
    folder = tmp_path / "store"
    assert asymp("check", "--claims", FLAT, "flat", "--store", folder, "--workers", "1").code == 0
    return folder


def test_ls_and_show(asymp, filled):
    listed = json.loads(asymp("store", "ls", "--store", filled, "--json").out)
    assert [h["names"]["params"] for h in listed] == [{"d": d} for d in (1, 2, 3, 4)]
    assert all(h["replicas"] == 160 and h["names"]["experiment"] == "flat" for h in listed)
    assert "4 series, 4 cells" in asymp("store", "ls", "flat", "--store", filled).out
    assert asymp("store", "ls", "other", "--store", filled).out.strip() == "nothing is kept"
    shown = asymp("store", "show", listed[0]["key"][:10], "--store", filled).out
    assert "blocks 0 to 9: 160 replicas" in shown and "torch cpu (Mersenne Twister)" in shown
    header = json.loads(asymp("store", "show", listed[0]["key"], "--store", filled, "--json").out)[0]
    values = next(c.values for c in every_cell(Store(filled)) if c.key == listed[0]["key"])
    assert header["statistics"]["sum"] == pytest.approx(float(np.sum(values)), rel=1e-14)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT.*", header["provenance"]["started"])
    assert asymp("store", "show", "zz", "--store", filled).code == 2


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
    assert "0 cells of former code" in asymp("store", "gc", "--store", filled).out
    assert len(list(Store(filled).all())) == 4
    assert asymp("check", "score-mean", "--store", filled, "--quiet").code == 0
    number = len(list(Store(filled).all()))
    assert "0 cells of former code" in asymp("store", "gc", "--store", filled).out
    monkeypatch.setattr("asymp.reports.cli.store.provenance.source_hash", lambda sample: "another")
    assert f"{number - 4} cells of former code" in asymp("store", "gc", "--store", filled, "--dry-run").out
    assert len(list(Store(filled).all())) == number
    asymp("store", "gc", "--store", filled)
    assert len(list(Store(filled).all())) == 4


def test_bad_input(asymp, filled, tmp_path):
    for command, words in (
        (["ls", "--store", tmp_path / "nowhere"], "there is no store"),
        (["export", "--store", filled, "-o", tmp_path / "x.xls"], ".csv or .parquet"),
        (["export", "--store", filled, "-o", tmp_path / "no" / "x.csv"], "could not be written"),
    ):
        ran = asymp("store", *command)
        assert ran.code == 2 and words in ran.err and len(ran.err.strip().splitlines()) == 1
    assert not (tmp_path / "nowhere").exists()


def test_a_plan_says_what_a_run_takes_and_what_it_timed_is_kept(asymp, tmp_path, monkeypatch):
    monkeypatch.setenv("FLAT_SETTINGS", "6")
    command = ["check", "--claims", FLAT, "flat", "--store", tmp_path / "store", "--workers", "2"]
    plan = json.loads(asymp(*command, "--plan", "--json").out)
    assert (plan["claims"], plan["settings"], plan["blocks"]) == (1, 6, 60)
    # one block of each setting is timed, after one that loads what is loaded once
    assert (plan["cells_kept"], plan["cells_left"], plan["settings_timed"]) == (7, 6, 6)
    # 53 blocks of a nap of 2 ms are left; a loaded machine naps longer, never shorter.
    assert plan["cpu_seconds"] >= 53 * 0.002 and plan["seconds"] == plan["cpu_seconds"] / 2
    assert plan["memory_bytes_each"] > 50e6
    text = asymp(*command, "--plan").out
    assert "6 settings, 60 blocks" in text and "7 kept, about 6 to compute" in text and "with 2 processes" in text
    ran = asymp(*command[:-2], "--workers", "1")
    assert ran.code == 0 and "6 cells computed, 7 found in the store" in ran.err
    assert json.loads(asymp(*command, "--plan", "--json").out)["cells_left"] == 0


def test_a_setting_that_was_not_timed_has_the_price_of_one_with_as_many_blocks():
    def work(blocks, params, timed=0, seconds=0.0):
        series = Series(missing_mass_experiment, {"alpha": 2, "T": params, "N": float("inf")}, seed=0, device="cpu")
        return Work(series, blocks, timed=timed, seconds=seconds)

    cheap, dear, like = work(100, 10, timed=2, seconds=0.02), work(4, 1000, timed=1, seconds=5.0), work(96, 20)
    costs = Costs([cheap, dear, like])
    assert costs.seconds(Item(like, 0, 96)) == pytest.approx(0.96)  # and not 96 times the mean of both
    assert costs.seconds(Item(work(5, 2000), 0, 5)) == 25.0
    assert costs.seconds(Item(cheap, 0, 10)) == pytest.approx(0.1)


def test_work_of_which_nothing_is_known_is_one_cell_and_leaves_the_time_untold():
    def work(experiment, timed=0, seconds=0.0, **params):
        return Work(Series(experiment, params, seed=0, device="cpu"), 40, timed=timed, seconds=seconds)

    dear = work(missing_mass_experiment, timed=1, seconds=30.0, alpha=2, T=10, N=float("inf"))
    other = work(recall_error_experiment, alpha=2, N=10, M=2, d=4)
    costs = Costs([dear, other])
    waiting = [Item(dear, 1, 40), Item(other, 0, 40)]
    # 39 blocks of 30 s, in as many cells, and one of which nothing is known
    assert costs.left(waiting, cell=2.0)[0] == 39 + 1
    assert [costs.left(some, cell=2.0)[2] for some in (waiting, waiting[:1], [])] == [0.5, 0.0, 0.0]
    assert costs.known(waiting[1]) is None and costs.seconds(waiting[1]) == 40 * 30.0


def test_a_longer_run_goes_on_from_a_shorter_one(tmp_path):
    setting = {"alpha": 2, "T": 100, "N": float("inf")}
    series, block = Series(missing_mass_experiment, setting, seed=5), missing_mass_experiment.block

    def values(replicas, store):
        (found,) = measure([(series, replicas)], store=store)
        return found.values.tobytes()

    def plain(replicas):
        return missing_mass_experiment.run(**setting, replicas=replicas, seed=5).values.tobytes()

    store = Store(tmp_path)
    assert values(block + 1, store) == plain(block + 1)
    assert [blocks for _, blocks in store.all()] == [(0, 2)]
    assert values(4 * block, store) == plain(4 * block)
    assert [blocks for _, blocks in store.all()] == [(0, 2), (2, 4)]
    again = Store(tmp_path)
    again.write = None  # nothing is computed: nothing is written
    assert values(4 * block, again) == values(4 * block, None) == plain(4 * block)


def test_one_sweep_in_several_rounds_reads_and_computes_nothing_twice(tmp_path):
    series = [Series(missing_mass_experiment, {"alpha": 2, "T": t, "N": float("inf")}, seed=5) for t in (10, 100)]
    block = missing_mass_experiment.block
    for store in (None, Store(tmp_path / "rounds")):
        with Sweep(store=store) as sweep:
            for blocks in (1, 2, 4):
                keys = [sweep.add(one, blocks * block) for one in series]
                sweep.start()
                sweep.settle(keys)
                for one in series:
                    wanted = one.experiment.run(**one.params, replicas=blocks * block, seed=5).values
                    assert sweep.values(one.key, blocks * block).tobytes() == wanted.tobytes()
            assert (sweep.computed, sweep.found) == (6, 0)
        if store is not None:
            assert sorted(blocks for _, blocks in store.all()) == [(0, 1), (0, 1), (1, 2), (1, 2), (2, 4), (2, 4)]


def test_without_a_store_nothing_is_kept(asymp, tmp_path):
    assert asymp("report", "-o", tmp_path / "r", "score-variance", "--no-store").code == 0
    assert not (tmp_path / "asymp-store").exists()
