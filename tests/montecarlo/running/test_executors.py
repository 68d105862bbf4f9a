"""The same bits wherever cells are computed, and a worker that vanishes costs nothing but its cell."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

from asymp.montecarlo import experiment
from asymp.montecarlo.running.cluster import Slurm, connect
from asymp.montecarlo.running.pools import Borrowed, Processes, Serial
from asymp.montecarlo.running.series import Missing, Series
from asymp.montecarlo.running.store import Store
from asymp.montecarlo.running.sweep import Sweep
from asymp.montecarlo.samplers.scaling.missing_mass import missing_mass_experiment
from asymp.reports.check import RunLog, check_many
from asymp.reports.claims_file import load_claims
from asymp.reports.planning import plan_many
from asymp.reports.serialise import verdict_view

FLAT = Path(__file__).resolve().parents[2] / "support" / "flat.py"

# Settings with several blocks, of which the last one is cut.
SETTINGS = [({"alpha": a, "T": t, "N": float("inf")}, 1100 + 200 * i) for i, (a, t) in enumerate([(1.5, 10), (2, 300)])]


def bits(pool, store=None, shard=None):
    """The values of some series, computed wherever `pool` says."""
    with Sweep(pool=pool, store=store, shard=shard) as sweep:
        keys = [sweep.add(Series(missing_mass_experiment, p, seed=3, device="cpu"), n) for p, n in SETTINGS]
        sweep.start()
        if shard:
            sweep.settle()
            return None
        sweep.settle(keys)
        return [sweep.values(key, n).tobytes() for key, (_, n) in zip(keys, SETTINGS, strict=True)]


@pytest.fixture(scope="module")
def expected():
    """What the experiment gives without any of the machinery."""
    return [missing_mass_experiment.run(**p, replicas=n, seed=3, device="cpu").values.tobytes() for p, n in SETTINGS]


@pytest.fixture(scope="module")
def dask_cluster():
    """Three Dask workers, processes of their own, listening on loopback only."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster


def test_the_same_bits_from_serial_processes_threads_shards_slurm_and_a_resumed_run(expected, tmp_path):
    assert bits(Serial()) == expected
    assert bits(Processes(2)) == expected
    with ThreadPoolExecutor(2) as threads:
        assert bits(Borrowed(threads)) == expected
    assert bits(Slurm(cluster="local", jobs=2)) == expected
    store = Store(tmp_path / "shards")
    for i in (3, 1, 2):
        bits(Serial(), store, shard=(i, 3))
    assert bits(Serial(), store) == expected
    # Half of it is there from an earlier run with other cells.
    store = Store(tmp_path / "resumed")
    with Sweep(store=store) as sweep:
        sweep.add(Series(missing_mass_experiment, SETTINGS[1][0], seed=3, device="cpu"), 600)
        sweep.start()
        sweep.probe(60)
    assert len(list(store.all())) == 2  # the first block of an experiment is not timed
    assert bits(Processes(2), store) == expected == bits(Serial(), Store(tmp_path / "resumed"))


def test_the_same_bits_from_three_dask_workers_and_after_one_is_killed(expected, dask_cluster):
    assert bits(connect(dask_cluster.scheduler_address)) == expected
    load_claims(str(FLAT))
    wanted = verdict_view(check_many(["flat"])[0])
    pool = connect(dask_cluster.scheduler_address)
    assert pool.workers == 3
    pids = list(pool._client.run(os.getpid).values())
    assert len(set(pids)) == 3
    killed = []

    def kill_one(what, done, total, left):
        if done >= 5 and not killed:
            os.kill(pids[0], signal.SIGKILL)
            killed.append(pids[0])

    log = RunLog()
    assert verdict_view(check_many(["flat"], executor=pool, progress=kill_one, log=log)[0]) == wanted
    assert killed and not log.failures


def test_a_dask_scheduler_without_workers_is_told_in_a_sentence(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("asymp.montecarlo.running.cluster.SECONDS_TO_CONNECT", 1)
    with (
        distributed.LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=None, silence_logs=50) as cluster,
        pytest.raises(ValueError, match="has no workers; start some"),
    ):
        connect(cluster.scheduler_address)


