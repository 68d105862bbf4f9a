"""Verdicts, claims and laws as plain data for JSON. Infinity and NaN, which JSON lacks, become strings and null."""

import json
import math
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from asymp.reports.verdict import PartVerdict, Verdict

__all__ = ["clean", "dumps", "part_data", "verdict_data"]


def clean(value: Any) -> Any:
    """A JSON-able copy of nested data."""
    if isinstance(value, dict):
        return {str(k): clean(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [clean(v) for v in value]
    if isinstance(value, Fraction):
        return float(value)
    if hasattr(value, "tolist"):
        return clean(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def dumps(value: Any) -> str:
    """JSON text, two spaces of indentation."""
    return json.dumps(clean(value), indent=2, ensure_ascii=False)


def part_data(part: PartVerdict) -> dict[str, Any]:
    """A part's verdict with its triad and its cells."""
    judgement = part.judgement
    return {
        "name": part.name,
        "kind": part.kind,
        "statement": part.statement,
        "law": part.law,
        "outcome": part.outcome,
        "expected": part.expected,
        "erratum": asdict(part.erratum) if part.erratum else None,
        "margin": part.margin,
        "budget": part.budget,
        "p_value": judgement.p_value,
        "words": judgement.words,
        "smallest_discrepancy": judgement.seen,
        "discrepancy_unit": judgement.unit,
        "discrepancy_wanted": judgement.wanted,
        "replicas_needed": judgement.needed,
        "numbers": judgement.numbers,
        "cells": [{**asdict(cell), "ratio": cell.ratio} for cell in judgement.cells],
    }


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """A claim's verdict with all its parts."""
    return {
        "claim": verdict.claim,
        "outcome": verdict.outcome,
        "as_expected": verdict.as_expected,
        "preset": verdict.preset,
        "seed": verdict.seed,
        "budget": verdict.budget,
        "settings": verdict.settings,
        "missing": list(verdict.missing),
        "parts": [part_data(part) for part in verdict.parts.values()],
    }
