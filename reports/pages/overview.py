"""index.html: the headline numbers and one line for each claim."""

from collections.abc import Mapping, Sequence
from typing import Any

from asymp.reports.index import SECTIONS
from asymp.reports.pages.layout import page
from asymp.reports.pages.numbers import count
from asymp.reports.pages.render import render, resource

__all__ = ["cost_words", "errata_words", "footer", "overview_page"]


def overview_page(data: Mapping[str, Any], *, more: Sequence[str] = (), figures: str = "") -> str:
    """The overview; `more` is what another preset would add, `figures` what there is of the sources' figures."""
    body = render(
        "index.html",
        headline=data["headline"],
        tiles=_tiles(data),
        preset=data["preset"],
        seed=data["seed"],
        budget=f"{data['budget']:g}",
        sections=_sections(data["claims"]),
        errata_words=errata_words(data["errata"]),
        more=more,
        figures=figures,
    )
    return page("Overview", body, current="index.html", script=resource("overview.js"), footer=footer(data), broad=True)


def _tiles(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    claims = data["claims"]
    parts = [part for claim in claims for part in claim["parts"]]
    outcomes = [
        {"words": f"claims {o}", "number": sum(c["outcome"] == o for c in claims), "style": o}
        for o in ("supported", "refuted", "inconclusive")
    ]
    return [
        {"words": "claims", "number": len(claims), "style": ""},
        *outcomes,
        {"words": "parts measured", "number": len(parts), "style": ""},
        {"words": "errata confirmed", "number": sum(r["state"] == "refuted" for r in data["errata"]), "style": ""},
    ]


def _sections(claims: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for number in [*SECTIONS, 0]:
        rows = [_row(claim) for claim in claims if claim["section"] == number]
        if rows:
            title = f"{number}. {SECTIONS[number]}" if number else "Your own claims"
            found.append({"number": number, "title": title, "claims": rows})
    others = [_row(claim) for claim in claims if claim["section"] not in SECTIONS and claim["section"]]
    return [*found, {"number": "x", "title": "Other claims", "claims": others}] if others else found


def _row(claim: Mapping[str, Any]) -> dict[str, Any]:
    lead = next(part for part in claim["parts"] if part["name"] == claim["leading"])
    return {
        **claim,
        "line": lead["summary"],
        "errata": sum(bool(part["erratum"]) for part in claim["parts"]) + len(claim["other_errata"]),
        "cost": cost_words(claim["cost"]),
    }


def cost_words(cost: Mapping[str, int]) -> str:
    """What a claim took: points and replicas."""
    points = cost["points"]
    return f"{points} {'point' if points == 1 else 'points'}, {count(cost['replicas'])} replicas"


def errata_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many errata there are, and how many of them were seen in this run."""
    seen = sum(row["state"] == "refuted" for row in rows)
    derived = sum(row["state"] == "derived" for row in rows)
    left = len(rows) - seen - derived
    places = "place" if len(rows) == 1 else "places"
    words = f"{len(rows)} {places} where a source's statement fails, {seen} of them measured in this run"
    words += f", {derived} by derivation only" if derived else ""
    return words + (f", {left} measured and left open" if left else "")


def footer(data: Mapping[str, Any]) -> str:
    """With what the report was made and its values computed."""
    versions = ", ".join(f"{name} {number}" for name, number in data["versions"].items())
    origins = [
        f"{o['cpu'] if o['device'] == 'cpu' else o['device']}, torch {o['torch']}, {o['generator']}, asymp {o['asymp']}"
        + (f", commit {o['commit'][:12]}" if o["commit"] else "")
        for o in data["measured_with"]
    ]
    measured = "".join(f" Measured on {origin}." for origin in origins)
    return f"Written by asymp {data['asymp']} ({versions}).{measured}"