@pytest.mark.parametrize("lost", ["workers", "scheduler"])
def test_a_dask_cluster_that_vanishes_leaves_missing_values_not_a_crash(lost, monkeypatch, capfd):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("asymp.montecarlo.running.cluster.SECONDS_TO_CONNECT", 2)
    monkeypatch.setattr("asymp.montecarlo.running.cluster.SECONDS_WITHOUT_WORKERS", 1)
    load_claims(str(FLAT))
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as cluster:
        pool = connect(cluster.scheduler_address)
        done_with = []

        def vanish(what, done, total, left):
            if done >= 3 and not done_with:
                done_with.append(done)
                cluster.scale(0) if lost == "workers" else cluster.close()

        log = RunLog()
        verdict = check_many(["flat"], executor=pool, progress=vanish, log=log)[0]
    assert done_with and verdict.missing and "the executor has ended" in log.failures[0]
    assert "Traceback" not in capfd.readouterr().err


def test_a_tls_cluster_takes_its_certificates_from_dasks_configuration(expected, tmp_path, monkeypatch):
    distributed, dask = pytest.importorskip("distributed"), pytest.importorskip("dask")
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
         "-days", "2", "-subj", "/CN=127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    whole = {"tls_ca_file": certificate}
    for role in ("scheduler", "worker", "client"):
        whole |= {f"tls_{role}_cert": certificate, f"tls_{role}_key": key}
    security = distributed.Security(require_encryption=True, **whole)
    monkeypatch.setattr("asymp.montecarlo.running.cluster.SECONDS_TO_CONNECT", 5)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, protocol="tls://", security=security, host="127.0.0.1",
        dashboard_address=None, silence_logs=50,
    ) as cluster:  # fmt: skip
        assert cluster.scheduler_address.startswith("tls://127.0.0.1:")
        with pytest.raises(ValueError, match="scheduler of --cluster cannot be reached"):
            connect(cluster.scheduler_address)
        ours = {"cert": certificate, "key": key}
        with dask.config.set({"distributed.comm.tls.ca-file": certificate, "distributed.comm.tls.client": ours}):
            assert bits(connect(cluster.scheduler_address)) == expected


def test_claims_judged_by_workers_and_judgements_found_in_the_store_are_those_of_this_process(tmp_path):
    ids = ["score-variance", "score-mean"]
    here = [verdict.parts for verdict in check_many(ids)]
    assert [verdict.parts for verdict in check_many(ids, executor=2, store=tmp_path / "store")] == here
    judgements = [p for p in (tmp_path / "store" / "derived" / "judgements").rglob("*") if p.is_file()]
    assert len(judgements) == 2
    log = RunLog()
    assert [verdict.parts for verdict in check_many(ids, store=tmp_path / "store", log=log)] == here
    assert log.computed == 0 and [cost.judged for cost in log.costs] == [0.0, 0.0]
    judgements[0].write_bytes(judgements[0].read_bytes()[:-3] + b"xyz")
    assert [verdict.parts for verdict in check_many(ids, store=tmp_path / "store", log=log)] == here
    assert "damaged file" in log.notices[-1] and (tmp_path / "store" / "damaged" / judgements[0].name).is_file()


def test_a_worker_process_that_is_killed_is_replaced(tmp_path):
    load_claims(str(FLAT))
    wanted = verdict_view(check_many(["flat"])[0])
    pool = Processes(2)
    killed = []

    def kill_one(what, done, total, left):
        if done >= 3 and len(killed) < 2 and pool._pool is not None:  # None: the new workers are not started yet
            victim = next(iter(pool._pool._processes))
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    log = RunLog()
    assert verdict_view(check_many(["flat"], executor=pool, progress=kill_one, log=log)[0]) == wanted
    assert killed and not log.failures


