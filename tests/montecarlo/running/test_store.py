"""The store: what is written is read back to the bit, and nothing else is ever believed."""

import json
import os
import resource
import socket
import sys

import numpy as np
import pytest
from support.own_claims import CHEAP, assert_refused

from asymp.montecarlo import experiment
from asymp.montecarlo.running.cell_file import Damaged, decode, encode
from asymp.montecarlo.running.provenance import command_line, describe_machine, machine
from asymp.montecarlo.running.series import Cell, Series
from asymp.montecarlo.running.store import MARKER, Store, default_folder
from asymp.montecarlo.running.upkeep import clear_away, verify


def sample(draw, *, d):
    raise AssertionError("only its name is used")


EXPERIMENT = experiment("made-up", sample, block=4)


def cell(first=0, last=2, d=3.0, **changes):
    series = Series(EXPERIMENT, {"d": d}, seed=1, device="cpu")
    values = np.random.default_rng(first).normal(size=(last - first) * 4)
    fields = {"key": series.key, "names": series.names, "first": first, "last": last, "values": values}
    return Cell(**{**fields, "seconds": 0.25, "provenance": machine("cpu"), **changes})


def test_a_cell_comes_back_to_the_bit(tmp_path):
    kept = cell(values=np.array([0.1, -0.0, 5e-324, 1.7976931348623157e308, 1 / 3, 2.0, 3.0, 4.0]) / 1)
    Store(tmp_path).write(kept)
    found = Store(tmp_path).read(kept.key, 0, 2)
    assert found.values.tobytes() == kept.values.tobytes()
    assert found.header == kept.header
    assert Store(tmp_path).ranges(kept.key) == {(0, 2)}
    assert found.statistics["count"] == 8


def test_the_key_is_of_everything_that_determines_the_bits():
    def key(experiment_=EXPERIMENT, d=3, seed=1):
        return Series(experiment_, {"d": d}, seed=seed, device="cpu").key

    def other(draw, *, d):
        return None

    assert key() == key(d=3.0) == key(d=np.float64(3))
    different = [
        key(d=4),
        key(seed=2),
        key(experiment("made-up", sample, block=8)),
        key(experiment("made-up", sample, block=4, version=2)),
        key(experiment("made-up-2", sample, block=4)),
        key(experiment("made-up", other, block=4)),
    ]
    assert len({key(), *different}) == 7


def test_no_changed_byte_is_believed():
    data = encode(cell())
    for position in range(len(data)):
        for changed in (data[:position] + bytes([data[position] ^ 0x41]) + data[position + 1 :], data[:position]):
            with pytest.raises((Damaged, ValueError)):
                decode(changed)
    with pytest.raises(Damaged):
        decode(data + b"x")


def test_a_damaged_file_is_named_set_aside_and_not_there_any_more(tmp_path):
    kept, whole = cell(), cell(first=2, last=3)
    store = Store(tmp_path)
    store.write(kept)
    store.write(whole)
    file = store.path(kept.key, 0, 2)
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    file.write_bytes(data)
    assert store.read(kept.key, 0, 2) is None
    assert store.aside == [(file.name, "its checksum is wrong")]
    assert not file.exists() and (tmp_path / "damaged" / file.name).is_file()
    assert store.ranges(kept.key) == Store(tmp_path).ranges(kept.key) == {(2, 3)}
    # A file under another cell's name is not believed either.
    os.replace(store.path(kept.key, 2, 3), store.path(kept.key, 3, 4))
    assert Store(tmp_path).read(kept.key, 3, 4) is None


def test_verify_counts_and_clearing_away(tmp_path):
    store = Store(tmp_path)
    for first in range(3):
        store.write(cell(first=first, last=first + 1))
    store.path(cell().key, 1, 2).write_bytes(b"asymp cell 1\nnonsense")
    left = tmp_path / "temporary" / "x.part"
    left.write_bytes(b"half")
    sound, damaged = verify(Store(tmp_path))
    assert sound == 2 and len(damaged) == 1
    # A fresh temporary file may belong to a writer that lives; an old one does not.
    assert clear_away(Store(tmp_path), outdated=lambda c: False, dry_run=True).leftovers == 0
    os.utime(left, (0, 0))
    removed = clear_away(Store(tmp_path), outdated=lambda c: c.first == 0)
    assert (removed.leftovers, removed.damaged, removed.outdated) == (1, 1, 1)
    assert [blocks for _, blocks in Store(tmp_path).all()] == [(2, 3)]


def contents(place):
    return place.read_text() if place.is_file() else {file.name: file.read_text() for file in place.iterdir()}


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda p: p.write_text("a file"), "the store is a file"),
        (lambda p: (p.mkdir(), (p / MARKER).write_text('{"format": 99}')), "newer version of asymp"),
        (lambda p: (p.mkdir(), (p / MARKER).write_text("nonsense")), "cannot be understood"),
        (lambda p: (p.mkdir(), (p / "thesis.tex").write_text("x")), "is no store"),
    ],
)
def test_a_store_that_is_none_is_told_in_a_sentence_and_left_alone(asymp, tmp_path, prepare, words):
    place = tmp_path / "place"
    prepare(place)
    before = contents(place)
    with pytest.raises(ValueError, match=words):
        Store(place)
    assert_refused(asymp("check", CHEAP, "--store", place), words)
    assert contents(place) == before


def test_a_full_disk_leaves_nothing_half_written(tmp_path):
    # A limit on the size of files makes writes fail as a full disk does, after a part of the bytes.
    store, kept = Store(tmp_path), cell()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            store.write(kept)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list((tmp_path / "temporary").iterdir()) == []
    assert list(Store(tmp_path).all()) == []


def test_nothing_of_the_machine_is_in_a_cell(tmp_path, monkeypatch):
    home = os.path.expanduser("~")
    monkeypatch.setattr(
        sys,
        "argv",
        ["/somewhere/bin/asymp", "check", "-s", "alpha=3/2", "--store", str(tmp_path), "--claims=/home/me/mine.py",
         "--cluster", "tcp://secret:8786", "-o", str(tmp_path / "out")],
    )  # fmt: skip
    command = command_line(tmp_path)
    assert command == "asymp check -s alpha=3/2 --store . --claims=mine.py --cluster tcp://... -o out"
    text = json.dumps({**machine("cpu"), **describe_machine(), "command": command})
    for secret in (socket.gethostname(), home, str(tmp_path), os.path.dirname(__file__)):
        assert len(secret) < 4 or secret not in text
    assert {"asymp", "commit", "python", "torch", "numpy", "cpu", "device", "generator"} == set(machine("cpu"))
    assert {"cpu", "cores", "gpu", "python", "torch", "numpy"} == set(describe_machine())


def test_the_default_place_is_the_cache_folder(monkeypatch):
    monkeypatch.delenv("ASYMP_STORE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    if sys.platform == "linux":
        assert default_folder().as_posix() == "/cache/asymp/store"
    monkeypatch.setenv("ASYMP_STORE", "/elsewhere")
    assert default_folder().as_posix() == "/elsewhere"
