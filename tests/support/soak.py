"""A soak: many runs of one claim, each hurt in one way, then finished; the same result, or what is missing is said.

`make soak` does 200: kills at random moments (survive.py), a store that is full or read-only, two writers at once. Each ends
with the values and the verdict of a run that nobody touched. A Dask worker that is lost is in tests/montecarlo/running.
"""

import argparse
import errno
import json
import os
import random
import sys
import tempfile
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))

from survive import child, result, survive, values_hash


def hurt_store(folder: Path, why: int, first: int) -> str:
    """A run whose store fails from its n-th write on: it must have its verdict, and say what was not kept; then finish it."""
    real, writes = os.replace, 0

    def failing(*given, **more):
        nonlocal writes
        writes += 1
        if writes >= first:
            raise OSError(why, os.strerror(why))
        return real(*given, **more)

    with mock.patch("os.replace", failing):
        hurt = result(folder)
    unkept, reason = hurt["unkept"]
    assert unkept, "nothing was hurt"
    assert reason == os.strerror(why), "what was not kept was not said"
    whole = result(folder)
    assert whole["verdict"]["outcome"] == hurt["verdict"]["outcome"], "another verdict"
    return values_hash(folder)


def two_writers(folder: Path) -> str:
    """Two processes fill one store at the same time."""
    for pid in [child(folder, None), child(folder, None)]:
        _, status = os.waitpid(pid, 0)
        assert status == 0, "a writer failed"
    return values_hash(folder)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    source = random.Random(given.seed)
    counts = {"full disk": given.runs // 8, "read-only": given.runs // 8, "two writers": given.runs // 4}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        done = survive(given.runs - sum(counts.values()), seed=given.seed, folder=folder)
        wanted = values_hash(folder / "untouched")
        for what, number in counts.items():
            for i in range(number):
                store = folder / f"{what} {i}"
                if what == "two writers":
                    found = two_writers(store)
                else:
                    why = errno.ENOSPC if what == "full disk" else errno.EROFS
                    found = hurt_store(store, why, source.randint(2, 30))
                assert found == wanted, f"other values: {what}"
        print(json.dumps({**done, **counts}))


if __name__ == "__main__":
    main()
