"""Stores that are read-only, full, or hold what is no cell: nothing is lost, nothing hangs, and it is said."""

import errno
import os

import pytest
from support.own_claims import FLAT, cells_in

from asymp.montecarlo.running.store import MARKER, Store
from asymp.reports.check import RunLog, check_many
from asymp.reports.claims_file import load_claims


@pytest.fixture
def filled(tmp_path):
    load_claims(str(FLAT))
    verdict = check_many(["flat"], store=tmp_path / "store")[0]
    return tmp_path / "store", verdict


@pytest.mark.parametrize("why", [errno.EROFS, errno.ENOSPC, errno.EACCES])
def test_a_store_that_cannot_be_written_loses_no_verdict(filled, why, monkeypatch):
    folder, verdict = filled

    def refuse(*given, **more):
        raise OSError(why, os.strerror(why))

    with monkeypatch.context() as patched:
        for name in ("replace", "fsync", "unlink", "mkdir"):
            patched.setattr(os, name, refuse)
        log = RunLog()
        found = check_many(["flat"], seed=1, store=folder, log=log)[0]
    assert found.outcome == verdict.outcome and not found.missing
    assert log.unkept == 160 and os.strerror(why) in log.why_unkept


def test_a_store_whose_marker_was_deleted_is_still_a_store(filled):
    folder, _ = filled
    (folder / MARKER).unlink()
    log = RunLog()
    check_many(["flat"], store=Store(folder), log=log)
    assert log.computed == 0


@pytest.mark.parametrize("kind", ["device", "pipe", "folder"])
def test_a_device_or_a_pipe_in_the_place_of_a_cell_is_set_aside(filled, kind):
    folder, verdict = filled
    cell = next(folder.glob("cells/*/*.cell"))
    cell.unlink()
    {"device": lambda: cell.symlink_to("/dev/zero"), "pipe": lambda: os.mkfifo(cell), "folder": cell.mkdir}[kind]()
    log = RunLog()
    found = check_many(["flat"], store=folder, log=log)[0]
    assert found.outcome == verdict.outcome and log.computed == 1 and len(cells_in(folder)) == 160
    assert any("set aside" in note for note in log.notices)


def test_a_pipe_in_the_place_of_the_marker_is_one_sentence(filled):
    folder, _ = filled
    (folder / MARKER).unlink()
    os.mkfifo(folder / MARKER)
    with pytest.raises(ValueError, match="it is no plain file; give another folder"):
        Store(folder)
