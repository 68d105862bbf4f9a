"""What the verbs print, as text or as JSON."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from textwrap import wrap
from typing import Any

from asymp.reports.command.values import parse_settings, plain
from asymp.reports.index import INDEX, SECTIONS
from asymp.reports.serialise import dumps, verdict_data
from asymp.reports.verdict import Verdict
from asymp.theory import BIBLIOGRAPHY, Law, errata, laws
from asymp.theory.names import UnknownName, unknown_name

__all__ = [
    "citations",
    "claim_list",
    "claim_page",
    "errata_list",
    "law_list",
    "law_value",
    "measurement",
    "report_text",
    "slopes_text",
    "verdict_text",
]


# Characters of a formula; drawn over several lines, a longer one fills screens.
LONGEST = 10_000


def claim_list(*, as_json: bool) -> str:
    """The list of claims by section."""
    if as_json:
        return dumps([asdict(entry) for entry in INDEX.values()])
    width = max(len(id) for id in INDEX)
    lines = []
    for number, name in SECTIONS.items():
        entries = [e for e in INDEX.values() if e.section == number]
        if entries:
            lines += [f"{number}. {name}", *(f"  {e.id:<{width}}  {e.kind:<9} {e.title} [{e.source}]" for e in entries)]
    return "\n".join(lines)


def law_list(*, as_json: bool) -> str:
    """Every law with its relation and title."""
    if as_json:
        rows = [laws[id] for id in laws]
        return dumps(
            [
                {
                    "id": r.id,
                    "relation": r.relation,
                    "title": r.title,
                    "source": str(r.source),
                    "parameters": list(r.domain),
                }
                for r in rows
            ]
        )
    width = max(len(id) for id in laws)
    return "\n".join(f"{id:<{width}}  {laws[id].relation:<2}  {laws[id].title}" for id in laws)


def _law_row(law: Law) -> dict[str, Any]:
    return {
        "id": law.id,
        "relation": law.relation,
        "title": law.title,
        "source": str(law.source),
        "parameters": list(law.domain),
    }


def errata_list(*, as_json: bool) -> str:
    """Every place where a source's statement is wrong."""
    rows = [{"law": id, "source": str(laws[id].source), **asdict(erratum)} for id, erratum in errata()]
    if as_json:
        return dumps(rows)
    return "\n\n".join(f"{row['law']} ({row['source']})\n  {erratum_words(row)}" for row in rows)


def claim_page(id: str, *, as_json: bool) -> str:
    """One claim with its parts, laws and notes."""
    import sympy

    from asymp.reports.claimbook import claims
    from asymp.reports.describe import claim_data, too_long

    data = claim_data(claims[id])
    if as_json:
        return dumps(data)
    lines = [f"{data['id']}: {data['title']}", f"source: {data['source']}", f"simulation: {data['simulation']}"]
    for part in data["parts"]:
        law = claims[id].parts[[p["name"] for p in data["parts"]].index(part["name"])].law
        lines += ["", f"[{part['name']}] {part['kind']}, margin {part['margin']:g}: {part['statement']}"]
        if part["erratum"]:
            lines.append(f"  erratum, expected to be refuted: {erratum_words(part['erratum'])}")
        lines += [
            f"  {law.id} ({part['law_source']}):",
            _indent(f"{law.quantity} {law.relation}"),
            _indent(sympy.pretty(law.expr) if len(part["expression"]) <= LONGEST else too_long(law.id)),
        ]
        lines += [f"    {name}: {words}" for name, words in part["symbols"].items()]
        lines += [f"  note: {note}" for note in law.notes]
    lines += ["", *(f"note: {note}" for note in data["notes"])]
    lines += [f"erratum of {e['law']}, not measured here: {erratum_words(e)}" for e in data["other_errata"]]
    lines.append(f"check it: asymp check {id}")
    return "\n".join(lines)


def erratum_words(erratum: dict[str, str]) -> str:
    """An erratum in words."""
    return f"{erratum['regime']} {erratum['discrepancy']} Corrected by {erratum['corrected_by']}."


