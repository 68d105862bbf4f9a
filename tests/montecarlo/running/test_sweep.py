"""A sweep: what a run will cost, and a longer run that goes on from a shorter one."""

import pytest

from asymp.montecarlo.running.series import Series, Work
from asymp.montecarlo.running.store import Store
from asymp.montecarlo.running.sweep import Costs, Item, Sweep, measure
from asymp.montecarlo.samplers.recall.error import recall_error_experiment
from asymp.montecarlo.samplers.scaling.missing_mass import missing_mass_experiment


def work(blocks, T, timed=0, seconds=0.0):
    """So many blocks of the missing mass after T samples, of which some have been timed."""
    series = Series(missing_mass_experiment, {"alpha": 2, "T": T, "N": float("inf")}, seed=0, device="cpu")
    return Work(series, blocks, timed=timed, seconds=seconds)


def test_a_setting_that_was_not_timed_has_the_price_of_one_with_as_many_blocks():
    cheap, dear, like = work(100, 10, timed=2, seconds=0.02), work(4, 1000, timed=1, seconds=5.0), work(96, 20)
    costs = Costs([cheap, dear, like])
    assert costs.seconds(Item(like, 0, 96)) == pytest.approx(0.96)  # and not 96 times the mean of both
    assert costs.seconds(Item(work(5, 2000), 0, 5)) == 25.0
    assert costs.seconds(Item(cheap, 0, 10)) == pytest.approx(0.1)


def test_work_of_which_nothing_is_known_is_one_cell_and_leaves_the_time_untold():
    dear = work(40, 10, timed=1, seconds=30.0)
    other = Work(Series(recall_error_experiment, {"alpha": 2, "N": 10, "M": 2, "d": 4}, seed=0, device="cpu"), 40)
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
