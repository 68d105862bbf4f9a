"""Killed, interrupted, sharded, damaged: a run goes on where it was, and comes out as if nothing had happened."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

FLAT = Path(__file__).resolve().parents[2] / "support" / "flat.py"
SURVIVE = Path(__file__).resolve().parents[2] / "support" / "survive.py"
SCRIPT = Path(sys.executable).with_name("asymp")


def verdicts(text):
    return json.loads(text)


def cells(store):
    return sorted(p.name for p in Path(store).glob("cells/*/*.cell"))


def test_killed_at_random_moments_and_at_every_point_of_a_write(tmp_path):
    # Five random runs here; a hundred by `python tests/support/survive.py --runs 100`.
    done = subprocess.run(
        [sys.executable, SURVIVE, "--runs", "5"],
        capture_output=True,
        text=True,
        env={**os.environ, "FLAT_NAP": "0.001", "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["runs"] == 10 and found["kills"] >= 7 and found["cells"] == 40


def test_the_same_bytes_with_and_without_store_and_no_computation_the_second_time(asymp, tmp_path):
    command = ["--claims", FLAT, "flat", "--quiet", "--workers", "1"]
    store = tmp_path / "store"
    assert asymp("report", *command, "--no-store", "-o", tmp_path / "a").code == 0
    assert asymp("report", *command, "--store", store, "-o", tmp_path / "b").code == 0
    kept = cells(store)
    times = [os.stat(f).st_mtime_ns for f in sorted(store.glob("cells/*/*"))]
    ran = asymp("report", *[c for c in command if c != "--quiet"], "--store", store, "-o", tmp_path / "c")
    assert ran.code == 0 and "0 cells computed, 40 found in the store" in ran.err
    assert cells(store) == kept and [os.stat(f).st_mtime_ns for f in sorted(store.glob("cells/*/*"))] == times
    for name in ("index.html", "report.json", "report.md"):
        assert len({(tmp_path / run / name).read_bytes() for run in "abc"}) == 1


def test_shards_fill_a_store_that_gives_the_same_verdict(asymp, tmp_path):
    command = ["check", "--claims", FLAT, "flat", "--quiet", "--workers", "1", "--json"]
    wanted = asymp(*command, "--no-store").out
    store = tmp_path / "store"
    counts = []
    for i in (2, 3, 1):
        ran = asymp(*command, "--store", store, "--shard", f"{i}/3")
        assert ran.code == 0
        counts.append(json.loads(ran.out)["cells"])
    assert max(counts) - min(counts) <= 1 and sum(counts) == len(cells(store)) == 40 * 3
    before = cells(store)
    assert asymp(*command, "--store", store).out == wanted
    assert cells(store) == before
    assert asymp(*command, "--no-store", "--shard", "1/3").code == 2


def test_more_replicas_go_on_from_fewer(tmp_path):
    from asymp.reports import check
    from asymp.reports.check import RunLog, check_many

    few, many = RunLog(), RunLog()
    check_many(["missing-mass"], settings={"alpha": 2}, store=tmp_path, log=few)
    check_many(["missing-mass"], settings={"alpha": 2}, store=tmp_path, log=many)
    assert few.computed > 0 and many.computed == 0 and many.found == few.computed
    assert check("missing-mass", settings={"alpha": 2}).parts == check("missing-mass", settings={"alpha": 2}).parts


def test_a_damaged_cell_is_named_and_computed_again(asymp, tmp_path):
    command = ["check", "--claims", FLAT, "flat", "--workers", "1", "--json", "--store", tmp_path / "store"]
    wanted = asymp(*command).out
    victim = sorted((tmp_path / "store").glob("cells/*/*.cell"))[7]
    victim.write_bytes(victim.read_bytes()[:-8])
    ran = asymp(*command)
    assert ran.code == 0 and ran.out == wanted
    assert f"damaged file {victim.name} was set aside" in ran.err and "1 cells computed, 39 found" in ran.err
    assert asymp("store", "verify", "--store", tmp_path / "store").code == 0
    victim.write_bytes(b"")
    assert asymp("store", "verify", "--store", tmp_path / "store").code == 4


def test_an_exception_in_one_cell_leaves_the_others_and_exits_with_4(asymp, tmp_path, monkeypatch):
    monkeypatch.setenv("FLAT_FAILS", "7:raise")
    store, out = tmp_path / "store", tmp_path / "out"
    ran = asymp("report", "--claims", FLAT, "flat", "--store", store, "--workers", "1", "-o", out)
    assert ran.code == 4
    assert len(cells(store)) == 39
    assert "experiment 'flat' failed at d=7: OSError: lost" in ran.err and "Traceback" not in ran.err
    report = json.loads((out / "report.json").read_text())
    part = report["claims"][0]["parts"][0]
    assert part["outcome"] == "inconclusive" and "Missing: 1 of 40 points" in part["words"] and len(part["cells"]) == 39
    assert "Missing: 1 of 40 points" in (out / "claims" / "flat.html").read_text()
    assert "1 point missing" in (out / "index.html").read_text()
    monkeypatch.delenv("FLAT_FAILS")
    # Another file of claims is other code only if the code differs: the environment is not part of it.
    ran = asymp("report", "--claims", FLAT, "flat", "--store", store, "--workers", "1", "-o", out)
    assert ran.code == 0 and "1 cells computed, 39 found" in ran.err


def test_input_that_one_cell_refuses_is_missing_and_that_all_refuse_is_bad_input(asymp, tmp_path, monkeypatch):
    command = ["check", "--claims", FLAT, "flat", "--workers", "1", "--quiet"]
    monkeypatch.setenv("FLAT_FAILS", "1:refuse")  # the first cell: nothing has been measured when it fails
    ran = asymp(*command, "--store", tmp_path / "store")
    assert ran.code == 4 and len(cells(tmp_path / "store")) == 39
    assert "missing: flat at d=1: d must be something else" in ran.err
    monkeypatch.setenv("FLAT_FAILS", "all:refuse")
    for more in ([], ["--plan"]):
        ran = asymp(*command, "--no-store", *more)
        assert (ran.code, ran.out, ran.err) == (2, "", "asymp: d must be something else\n")


def test_a_store_that_cannot_be_written_leaves_the_verdict_whole_and_exits_with_4(asymp, tmp_path, monkeypatch):
    from asymp.montecarlo.running.store import Store

    command = ["check", "--claims", FLAT, "flat", "--workers", "1", "--store", tmp_path / "store", "--quiet"]
    real = Store.write

    def full(self, cell):
        if cell.names["params"]["d"] > 10:
            raise OSError(28, "No space left on device")
        real(self, cell)

    monkeypatch.setattr(Store, "write", full)
    ran = asymp(*command)
    assert ran.code == 4 and "flat: " in ran.out and "30 finished cells could not be kept (No space left" in ran.err
    monkeypatch.undo()
    monkeypatch.setenv("ASYMP_STORE", str(tmp_path / "unused"))
    assert asymp(*command).code == 0 and len(cells(tmp_path / "store")) == 40
    # A store that is complete may be read-only: nothing has to be written.
    monkeypatch.setattr(Store, "write", full)
    assert asymp(*command).code == 0


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


def wait_for_cells(process, store, number):
    deadline = time.monotonic() + 120
    while len(cells(store)) < number:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def members(group):
    """The processes of a group that are alive."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for left-over processes in /proc")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_ctrl_c_and_kill_of_a_run_with_workers_leave_no_process_and_lose_no_cell(asymp, tmp_path, sent, code):
    store = tmp_path / "store"
    command = ["check", "--claims", FLAT, "flat", "--store", store, "--workers", "2", "--json"]
    # 20 seconds of work for two workers: the run is not over before the signal comes, however busy the machine is
    process = started(*command, FLAT_NAP="0.1", FLAT_SETTINGS="40")
    wait_for_cells(process, store, 5)
    os.killpg(process.pid, sent) if sent == signal.SIGINT else process.kill()
    out, err = process.communicate(timeout=60)
    assert process.returncode == code and out == "", err
    if sent == signal.SIGINT:
        assert "run the same command again to go on" in err and "Traceback" not in err
    deadline = time.monotonic() + 20
    while members(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert members(process.pid) == []
    before = len(cells(store))
    assert 5 <= before < 40
    ran = asymp(*command[:-3], "--workers", "1", "--json")
    assert ran.code == 0 and f"{before} found in the store" in ran.err
    assert len(cells(store)) == 40
    assert verdicts(ran.out) == verdicts(asymp(*command[:4], "--no-store", "--workers", "1", "--json").out)
