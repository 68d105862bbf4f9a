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

import numpy as np
import pytest
import torch
from support.own_claims import CHEAP, FLAT, cells_in, flat_file

from asymp.montecarlo import experiment
from asymp.montecarlo.draws import one_thread
from asymp.montecarlo.running import pools
from asymp.montecarlo.running.cluster import Slurm, connect
from asymp.montecarlo.running.pools import Borrowed, Processes, Serial
from asymp.montecarlo.running.series import Missing, Series
from asymp.montecarlo.running.source import source_hash
from asymp.montecarlo.running.store import Store
from asymp.montecarlo.running.sweep import Sweep
from asymp.montecarlo.samplers.scaling.missing_mass import missing_mass_experiment
from asymp.reports import claims
from asymp.reports.check import RunLog, check_many
from asymp.reports.claims_file import FromClaimsFile, finder_of, load_claims
from asymp.reports.planning import plan_many
from asymp.reports.serialise import dumps, verdict_view

# Settings with several blocks, of which the last one is cut.
SETTINGS = [({"alpha": a, "T": t, "N": float("inf")}, 1100 + 200 * i) for i, (a, t) in enumerate([(1.5, 10), (2, 300)])]


def values_from(pool, wanted, store=None, shard=None):
    """The values of some series, computed wherever `pool` says (a shard has none), and the notices on the way."""
    with Sweep(pool=pool, store=store, shard=shard) as sweep:
        for series, number in wanted:
            sweep.want(series, series.blocks_for(number))
        sweep.settle()
        found = [] if shard else [sweep.values(series.key, number) for series, number in wanted]
        return found, sweep.notices


def bits(pool, store=None, shard=None):
    wanted = [(Series(missing_mass_experiment, setting, seed=3, device="cpu"), number) for setting, number in SETTINGS]
    return [values.tobytes() for values in values_from(pool, wanted, store, shard)[0]]


@pytest.fixture(scope="module")
def expected():
    """What the experiment gives without any of the machinery."""
    return [missing_mass_experiment.run(**p, replicas=n, seed=3, device="cpu").values.tobytes() for p, n in SETTINGS]


def dask_cluster(workers, **options):
    """Dask workers, listening on loopback only: threads of this process, unless it is said otherwise."""
    distributed = pytest.importorskip("distributed")
    quiet = {"host": "127.0.0.1", "dashboard_address": None, "worker_dashboard_address": None, "silence_logs": 50}
    threads = {"threads_per_worker": 1, "processes": False, "protocol": "tcp://"}
    return distributed.LocalCluster(n_workers=workers, **{**quiet, **threads, **options})


@pytest.fixture
def short_waits(monkeypatch):
    """Clusters that cannot be reached, or have lost their workers, are given up soon."""
    monkeypatch.setattr("asymp.montecarlo.running.cluster.SECONDS_TO_CONNECT", 2)
    monkeypatch.setattr("asymp.montecarlo.running.cluster.SECONDS_WITHOUT_WORKERS", 1)


@pytest.fixture
def flat():
    """Check the claim of FLAT wherever an executor says: the verdict, and the failures on the way."""
    load_claims(str(FLAT))

    def checked(executor=None, progress=None):
        log = RunLog()
        return verdict_view(check_many(["flat"], executor=executor, progress=progress, log=log)[0]), log.failures

    return checked


def test_the_same_bits_from_serial_processes_threads_shards_slurm_and_a_resumed_run(expected, tmp_path):
    assert bits(Serial()) == expected
    with ThreadPoolExecutor(2) as threads:
        assert bits(Borrowed(threads)) == expected
    assert bits(Slurm(cluster="local", jobs=2)) == expected
    store = Store(tmp_path / "shards")
    for i in (3, 1, 2):
        bits(Serial(), store, shard=(i, 3))
    assert bits(Serial(), store) == expected
    # Half of it is there from an earlier run with other cells; what is left is for worker processes.
    store = Store(tmp_path / "resumed")
    with Sweep(store=store) as sweep:
        assert sweep.probe(Series(missing_mass_experiment, SETTINGS[1][0], seed=3, device="cpu")) > 0
    assert len(list(store.all())) == 1
    assert bits(Processes(2), store) == expected == bits(Serial(), Store(tmp_path / "resumed"))


