"""The calibration of the verdicts themselves, claim by claim: true laws are seldom refuted, wrong ones nearly always.

Size: each part's right law (the corrected one, for an erratum) is tested at 5 % on fresh seeds with few replicas. The
number of refutations must be compatible with 5 % (one-sided binomial test at 1e-3), and the p-values nowhere smaller
than uniform: at five levels (binomial tests at 1e-3 together) and everywhere (Dvoretzky-Kiefer-Wolfowitz at 1e-3).

Power: the wrong laws of `controls` are judged, at the claim's own budget, on resamplings of the replicas of one run at
`standard`, and once on each of a few fresh seeds at `quick`. A resampling takes as few of the run's replicas as it needs
to refute (1024, 4096, ... up to all): more replicas only refute a wrong law the more.

A claim is one line of JSON in the output file; lines that are there are not computed again, so a run can be resumed.
"""

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import bdtrc

from asymp.montecarlo import Estimate
from asymp.montecarlo.blocks import derive_seed
from asymp.reports.claimbook import claims
from asymp.reports.controls import Control, controls
from asymp.reports.declare import Claim, Part
from asymp.reports.index import INDEX, LEDGER_SIZE
from asymp.reports.judge import judge
from asymp.reports.judge.groups import groups_without
from asymp.reports.measured import Measured, Measurements
from asymp.reports.run import BUDGET, judge_parts

__all__ = ["calibrate_claim", "calibrate_claims", "claims_text", "power_of_controls", "size_of_part"]

LEVEL = 0.05
ERROR = 1e-3
LEVELS = (0.001, 0.01, 0.05, 0.2, 0.5)
# Few replicas, so that 400 seeds are cheap; enough of them that Student's statistic may be used.
SMALL, FEWEST_CELLS = 256, 4
RESAMPLINGS, FRESH = 200, 5
FIRST_SHARE = 1024
FILE = "asymp-calibration-claims.jsonl"


def size_of_part(claim: str, part: Part, *, seeds: int, seed: int = 0) -> dict[str, Any]:
    """How often the right law is refuted at 5 %, over fresh seeds at a reduced size, and how small its p-values are."""
    right = part.with_corrected_law() if part.erratum else part
    cells = _reduced(right)
    p_values = []
    for i in range(seeds):
        fresh = derive_seed("calibrate", claim, part.name, seed, i)
        found = [(c, right.experiment.run(**c, replicas=_replicas(right, c), seed=fresh)) for c in cells]
        judged = judge(right, found, level=LEVEL)
        p_values.append(judged.p_value if judged.could_refute else 1.0)
    return {"part": part.name, "kind": part.kind, "cells": len(cells), **_size(np.array(p_values))}


def _size(p: np.ndarray) -> dict[str, Any]:
    n = len(p)
    refuted = int(np.count_nonzero(p <= LEVEL))
    below = {level: int(np.count_nonzero(p <= level)) for level in LEVELS}
    ordered = np.sort(p)
    distance = float(np.max(np.arange(1, n + 1) / n - ordered, initial=0.0, where=ordered < 1))
    return {
        "seeds": n,
        "refuted": refuted,
        "share": refuted / n,
        "binomial_p": _at_least(refuted, n, LEVEL),
        "below": {str(level): count for level, count in below.items()},
        "above_uniform": distance,
        "allowed": math.sqrt(math.log(1 / ERROR) / (2 * n)),
        "good": bool(
            _at_least(refuted, n, LEVEL) >= ERROR
            and all(_at_least(count, n, level) >= ERROR / len(LEVELS) for level, count in below.items())
            and distance <= math.sqrt(math.log(1 / ERROR) / (2 * n))
        ),
    }


def _at_least(count: int, n: int, level: float) -> float:
    """The probability that a binomial variable is at least `count`."""
    return 1.0 if count == 0 else float(bdtrc(count - 1, n, level))


def _reduced(part: Part) -> list[dict[str, Any]]:
    """Four cells spread over the quick grid; of a rate or a capacity all sizes of its first group."""
    cells = part.cells("quick", {})
    if part.kind == "rate":
        assert part.variable is not None
        return [c for c, _ in groups_without([(c, None) for c in cells], part.variable)[0][1]]
    if part.kind == "capacity":
        assert part.size is not None
        if part.variable is not None:
            return cells
        return [c for c, _ in groups_without([(c, None) for c in cells], part.size)[0][1]]
    return _spread(cells, FEWEST_CELLS)


