"""The report: one self-contained page, the same as JSON and as Markdown."""

import platform
import re
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from itertools import product
from pathlib import Path
from shlex import quote
from typing import Any

from asymp.reports.claimbook import claims
from asymp.reports.declare import Claim
from asymp.reports.describe import claim_data
from asymp.reports.figures import part_svg
from asymp.reports.folder import write_whole
from asymp.reports.judge.cells import spell
from asymp.reports.run import BUDGET
from asymp.reports.serialise import dumps, verdict_data
from asymp.reports.texts import erratum_words, headline, triad
from asymp.reports.verdict import PartVerdict, Verdict
from asymp.theory import Law, __version__

__all__ = ["write_report"]

LIBRARIES = ("torch", "sympy", "mpmath", "numpy", "scipy")
CAPTIONS = {
    "rate": "Points: measured means with a simultaneous 95 % band. Dashed: the law, its open constant set at the largest "
    "size. Below: measured over law.",
    "identity": "Measured over predicted at every point, simultaneous 95 % band; shaded: the declared margin.",
    "constant": "Points: measured means with a simultaneous 95 % band. Line: the law, with no free parameter. "
    "Below: measured over law; shaded: the declared margin.",
    "bound": "Measured mean over the bound, with a simultaneous 95 % band; the bound is the line at 1.",
    "capacity": "Points: measured capacities with a simultaneous 95 % band. Line: the law (dashed: its open constant set at the "
    "largest size). Below: measured over law.",
    "order": "Mean over the runs with a simultaneous 95 % band, over the limit that every run has to respect, the line at 1.",
}


def write_report(verdicts: Sequence[Verdict], folder: str | Path = "asymp-report") -> list[Path]:
    """Write index.html, report.json and report.md; all of them or none."""
    if not verdicts:
        raise ValueError("there is nothing to report: no claim was checked")
    context = report_data(verdicts)
    page = _render(context, verdicts)
    return write_whole(
        folder, {"index.html": page, "report.json": dumps(context) + "\n", "report.md": _markdown(context)}
    )


