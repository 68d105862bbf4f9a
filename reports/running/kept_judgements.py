"""Judgements of the ledger's claims, kept by the hash of the measured values and of the code that judges them."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from asymp.montecarlo import Estimate
from asymp.montecarlo.sweep.work import Missing
from asymp.reports.running.kept import Kept, code_hash, same
from asymp.reports.verdict import Cell, Judgement

__all__ = ["judgement_key", "keep", "recall"]

KIND = "judgements"
Measured = Sequence[Sequence[tuple[dict[str, Any], Estimate | Missing]]]


def judgement_key(claim: str, measured: Measured, budget: float) -> str | None:
    """The hash of everything that a claim's judgements come from; None if something was not measured."""
    whole = hashlib.sha256(f"{code_hash()} {claim} {budget!r}".encode())
    for part in measured:
        whole.update(b"part")
        for params, estimate in part:
            if not isinstance(estimate, Estimate):
                return None
            about = [sorted(params.items()), estimate.bounds, estimate.sequential, estimate.budget, estimate.replicas]
            whole.update(repr(about).encode() + estimate.values.tobytes())
    return whole.hexdigest()[:40]


def recall(kept: Kept, key: str) -> list[Judgement] | None:
    """The judgements of a claim's parts, if they are kept."""
    body = kept.get(KIND, key)
    if body is None:
        return None
    return [Judgement(**{**row, "cells": tuple(Cell(**cell) for cell in row["cells"])}) for row in json.loads(body)]


def keep(kept: Kept, key: str, judgements: Sequence[Judgement]) -> None:
    """Keep the judgements of a claim's parts, unless writing them down would change them."""
    rows = [{**asdict(judgement), "cells": [asdict(cell) for cell in judgement.cells]} for judgement in judgements]
    try:
        text = json.dumps(rows, ensure_ascii=False)
    except (TypeError, ValueError):
        return
    if same(json.loads(text), rows):
        kept.put(KIND, key, text.encode())
