"""report.md: the report as Markdown."""

from collections.abc import Mapping
from typing import Any

from asymp.reports.command.texts import erratum_words

__all__ = ["markdown"]


def markdown(data: Mapping[str, Any]) -> str:
    """The headline, a table of all claims, and each claim with its parts."""
    lines = [
        "# Theory against experiment",
        "",
        f"{data['headline']}. asymp {data['asymp']}, preset {data['preset']}, seed {data['seed']}.",
        "",
        "| claim | kind | verdict | what | predicted | measured | interval | parts |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for claim in data["claims"]:
        parts = "; ".join(f"{p['name']} {p['outcome']}{' (erratum)' if p['erratum'] else ''}" for p in claim["parts"])
        line = next(part for part in claim["parts"] if part["name"] == claim["leading"])["summary"]
        cells = [claim["id"], claim["kind"], claim["outcome"], line["what"], line["predicted"], line["measured"]]
        lines.append("| " + " | ".join(_cell(c) for c in [*cells, line["interval"], parts]) + " |")
    for claim in data["claims"]:
        lines += _claim(claim)
    for figure in data.get("figures", []):
        lines += _figure(figure)
    return "\n".join(lines) + "\n"


def _claim(claim: Mapping[str, Any]) -> list[str]:
    lines = [
        "",
        f"## {_cell(claim['id'])}: {claim['outcome']}",
        "",
        f"{_cell(claim['title'])}. Source: {_cell(claim['source'])}.",
    ]
    for part in claim["parts"]:
        lines += ["", f"### {_cell(part['name'])}: {part['outcome']}", "", _cell(part["statement"])]
        lines += ["", f"$${part['latex']}$$"]
        if part["erratum"]:
            lines += ["", f"Erratum: {_cell(erratum_words(part['erratum']))}"]
        lines += ["", _cell(part["words"]), "", _cell(part["triad"])]
    return [*lines, "", "```", claim["repeat"]["command"], "```"]


def _figure(figure: Mapping[str, Any]) -> list[str]:
    lines = ["", f"## Figure {figure['figure']}: {_cell(figure['title'])}", "", _cell(figure["caption"]), ""]
    for s in figure["statements"]:
        why = f" {s['why']}" if s["outcome"] == "fails" else ""
        lines.append(f"- **{s['outcome']}**: {_cell(s['text'])} {_cell(s['words'] + why)}")
    return [*lines, "", f"![{_cell(figure['title'])}](gallery/{figure['figure']}.png)"]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
