"""Killed, interrupted, sharded, damaged: a run goes on where it was, and comes out as if nothing had happened."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.own_claims import FLAT, cells_in
from support.processes import members, wait_for

SURVIVE = FLAT.with_name("survive.py")
SCRIPT = Path(sys.executable).with_name("asymp")


@pytest.fixture
def flat(asymp):
    """Run a verb of the command line on the claim of FLAT, which has four cells for each of 40 settings."""
    return lambda verb, *words: asymp(verb, "--claims", FLAT, "flat", "--workers", "1", *words)


def test_killed_at_random_moments_and_at_every_point_of_a_write():
    # Five random runs here; a hundred by `python tests/support/survive.py --runs 100`.
    few = {"FLAT_NAP": "0.001", "FLAT_SETTINGS": "20", "FLAT_BLOCK": "16", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, SURVIVE, "--runs", "5"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **few}, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["runs"] == 10 and found["kills"] >= 7 and found["cells"] == 40  # two rounds of 20 settings


def test_the_same_bytes_with_and_without_store_and_no_computation_the_second_time(flat, tmp_path, monkeypatch):
    monkeypatch.setenv("FLAT_SETTINGS", "8")
    store = tmp_path / "store"
    assert flat("report", "--no-store", "-o", tmp_path / "a").code == 0
    assert not (tmp_path / "asymp-store").exists()
    assert flat("report", "--store", store, "-o", tmp_path / "b").code == 0
    times = {file: file.stat().st_mtime_ns for file in store.glob("cells/*/*")}
    ran = flat("report", "--store", store, "-o", tmp_path / "c")
    assert ran.code == 0 and "; 0 cells computed, 32 found in the store" in ran.err
    assert {file: file.stat().st_mtime_ns for file in store.glob("cells/*/*")} == times
    for name in ("index.html", "report.json", "report.md"):
        assert len({(tmp_path / run / name).read_bytes() for run in "abc"}) == 1


def test_shards_fill_a_store_that_gives_the_same_verdict_and_a_damaged_cell_is_computed_again(flat, asymp, tmp_path):
    wanted = flat("check", "--json", "--no-store", "--rounds", "2").out
    store, counts = tmp_path / "store", []
    for i in (2, 3, 1):
        ran = flat("check", "--json", "--store", store, "--shard", f"{i}/3", "--rounds", "2")
        assert ran.code == 0
        counts.append(json.loads(ran.out)["cells"])
    before = cells_in(store)
    assert (
        max(counts) - min(counts) <= 1 and sum(counts) == len(before) == 40 * 2
    )  # two blocks of a setting are two pieces
    assert flat("check", "--json", "--store", store, "--rounds", "2").out == wanted
    assert cells_in(store) == before
    assert flat("check", "--json", "--no-store", "--shard", "1/3", "--rounds", "2").code == 2
    victim = sorted(store.glob("cells/*/*-00000000-00000001.cell"))[7]
    victim.write_bytes(victim.read_bytes()[:-8])
    ran = flat("check", "--json", "--store", store, "--rounds", "2")
    assert ran.code == 0 and ran.out == wanted
    assert f"damaged file {victim.name} was set aside" in ran.err and "; 1 cells computed, 79 found" in ran.err
    assert asymp("store", "verify", "--store", store).code == 0
    victim.write_bytes(b"")
    assert asymp("store", "verify", "--store", store).code == 4


def test_an_exception_in_one_cell_leaves_the_others_and_exits_with_4(flat, tmp_path, monkeypatch):
    monkeypatch.setenv("FLAT_FAILS", "7:raise")
    store, out = tmp_path / "store", tmp_path / "out"
    ran = flat("report", "--store", store, "-o", out)
    assert ran.code == 4
    assert len(cells_in(store)) == 39
    assert (
        "experiment 'flat' failed at d=7 in line" in ran.err
        and "OSError: lost" in ran.err
        and "Traceback" not in ran.err
    )
    report = json.loads((out / "report.json").read_text())
    part = report["claims"][0]["parts"][0]
    assert (
        part["outcome"] == "inconclusive"
        and "1 of 40 settings have no usable values" in part["words"]
        and len(part["cells"]) == 39
    )
    assert "1 of 40 settings have no usable values" in (out / "claims" / "flat.html").read_text()
    assert "1 point missing" in (out / "index.html").read_text()
    monkeypatch.delenv("FLAT_FAILS")
    ran = flat("check", "--store", store)
    assert ran.code == 0 and "; 121 cells computed, 39 found" in ran.err


def test_input_that_one_cell_refuses_is_missing_and_that_all_refuse_is_bad_input(flat, tmp_path, monkeypatch):
    monkeypatch.setenv("FLAT_FAILS", "1:refuse")  # the first cell: nothing has been measured when it fails
    ran = flat("check", "--quiet", "--store", tmp_path / "store")
    assert ran.code == 4 and len(cells_in(tmp_path / "store")) == 39
    assert "missing: flat at d=1: d must be something else" in ran.err
    monkeypatch.setenv("FLAT_FAILS", "all:refuse")
    for more in ([], ["--plan"]):
        ran = flat("check", "--quiet", "--no-store", *more)
        assert (ran.code, ran.out, ran.err) == (2, "", "asymp: d must be something else\n")


def test_a_store_that_cannot_be_written_leaves_the_verdict_whole_and_exits_with_4(flat, tmp_path, monkeypatch):
    from asymp.montecarlo.running.store import Store

    command = ["check", "--store", tmp_path / "store", "--quiet"]
    real = Store.write

    def full(self, cell):
        if cell.names["params"]["d"] > 10:
            raise OSError(28, "No space left on device")
        real(self, cell)

    monkeypatch.setattr(Store, "write", full)
    ran = flat(*command)
    assert ran.code == 4 and "flat: " in ran.out and "120 finished cells could not be kept (No space left" in ran.err
    monkeypatch.setattr(Store, "write", real)
    assert flat(*command).code == 0 and len(cells_in(tmp_path / "store")) == 160
    # A store that is complete may be read-only: nothing has to be written.
    monkeypatch.setattr(Store, "write", full)
    assert flat(*command).code == 0


def started(*args, **environment):
    """The command in a process group of its own. It heeds Ctrl-C even if these tests run in the background, which ignores it."""
    return subprocess.Popen(
        [SCRIPT, *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for left-over processes in /proc")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_ctrl_c_and_kill_of_a_run_with_workers_leave_no_process_and_lose_no_cell(flat, tmp_path, sent, code):
    store = tmp_path / "store"
    # 20 seconds of work for two workers in the first round alone: the run is not over before the signal comes,
    # however busy the machine is
    command = ["check", "--claims", FLAT, "flat", "--store", store, "--workers", "2", "--json"]
    process = started(*command, FLAT_NAP="0.1")
    wait_for(lambda: len(cells_in(store)) >= 5 or process.poll() is not None)
    os.killpg(process.pid, sent) if sent == signal.SIGINT else process.kill()
    out, err = process.communicate(timeout=60)
    assert process.returncode == code and out == "", err
    if sent == signal.SIGINT:
        assert "run the same command again to go on" in err and "Traceback" not in err
    wait_for(lambda: members(process.pid) == [], seconds=20)
    before = len(cells_in(store))
    assert 5 <= before < 40
    ran = flat("check", "--store", store, "--json")
    assert ran.code == 0 and f"{before} found in the store" in ran.err
    assert len(cells_in(store)) == 160
    assert json.loads(ran.out) == json.loads(flat("check", "--no-store", "--json").out)
