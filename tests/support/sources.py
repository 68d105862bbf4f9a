"""The table of what every experiment's code was when its version was given: tests/support/experiment_sources.json.

`.venv/bin/python tests/support/sources.py` brings it up to date: new experiments, new versions, and experiments that
are gone. Code that changed under an old version is refused: raise the experiment's version. Where the change cannot
alter a value (a better name, another order of checks), `--same-values` takes the new code in under the old version;
results kept by the old code are computed again all the same.
"""

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

TABLE = Path(__file__).with_name("experiment_sources.json")


def experiments() -> dict:
    """Every experiment of asymp by id: those that modules declare, and those that claims use."""
    import asymp.montecarlo
    from asymp.montecarlo import Experiment
    from asymp.reports.claimbook import claims
    from asymp.reports.index import INDEX

    found = {}
    for module in walk_packages(asymp.montecarlo.__path__, "asymp.montecarlo."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Experiment):
                found.setdefault(value.id, []).append(value)
    for id in INDEX:
        for part in claims[id].parts:
            found.setdefault(part.experiment.id, []).append(part.experiment)
    return found


def sources() -> dict:
    """Version and hash of the code of every experiment, by id."""
    from asymp.montecarlo.store.source import source_hash

    return {
        id: {"version": same[0].version, "source": source_hash(same[0].sample)}
        for id, same in sorted(experiments().items())
    }


def changed(table: dict, now: dict) -> list[str]:
    """The experiments whose code is not what it was under the same version."""
    return [
        id
        for id, old in table.items()
        if id in now and old["version"] == now[id]["version"] and old["source"] != now[id]["source"]
    ]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--same-values", action="store_true", help="the changes cannot alter a value")
    given = parser.parse_args()
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    now = sources()
    bad = changed(table, now)
    if bad and not given.same_values:
        sys.exit(
            f"the code of {', '.join(bad)} changed and the version did not: raise it, or say --same-values if no value changes"
        )
    TABLE.write_text(json.dumps(now, indent=1) + "\n")
    print(f"{len(now)} experiments")


if __name__ == "__main__":
    main()