def test_the_same_bits_from_dask_workers_and_after_one_is_killed(expected, flat):
    wanted = flat()
    with dask_cluster(2, processes=True) as cluster:
        assert bits(connect(cluster.scheduler_address)) == expected
        pool = connect(cluster.scheduler_address)
        assert pool.workers == 2
        pids = list(pool._client.run(os.getpid).values())
        assert len(set(pids)) == 2 and os.getpid() not in pids
        killed = []

        def kill_one(state):
            if state.doing and not killed:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        assert flat(pool, kill_one) == wanted == (wanted[0], []) and killed


@pytest.mark.parametrize("lost", ["workers", "scheduler"])
def test_a_dask_cluster_that_vanishes_leaves_missing_values_not_a_crash(lost, flat, short_waits, capfd):
    with dask_cluster(1) as cluster:
        done_with = []

        def vanish(state):
            if state.seconds > 0.3 and not done_with:
                done_with.append(state)
                cluster.scale(0) if lost == "workers" else cluster.close()

        verdict, failures = flat(connect(cluster.scheduler_address), vanish)
        if lost == "workers":
            with pytest.raises(ValueError, match="has no workers; start some"):
                connect(cluster.scheduler_address)
    assert done_with and verdict.missing and "the executor has ended" in failures[0]
    assert "Traceback" not in capfd.readouterr().err


def test_a_tls_cluster_takes_its_certificates_from_dasks_configuration(expected, tmp_path, short_waits):
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
    with dask_cluster(1, protocol="tls://", security=security) as cluster:
        assert cluster.scheduler_address.startswith("tls://127.0.0.1:")
        with pytest.raises(ValueError, match="scheduler of --cluster cannot be reached"):
            connect(cluster.scheduler_address)
        ours = {"cert": certificate, "key": key}
        with dask.config.set({"distributed.comm.tls.ca-file": certificate, "distributed.comm.tls.client": ours}):
            assert bits(connect(cluster.scheduler_address)) == expected


def texts(verdicts):
    """The verdicts as JSON: equal texts are equal numbers, also where one is not a number."""
    return [dumps(verdict_view(verdict)) for verdict in verdicts]


def test_claims_judged_by_workers_and_judgements_found_in_the_store_are_those_of_this_process(tmp_path):
    ids = [CHEAP, "gradient-as-memory"]
    here = texts(check_many(ids))
    assert texts(check_many(ids, executor=2, store=tmp_path / "store")) == here
    judgements = [p for p in (tmp_path / "store" / "derived" / "judgements").rglob("*") if p.is_file()]
    assert len(judgements) == sum(len(claims[id].parts) for id in ids)
    log = RunLog()
    assert texts(check_many(ids, store=tmp_path / "store", log=log)) == here
    assert log.computed == 0 and [cost.judged for cost in log.costs] == [0.0, 0.0]
    judgements[0].write_bytes(judgements[0].read_bytes()[:-3] + b"xyz")
    assert texts(check_many(ids, store=tmp_path / "store", log=log)) == here
    assert "damaged file" in log.notices[-1] and (tmp_path / "store" / "damaged" / judgements[0].name).is_file()


def test_a_worker_process_that_is_killed_is_replaced(flat):
    wanted, pool, killed = flat(), Processes(2), []

    def kill_one(state):
        if state.doing and len(killed) < 2 and pool._pool is not None:  # None: the new workers are not started yet
            victim = next(iter(pool._pool._processes))
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    assert flat(pool, kill_one) == wanted == (wanted[0], []) and killed