def _indent(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


def law_value(id: str, settings: Sequence[str], *, digits: int | None, as_json: bool) -> str:
    """A law at given values."""
    law = laws[id]
    values = parse_settings(settings)
    if digits is None:
        result = law(**{k: plain(v) for k, v in values.items()})
        shown: Any = result
    else:
        import mpmath

        with mpmath.workdps(digits):
            shown = mpmath.nstr(law.evaluate(digits=digits, **values), digits, strip_zeros=False)
    if as_json:
        return dumps(
            {"law": id, "values": {k: str(v) if digits else plain(v) for k, v in values.items()}, "result": shown}
        )
    return "\n".join(repr(float(v)) for v in shown.ravel()) if hasattr(shown, "ravel") else str(shown)


def measurement(
    name: str,
    settings: Sequence[str],
    *,
    replicas: int,
    rel_error: float | None,
    seed: int,
    device: str,
    as_json: bool,
) -> str:
    """One experiment at one setting."""
    values = {k: plain(v) for k, v in parse_settings(settings).items()}
    from asymp import montecarlo

    known = {function.replace("_", "-"): function for function in montecarlo.MEASUREMENTS}
    if name not in known:
        raise UnknownName(unknown_name("experiment", name, list(known)))
    function = getattr(montecarlo, known[name])
    takes = [p for p in signature(function).parameters if p not in {"replicas", "rel_error", "seed", "device"}]
    for given in values:
        if given not in takes:
            raise ValueError(unknown_name(f"parameter of experiment {name!r}", given, takes))
    options = {"replicas": replicas, "seed": seed, "device": device}
    if "rel_error" in signature(function).parameters:
        options["rel_error"] = rel_error
    elif rel_error is not None:
        raise ValueError(f"experiment {name!r} takes no --rel-error; give --replicas")
    missing = [n for n, p in signature(function).parameters.items() if p.default is p.empty and n not in values]
    if missing:
        raise ValueError(f"experiment {name!r} needs {', '.join(missing)}; give each as -s name=value")
    found = function(**values, **options)
    if as_json:
        return dumps({"experiment": name, "values": values, "seed": seed, **found.to_json()})
    return str(found)


def verdict_text(verdicts: Sequence[Verdict], *, as_json: bool) -> str:
    """Verdicts with their parts, in words."""
    if as_json:
        return dumps([verdict_data(v) for v in verdicts])
    lines: list[str] = []
    for verdict in verdicts:
        lines.append(f"{verdict.claim}: {verdict.outcome} (budget {verdict.budget:.2g}, {verdict.seconds:.1f} s)")
        for part in verdict.parts.values():
            lines.append(f"  {part.name} [{part.kind}]: {part.outcome}{beside_outcome(part)}")
            lines += _wrapped(part.judgement.words) + _wrapped(triad(part))
    return "\n".join([*lines, headline(verdicts)])


def beside_outcome(part: Any) -> str:
    """What is to be said of an outcome beside what was expected; nothing where it is as usual."""
    if part.expected == "open" and part.outcome != "inconclusive":
        return ", at settings for which the claim declares nothing"
    if part.erratum and part.outcome == "refuted":
        return " as expected of an erratum"
    return "" if part.as_expected else ", which was not expected"


def _wrapped(text: str) -> list[str]:
    return wrap(text, width=110, initial_indent="    ", subsequent_indent="    ")


def triad(part: Any) -> str:
    """What a part could have detected, and what it would need, in words."""
    judgement = part.judgement
    if not math.isfinite(judgement.seen):
        return "It could not have detected any discrepancy."
    needed = (
        f"; about {judgement.needed} {'replica' if judgement.needed == 1 else 'replicas'} a point"
        if judgement.needed
        else ""
    )
    if judgement.unit == "share of runs":
        if not judgement.could_refute:
            return f"Too few runs to refute anything (budget {part.budget:.2g}); {judgement.needed} a point could."
        held = f"had the order held in at most {judgement.seen:.0%} of the runs"
        return f"It would have been refuted {held} (budget {part.budget:.2g})."
    unit, form = {
        "relative": (" of the value", percent),
        "scaled": (" of the declared scale", percent),
    }.get(judgement.unit, ("", lambda number: f"{number:.3g}"))
    if needed:
        needed += f" would see {form(judgement.wanted)}"
    return f"It would have detected a discrepancy of {form(judgement.seen)}{unit} (budget {part.budget:.2g}){needed}."


def percent(share: float) -> str:
    """A share in per cent, three figures; tiny ones as they are."""
    return f"{100 * share:.3g}%" if share >= 1e-6 else f"{share:.2g}"


def headline(verdicts: Sequence[Verdict]) -> str:
    """How many claims came out how."""
    counts = {o: sum(v.outcome == o for v in verdicts) for o in ("supported", "refuted", "inconclusive")}
    errata = sum(p.outcome == "refuted" and bool(p.erratum) for v in verdicts for p in v.parts.values())
    tail = f"; {errata} {'erratum' if errata == 1 else 'errata'} confirmed" if errata else ""
    return ", ".join(f"{n} {o}" for o, n in counts.items()) + tail


def report_text(
    verdicts: Sequence[Verdict],
    written: Sequence[Path],
    *,
    as_json: bool,
    more: Sequence[str] = (),
    figures: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Where the report is and what it says in one line; `more` is what another preset would add."""
    if as_json:
        files = [path.as_posix() for path in written]
        return dumps({"files": files, "verdicts": [verdict_data(v) for v in verdicts], "figures": list(figures)})
    lines = [f"{v.claim}: {v.outcome}" for v in verdicts]
    return "\n".join([*lines, headline(verdicts), *more, f"report: {written[0].as_posix()}"])


def slopes_text(*, as_json: bool) -> str:
    """Every exponent beside the local slope of the exact law at very large sizes."""
    from asymp.theory.rates.slopes import slope_table, slope_text

    rows = slope_table()
    return dumps([asdict(row) for row in rows]) if as_json else slope_text(rows=rows)


def citations(ids: Sequence[str], *, as_json: bool) -> str:
    """BibTeX of asymp and of the claims' sources."""
    for id in ids:
        if id not in INDEX:
            raise UnknownName(unknown_name("claim", id, list(INDEX)))
    cited = " ".join(INDEX[id].source for id in (ids or INDEX))
    keys = [key for key in BIBLIOGRAPHY if key == "asymp" or key in cited]
    if as_json:
        return dumps({key: BIBLIOGRAPHY[key].bibtex for key in keys})
    return "\n\n".join(BIBLIOGRAPHY[key].bibtex for key in keys)
