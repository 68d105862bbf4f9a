"""Everything that the report says, as plain data: report.json, and what all pages are made from."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from shlex import quote
from typing import Any

from asymp.reports.claimbook import claims
from asymp.reports.command.texts import headline, triad
from asymp.reports.declare import Claim
from asymp.reports.describe import claim_data
from asymp.reports.index import INDEX, SECTIONS
from asymp.reports.pages.corrections import corrections
from asymp.reports.pages.errata import errata_data
from asymp.reports.pages.formulas import formulas
from asymp.reports.pages.hands import Hands
from asymp.reports.pages.names import anchor, file_name
from asymp.reports.pages.part_figures import caption, figure_data
from asymp.reports.pages.rules import rule
from asymp.reports.pages.summary import cost, summary
from asymp.reports.pages.unmeasured import claim_unmeasured, unmeasured_data
from asymp.reports.running.kept import LIBRARIES, Kept
from asymp.reports.running.run import BUDGET
from asymp.reports.serialise import verdict_data
from asymp.reports.verdict import Verdict
from asymp.theory import Law, __version__, errata, laws

__all__ = ["figure_key", "report_data"]

Drawn = dict[tuple[str, str], dict[str, Any]]


def report_data(verdicts: Sequence[Verdict], kept: Kept, hands: Hands | None = None) -> tuple[dict[str, Any], Drawn]:
    """What the report says, and what its figures show, by claim and part; `hands` help with what takes long."""
    hands = hands or Hands()
    drawn: Drawn = {}
    begun = corrections(verdicts, kept, hands)
    formula = formulas(kept, hands, _laws(verdicts))
    corrected = {part: values() for part, values in begun.items()}
    found = [_claim(verdict, formula, corrected, drawn) for verdict in verdicts]
    return {
        "asymp": __version__,
        "headline": headline(verdicts),
        "preset": verdicts[0].preset,
        "seed": verdicts[0].seed,
        "budget": BUDGET,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "measured_with": _origins(verdicts),
        "claims": found,
        "errata": errata_data(verdicts, found, formula, corrected),
        "not_measured": unmeasured_data(verdicts, found),
    }, drawn


def _laws(verdicts: Sequence[Verdict]) -> list[Law]:
    """The laws whose formulas the report shows: those of the parts, and those of the errata with their corrections."""
    ids = [verdict.claim for verdict in verdicts]
    own = [part.law for id in ids for part in claims[id].parts]
    return own + [laws[name] for id, e in errata() if id.partition(":")[0] in ids for name in (id, e.corrected_by)]


def figure_key(claim: str, part: str) -> str:
    """The name of a figure's files, without their ending."""
    return f"{file_name(claim)}-{file_name(part)}"


def _origins(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """What computed the values, each combination of processor, device, generator and versions once."""
    found: list[dict[str, Any]] = []
    for verdict in verdicts:
        found += [origin for origin in verdict.origins if origin not in found]
    return sorted(found, key=str)


def _claim(
    verdict: Verdict, formula: Any, corrected: Mapping[tuple[str, str], list[float]], drawn: Drawn
) -> dict[str, Any]:
    claim = claims[verdict.claim]
    declared = claim_data(claim, formula=formula)
    found = verdict_data(verdict)
    words = {part["name"]: part for part in declared["parts"]}
    parts = [_part(claim, verdict, words[part["name"]], part, corrected, drawn) for part in found["parts"]]
    section = declared["section"]
    return {
        **declared,
        **found,
        "section_title": SECTIONS.get(section, "Your own claims"),
        "page": f"claims/{file_name(verdict.claim)}.html",
        "leading": claim.leading.name,
        "cost": cost(list(verdict.parts.values())),
        "parts": parts,
        "repeat": _repeat(verdict),
        "not_measured": claim_unmeasured(claim),
        "of_the_ledger": verdict.claim in INDEX,
    }


def _part(
    claim: Claim,
    verdict: Verdict,
    declared: Mapping[str, Any],
    found: Mapping[str, Any],
    corrected: Mapping[tuple[str, str], list[float]],
    drawn: Drawn,
) -> dict[str, Any]:
    name = found["name"]
    part = next(p for p in claim.parts if p.name == name)
    own = verdict.parts[name]
    shown = figure_data(part, own, verdict.parts, corrected.get((verdict.claim, name)))
    drawn[verdict.claim, name] = shown
    return {
        **declared,
        **found,
        "triad": triad(own),
        "rule": rule(part, own),
        "summary": asdict(summary(part, own)),
        "anchor": anchor(name),
        "figure": f"figures/{figure_key(verdict.claim, name)}",
        "caption": caption(shown),
        "as_expected": own.as_expected,
    }


def _repeat(verdict: Verdict) -> dict[str, str]:
    settings = verdict.settings
    options = "".join(f" -s {name}={_plain(value)}" for name, value in settings.items())
    given = f", settings={settings!r}" if settings else ""
    return {
        "command": f"asymp check {quote(verdict.claim)}{options} --preset {verdict.preset} --seed {verdict.seed}",
        "python": "from asymp.reports import check\n"
        f'verdict = check({verdict.claim!r}, preset="{verdict.preset}", seed={verdict.seed}{given})\n'
        "print(verdict)\nverdict.plot()",
    }


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