def _spread(cells: Sequence[Any], most: int) -> list[Any]:
    if len(cells) <= most:
        return list(cells)
    return [cells[round(i * (len(cells) - 1) / (most - 1))] for i in range(most)]


def _replicas(part: Part, cell: Mapping[str, Any]) -> int:
    return int(min(SMALL, part.replicas_at("quick", cell)))


# -- power -----------------------------------------------------------------------------------------------------------


def power_of_controls(
    claim: Claim, *, resamplings: int, fresh: int, seed: int = 0, preset: str = "standard", folder: Path | None = None
) -> list[dict[str, Any]]:
    """How often each wrong law is refuted, and called supported, in resamplings of one run and on fresh seeds."""
    run = Measurements(seed=seed, folder=folder)
    others = [Measurements(seed=derive_seed("fresh", seed, i)) for i in range(fresh)]
    rows = []
    with _one_fit_a_sample():
        for control in controls(claim):
            cells = run.part(control.part, preset=preset, most=control.most)
            if control.part.kind not in ("rate", "capacity"):
                cells = _spread(cells, 8)
            wrong = control.wrong(cells)
            random = np.random.default_rng(derive_seed("resample", claim.id, control.part.name, seed))
            outcomes = [_resampled(wrong, cells, random) for _ in range(resamplings)]
            confirmed = sum(_outcome(control, other) == "refuted" for other in others)
            rows.append(
                {
                    "part": control.part.name,
                    "how": control.how,
                    "refuted": outcomes.count("refuted"),
                    "supported": outcomes.count("supported"),
                    "resamplings": resamplings,
                    "confirmed": confirmed,
                    "fresh": fresh,
                    "good": bool(
                        outcomes.count("refuted") >= 0.95 * resamplings
                        and outcomes.count("supported") <= 0.01 * resamplings
                        and confirmed == fresh
                    ),
                }
            )
    return rows


def _outcome(control: Control, run: Measurements) -> str:
    # a bound is moved to the measured value, which takes the replicas of `standard`
    cells = run.part(control.part, preset=control.preset, most=control.most)
    return _judged(control.wrong(cells), cells)


def _judged(wrong: Part, cells: Measured) -> str:
    return judge_parts([wrong], [cells], budget=BUDGET / LEDGER_SIZE)[wrong.name].outcome


def _resampled(wrong: Part, cells: Measured, random: np.random.Generator) -> str:
    """The outcome on resampled replicas: 1024 of each cell, or four times as many until the wrong law is refuted."""
    whole = max(e.replicas for _, e in cells)
    share = FIRST_SHARE
    while True:
        drawn = [(c, _resample(e, min(share, e.replicas), random)) for c, e in cells]
        outcome = _judged(wrong, drawn)
        if outcome == "refuted" or share >= whole:
            return outcome
        share *= 4


def _resample(estimate: Estimate, count: int, random: np.random.Generator) -> Estimate:
    return Estimate(values=random.choice(estimate.values, size=count), bounds=estimate.bounds)


@contextmanager
def _one_fit_a_sample() -> Iterator[None]:
    """Within, an exponent is fitted once to a sample, however many wrong exponents are compared with it."""
    from asymp.reports.judge import rate

    original = vars(rate)["fit_exponent"]
    known: dict[tuple[Any, ...], Any] = {}

    def fit(sizes: Any, samples: Any, **options: Any) -> Any:
        key = (tuple(sizes), hash(b"".join(np.ascontiguousarray(s).tobytes() for s in samples)), repr(options))
        if key not in known:
            known[key] = original(sizes, samples, **options)
        return known[key]

    vars(rate)["fit_exponent"] = fit
    try:
        yield
    finally:
        vars(rate)["fit_exponent"] = original


# -- whole claims ----------------------------------------------------------------------------------------------------


def calibrate_claim(
    id: str,
    *,
    seeds: int = 400,
    resamplings: int = RESAMPLINGS,
    fresh: int = FRESH,
    seed: int = 0,
    preset: str = "standard",
    folder: Path | None = None,
) -> dict[str, Any]:
    """Size and power of one claim."""
    start = time.perf_counter()
    claim = claims[id]
    sizes = [size_of_part(id, part, seeds=seeds, seed=seed) for part in claim.parts]
    power = power_of_controls(claim, resamplings=resamplings, fresh=fresh, seed=seed, preset=preset, folder=folder)
    return {
        "claim": id,
        "seed": seed,
        "size": sizes,
        "power": power,
        "good": all(row["good"] for row in (*sizes, *power)),
        "seconds": round(time.perf_counter() - start, 1),
    }


