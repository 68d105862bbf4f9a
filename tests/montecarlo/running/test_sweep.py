"""A sweep: a longer run goes on from a shorter one; what a cell costs."""

import time
from itertools import chain, repeat

from asymp.montecarlo import experiment
from asymp.montecarlo.running import pools
from asymp.montecarlo.running.series import Series
from asymp.montecarlo.running.store import Store
from asymp.montecarlo.running.sweep import Sweep, measure
from asymp.montecarlo.samplers.scaling.missing_mass import missing_mass_experiment


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
                for one in series:
                    sweep.want(one, blocks)
                sweep.settle()
                for one in series:
                    wanted = one.experiment.run(**one.params, replicas=blocks * block, seed=5).values
                    assert sweep.values(one.key, blocks * block).tobytes() == wanted.tobytes()
            assert (sweep.computed, sweep.found) == (6, 0)
        if store is not None:
            assert sorted(blocks for _, blocks in store.all()) == [(0, 1), (0, 1), (1, 2), (1, 2), (2, 4), (2, 4)]


def sample_nap(draw):
    """A value after a nap: a simulator that waits for something else, such as another program."""
    time.sleep(0.01 * draw.replicas)
    return draw.uniform()


def test_what_a_simulator_waits_for_is_its_cost_also_where_its_worker_was_slow_to_start(monkeypatch):
    # other programs had the processor for an hour while the worker loaded its modules, and for none of the nap
    monkeypatch.setattr(pools, "_delayed", chain([0.0], repeat(3600.0)).__next__)
    cell, failure = pools.compute(Series(experiment("nap", sample_nap, block=20), {}, seed=1), 0, 1)
    assert failure is None and 0.2 <= cell.seconds < 10