def test_a_cell_that_kills_every_worker_is_given_up_and_the_others_finish(asymp, tmp_path):
    file, store = flat_file(tmp_path, FAILS="7:die", SETTINGS=12), tmp_path / "store"
    ran = asymp("check", "--claims", file, "flat", "--workers", "2", "--store", store, "--json", "--quiet")
    assert ran.code == 4, ran.err
    assert len(cells_in(store)) == 11
    assert "flat at d=7" in ran.err and "its worker was lost" in ran.err and "Traceback" not in ran.err
    part = json.loads(ran.out)[0]["parts"][0]
    assert part["outcome"] == "inconclusive" and "1 of 12 settings have no usable values" in part["words"]


def test_an_executor_that_has_ended_gives_missing_values_not_a_crash():
    threads = ThreadPoolExecutor(1)
    threads.shutdown()
    with pytest.raises(Missing, match="the executor has ended"):
        values_from(Borrowed(threads), [(Series(missing_mass_experiment, SETTINGS[0][0]), 10)])


def test_a_closure_travels_with_cloudpickle_and_else_stays_here(monkeypatch):
    def made(shift):
        def sample(draw):
            return shift + draw.uniform()

        return experiment("closure", sample, block=8)

    def run(pool):
        return values_from(pool, [(Series(made(shift), {}), 20) for shift in (1.0, 2.0)])

    here, _ = run(Serial())
    assert np.array_equal(here[1], here[0] + 1)  # the value that a closure catches is part of what it is
    there, notices = run(Processes(2))
    assert np.array_equal(here, there) and notices == []
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
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


def test_a_claims_file_that_a_worker_cannot_load_is_bad_input(asymp, tmp_path):
    file, store = tmp_path / "mine.py", tmp_path / "store"
    elsewhere = f"import os\nif os.getpid() != {os.getpid()}:\n    import nowhere_to_be_found\n"
    file.write_text(elsewhere + FLAT.read_text())
    ran = asymp("check", "--claims", file, "flat", "--workers", "2", "--store", store)
    assert ran.code == 2
    assert "cannot be loaded on the worker" in ran.err and "nowhere_to_be_found" in ran.err
    assert "Traceback" not in ran.err
    assert asymp("store", "verify", "--store", store).code == 0


def test_a_claims_file_travels_as_text_where_its_path_is_unknown(tmp_path):
    file = flat_file(tmp_path)
    load_claims(str(file))
    [series, *_] = plan_many(["flat"])[0].parts[0]
    finder, wanted = finder_of("flat", 0, series.experiment)(), source_hash(series.experiment.sample)
    assert isinstance(finder, FromClaimsFile)
    file.unlink()
    assert source_hash(finder.find().sample) == wanted


def test_threads_that_compute_at_once_all_have_one_torch_thread():
    before, gate = torch.get_num_threads(), threading.Barrier(2)

    def inside(wait):
        with one_thread():
            gate.wait()
            time.sleep(wait)
            return torch.get_num_threads()

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(inside, (0.0, 0.1))) == [1, 1]
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_ctrl_c_is_not_heard_while_any_worker_is_started(monkeypatch):
    """Not only the first: a worker whose start is interrupted is known to nobody, and prints a traceback when all is over."""
    heard = []

    class Executor:
        def __init__(self, workers, **more):
            pass

        def submit(self, function, *arguments):
            heard.append(signal.pthread_sigmask(signal.SIG_BLOCK, []))

    monkeypatch.setattr(pools, "ProcessPoolExecutor", Executor)
    pool = pools.Processes(2)
    for _ in range(3):
        pool.submit(print)
    assert all({signal.SIGINT, signal.SIGTERM} <= blocked for blocked in heard) and len(heard) == 3
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals are blocked on POSIX only")
def test_an_interruption_while_a_worker_is_started_is_heard_afterwards():
    """Another thread hears the signal, and Python has this one handle it, blocked here or not."""
    # whatever other tests in this process left as the handler
    done, over, left = [], threading.Event(), signal.signal(signal.SIGINT, signal.default_int_handler)
    other = threading.Thread(target=over.wait)

    def starting():
        with pools._deaf():
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(50):
                time.sleep(0.002)
            done.append(True)

    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            starting()
    finally:
        over.set()
        other.join()
        found = signal.signal(signal.SIGINT, left)
    assert done == [True] and found is signal.default_int_handler