def report_data(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Everything that the report says, as plain data."""
    return {
        "asymp": __version__,
        "headline": headline(verdicts),
        "preset": verdicts[0].preset,
        "seed": verdicts[0].seed,
        "budget": BUDGET,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "measured_with": _origins(verdicts),
        "claims": [_claim(verdict) for verdict in verdicts],
    }


def _origins(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """What computed the values, each combination of processor, device, generator and versions once."""
    found: list[dict[str, Any]] = []
    for verdict in verdicts:
        found += [origin for origin in verdict.origins if origin not in found]
    return sorted(found, key=str)


def _claim(verdict: Verdict) -> dict[str, Any]:
    declared = claim_data(claims[verdict.claim])
    found = verdict_data(verdict)
    words = {part["name"]: part for part in declared["parts"]}
    parts = [{**words[part["name"]], **part, "triad": triad(verdict.parts[part["name"]])} for part in found["parts"]]
    return {**declared, **found, "parts": parts, "repeat": _repeat(verdict)}


def _repeat(verdict: Verdict) -> dict[str, str]:
    settings = verdict.settings
    options = "".join(f" -s {name}={_plain(value)}" for name, value in settings.items())
    given = f", settings={settings!r}" if settings else ""
    return {
        "command": f"asymp check {quote(verdict.claim)}{options} --preset {verdict.preset} --seed {verdict.seed}",
        "python": "from asymp.reports import check\n"
        f'verdict = check({verdict.claim!r}, preset="{verdict.preset}", seed={verdict.seed}{given})\nprint(verdict)',
    }


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _render(context: dict[str, Any], verdicts: Sequence[Verdict]) -> str:
    from jinja2 import Environment
    from markupsafe import Markup

    templates = files("asymp.reports") / "templates"
    environment = Environment(autoescape=True, trim_blocks=True)
    # The badge holds nothing but one of the three outcomes.
    badge = {o: Markup(f'<span class="badge {o}">{o}</span>') for o in ("supported", "refuted", "inconclusive")}
    page = environment.from_string((templates / "index.html").read_text(encoding="utf-8"))
    return page.render(
        style=(templates / "style.css").read_text(encoding="utf-8"),
        headline=context["headline"],
        version=__version__,
        preset=context["preset"],
        seed=context["seed"],
        budget=f"{BUDGET:g}",
        versions=", ".join(f"{name} {number}" for name, number in context["versions"].items()),
        measured_with=[
            f"{o['cpu'] if o['device'] == 'cpu' else o['device']}, torch {o['torch']}, {o['generator']}, asymp {o['asymp']}"
            + (f", commit {o['commit']}" if o["commit"] else "")
            for o in context["measured_with"]
        ],
        claims=[_page_claim(data, v) for data, v in zip(context["claims"], verdicts, strict=True)],
        badge=badge.__getitem__,
    )


def _page_claim(data: dict[str, Any], verdict: Verdict) -> dict[str, Any]:
    claim = claims[verdict.claim]
    anchor = "claim-" + _slug(verdict.claim)
    parts = [_page_part(claim, part, verdict.parts[part["name"]], anchor) for part in data["parts"]]
    return {**data, **data["repeat"], "anchor": anchor, "budget": f"{verdict.budget:.2g}", "parts": parts}


def _page_part(claim: Claim, data: dict[str, Any], verdict: PartVerdict, anchor: str) -> dict[str, Any]:
    declared = next(part for part in claim.parts if part.name == verdict.name)
    name = f"{anchor}-{_slug(verdict.name)}"
    cells = [
        {
            "setting": spell(cell.params),
            "predicted": f"{cell.predicted:.5g}",
            "mean": f"{cell.mean:.5g}",
            "low": f"{cell.low:.4g}",
            "high": f"{cell.high:.4g}",
            "ratio": f"{cell.ratio:.4f}",
            "replicas": cell.replicas,
        }
        for cell in verdict.judgement.cells
    ]
    return {
        **data,
        "anchor": name,
        "mathml": declared.law.mathml(),
        "variants": _variants(declared.law),
        "svg": part_svg(declared, verdict, prefix=name),
        "caption": CAPTIONS[verdict.kind],
        "cells": cells,
        "as_expected": verdict.as_expected,
    }


def _variants(law: Law) -> list[dict[str, str]]:
    """The formula for every choice of words, such as the laws of the embeddings."""
    words = law.words
    if not words:
        return []
    choices = [dict(zip(words, chosen, strict=True)) for chosen in product(*words.values())]
    return [{"words": spell(chosen), "mathml": law.mathml(**chosen)} for chosen in choices]


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-") or "x"


def _markdown(context: dict[str, Any]) -> str:
    lines = [
        "# Theory against experiment",
        "",
        f"{context['headline']}. asymp {context['asymp']}, preset {context['preset']}, seed {context['seed']}.",
        "",
        "| claim | kind | verdict | parts |",
        "|---|---|---|---|",
    ]
    for claim in context["claims"]:
        parts = "; ".join(f"{p['name']} {p['outcome']}{' (erratum)' if p['erratum'] else ''}" for p in claim["parts"])
        lines.append(f"| {_cell(claim['id'])} | {claim['kind']} | {claim['outcome']} | {_cell(parts)} |")
    for claim in context["claims"]:
        lines += [
            "",
            f"## {_cell(claim['id'])}: {claim['outcome']}",
            "",
            f"{_cell(claim['title'])}. Source: {_cell(claim['source'])}.",
        ]
        for part in claim["parts"]:
            lines += [
                "",
                f"### {_cell(part['name'])}: {part['outcome']}",
                "",
                _cell(part["statement"]),
                "",
                f"$${part['latex']}$$",
            ]
            if part["erratum"]:
                lines += ["", f"Erratum: {erratum_words(part['erratum'])}"]
            lines += ["", part["words"], "", part["triad"]]
        lines += ["", "```", claim["repeat"]["command"], "```"]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