def test_a_cell_that_kills_every_worker_is_given_up_and_the_others_finish(tmp_path):
    store = tmp_path / "store"
    script = Path(sys.executable).with_name("asymp")
    ran = subprocess.run(
        [script, "check", "--claims", FLAT, "flat", "--workers", "2", "--store", store, "--json", "--quiet"],
        env={**os.environ, "FLAT_FAILS": "7:die", "FLAT_SETTINGS": "12"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 4, ran.stderr
    assert len(list(store.glob("cells/*/*.cell"))) == 11
    assert "flat at d=7" in ran.stderr and "its worker was lost" in ran.stderr and "Traceback" not in ran.stderr
    part = json.loads(ran.stdout)[0]["parts"][0]
    assert part["outcome"] == "inconclusive" and "Missing: 1 of 12 points" in part["words"]


def test_an_executor_that_has_ended_gives_missing_values_not_a_crash():
    threads = ThreadPoolExecutor(1)
    threads.shutdown()
    with Sweep(pool=Borrowed(threads)) as sweep:
        key = sweep.add(Series(missing_mass_experiment, SETTINGS[0][0]), 10)
        sweep.start()
        sweep.settle([key])
        with pytest.raises(Missing, match="the executor has ended"):
            sweep.values(key, 10)


def test_a_closure_travels_with_cloudpickle_and_else_stays_here(monkeypatch):
    def made(shift):
        def sample(draw):
            return shift + draw.uniform()

        return experiment("closure", sample, block=8)

    def run(pool):
        with Sweep(pool=pool) as sweep:
            keys = [sweep.add(Series(made(shift), {}), 20) for shift in (1.0, 2.0)]
            sweep.start()
            sweep.settle(keys)
            return [sweep.values(key, 20) for key in keys], sweep.notices

    here, _ = run(Serial())
    assert np.array_equal(here[1], here[0] + 1)  # the value that a closure catches is part of what it is
    there, notices = run(Processes(2))
    assert np.array_equal(here, there) and notices == []
    monkeypatch.setitem(__import__("sys").modules, "cloudpickle", None)
    stayed, notices = run(Processes(2))
    assert np.array_equal(here, stayed) and "run in this process" in notices[0]


def test_small_work_starts_no_process_and_large_work_does():
    pool = Processes(2, patience=0.2)
    assert pool.submit(os.getpid).result() == os.getpid() and pool.local and pool.slots == 1
    pool.submit(time.sleep, 0.3)
    assert not pool.local and pool.slots > 2
    assert pool.submit(os.getpid).result() != os.getpid()
    pool.close(now=True)
    alone = Processes(1, patience=0.2)  # a single process gains nothing from another
    alone.submit(time.sleep, 0.3)
    assert alone.local


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--workers", "0"], "workers must be an integer >= 1"),
        (["--cluster", "nonsense"], "cluster must be tcp://HOST:PORT"),
        (["--cluster", "tcp://127.0.0.1:1"], "scheduler of --cluster cannot be reached"),
        (["--cluster", "slurm:short"], "sbatch is not found"),
        (["--cluster", "slurm:short", "--workers", "2"], "not both"),
        (["--store", "x", "--no-store"], "not both"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(asymp, monkeypatch, tmp_path, options, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("asymp.montecarlo.running.cluster.SECONDS_TO_CONNECT", 1)
    ran = asymp("check", "score-variance", *options)
    assert ran.code == 2 and words in ran.err and ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1 and "Traceback" not in ran.err


def test_a_claims_file_that_a_worker_cannot_load_is_bad_input(asymp, tmp_path, monkeypatch):
    file = tmp_path / "mine.py"
    file.write_text(
        "import os\nif os.environ.get('FLAT_NOT_HERE') != str(os.getpid()):\n    import nowhere_to_be_found\n"
    )
    file.write_text(file.read_text() + FLAT.read_text())
    monkeypatch.setenv("FLAT_NOT_HERE", str(os.getpid()))
    ran = asymp("check", "--claims", file, "flat", "--workers", "2", "--store", tmp_path / "store")
    assert ran.code == 2
    assert "cannot be loaded on the worker" in ran.err and "nowhere_to_be_found" in ran.err
    assert "Traceback" not in ran.err
    assert asymp("store", "verify", "--store", tmp_path / "store").code == 0


def test_a_claims_file_travels_as_text_where_its_path_is_unknown(tmp_path):
    from asymp.montecarlo.running.provenance import source_hash
    from asymp.reports.claims_file import FromClaimsFile, finder_of

    file = tmp_path / "mine.py"
    file.write_text(FLAT.read_text())
    load_claims(str(file))
    sample = plan_many(["flat"])[0].parts[0][0][0].experiment
    wanted = source_hash(sample.sample)
    finder = finder_of("flat", 0, sample)()
    assert isinstance(finder, FromClaimsFile)
    file.unlink()
    assert source_hash(finder.find().sample) == wanted


def test_threads_that_compute_at_once_all_have_one_torch_thread():
    from asymp.montecarlo.draws import one_thread

    before, seen, gate = torch.get_num_threads(), [], threading.Barrier(2)

    def inside(wait):
        with one_thread():
            gate.wait()
            time.sleep(wait)
            seen.append(torch.get_num_threads())

    both = [threading.Thread(target=inside, args=(wait,)) for wait in (0.0, 0.1)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert seen == [1, 1]
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