def calibrate_claims(
    ids: Sequence[str] = (),
    *,
    seeds: int = 400,
    resamplings: int = RESAMPLINGS,
    fresh: int = FRESH,
    seed: int = 0,
    preset: str = "standard",
    workers: int = 2,
    file: Path | None = None,
) -> list[dict[str, Any]]:
    """Calibrate claims (all, if none is named); finished ones are read from `file`, new ones are added to it."""
    chosen = list(ids) or list(INDEX)
    rows = {} if file is None else _finished(file, seed)
    left = [id for id in chosen if id not in rows]
    options: dict[str, Any] = {
        "seeds": seeds,
        "resamplings": resamplings,
        "fresh": fresh,
        "seed": seed,
        "preset": preset,
        "folder": None if file is None else file.with_suffix(".cells"),
    }
    for row in _computed(left, options, workers):
        rows[row["claim"]] = row
        if file is not None:
            with file.open("a") as out:
                out.write(json.dumps(row) + "\n")
    return [rows[id] for id in chosen]


def _computed(ids: Sequence[str], options: dict[str, Any], workers: int) -> Iterator[dict[str, Any]]:
    if workers == 1 or len(ids) <= 1:
        yield from (calibrate_claim(id, **options) for id in ids)
        return
    with ProcessPoolExecutor(max_workers=workers) as pool:
        for done in as_completed([pool.submit(calibrate_claim, id, **options) for id in ids]):
            yield done.result()


def _finished(file: Path, seed: int) -> dict[str, dict[str, Any]]:
    if not file.exists():
        return {}
    rows = []
    for line in file.read_text().splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            continue  # the line that was being written when a run was stopped
    return {row["claim"]: row for row in rows if row["seed"] == seed}


def claims_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table: a line a claim, and a line for every figure that is not as it should be."""
    lines = [
        "claim                    parts  refuted at 5 % (most)  wrong laws  refuted (least)  supported (most)  seconds"
    ]
    for row in rows:
        size, power = row["size"], row["power"]
        most = max(size, key=lambda r: r["share"])
        least = min((r["refuted"] / r["resamplings"] for r in power), default=1.0)
        called = max((r["supported"] / r["resamplings"] for r in power), default=0.0)
        lines.append(
            f"{row['claim']:<24} {len(size):>5}  {most['refuted']:>6} of {most['seeds']:<11} {len(power):>10}  "
            f"{100 * least:>14.1f}%  {100 * called:>15.1f}%  {row['seconds']:>7}{'' if row['good'] else '  NOT AS IT SHOULD BE'}"
        )
        for r in (r for r in size if not r["good"]):
            lines.append(
                f"    {r['part']}: refuted {r['refuted']} of {r['seeds']} at 5 % (p = {r['binomial_p']:.2g}), p-values below "
                f"{r['below']}, {r['above_uniform']:.3f} above uniform ({r['allowed']:.3f} allowed)"
            )
        for r in (r for r in power if not r["good"]):
            lines.append(
                f"    {r['part']}, {r['how']}: refuted {r['refuted']}, supported {r['supported']} of {r['resamplings']}, "
                f"confirmed {r['confirmed']} of {r['fresh']}"
            )
    good = sum(bool(row["good"]) for row in rows)
    return "\n".join(
        [
            *lines,
            f"{good} of {len(rows)} claims are calibrated: at most 5 % of right laws, at least 95 % of wrong ones.",
        ]
    )


def main() -> None:
    """`python -m asymp.reports.claim_calibration [CLAIM...] [--seeds 400] ...`."""
    import argparse

    parser = argparse.ArgumentParser(description="How often right laws and wrong ones are refuted, claim by claim.")
    parser.add_argument("claim", nargs="*")
    parser.add_argument("--seeds", type=int, default=400)
    parser.add_argument("--resamplings", type=int, default=RESAMPLINGS)
    parser.add_argument("--fresh", type=int, default=FRESH)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--preset", default="standard")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--output", type=Path, default=Path(FILE))
    given = parser.parse_args()
    rows = calibrate_claims(
        given.claim,
        seeds=given.seeds,
        resamplings=given.resamplings,
        fresh=given.fresh,
        seed=given.seed,
        preset=given.preset,
        workers=given.workers,
        file=given.output,
    )
    print(claims_text(rows))


if __name__ == "__main__":
    main()
