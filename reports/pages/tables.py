"""The report's tables in LaTeX, with booktabs and longtable, ready to be included in a paper."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["claims_table", "errata_table", "tex"]

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}
HEAD = "% Written by asymp {version}, preset {preset}, seed {seed}. Needs \\usepackage{{booktabs,longtable}} and T1 fonts.\n"


def tex(text: str) -> str:
    """Text for LaTeX: every special character is escaped, what is not ASCII is left out."""
    plain = text.replace("\u2212", "-").replace("\n", " ")
    return "".join(SPECIAL.get(c, c if c.isascii() and c.isprintable() else "?") for c in plain)


def number(text: str) -> str:
    """A number for LaTeX: in mathematics if it is one, with powers of ten raised."""
    match = re.fullmatch(r"(-?[\d.]+(?:\(\d+\))?)(?:e([+-])0*(\d+))?", text)
    if not match:
        return tex(text)
    power = rf" \cdot 10^{{{'-' if match[2] == '-' else ''}{match[3]}}}" if match[3] else ""
    return f"${match[1]}{power}$"


def claims_table(data: Mapping[str, Any]) -> str:
    """One line for each claim: its leading part."""
    rows = []
    for claim in data["claims"]:
        line = next(part for part in claim["parts"] if part["name"] == claim["leading"])["summary"]
        rows.append(
            [
                rf"\texttt{{{tex(claim['id'])}}}",
                tex(claim["outcome"]),
                tex(line["what"]),
                number(line["predicted"]),
                number(line["measured"]),
                tex(line["interval"]),
            ]
        )
    return HEAD.format(version=data["asymp"], preset=data["preset"], seed=data["seed"]) + _long(
        "llp{0.2\\linewidth}lll", ["claim", "verdict", "what", "predicted", "measured", "interval"], rows
    )


def errata_table(data: Mapping[str, Any]) -> str:
    """One line for each erratum, the most important first."""
    rows = [
        [
            rf"\texttt{{{tex(row['law'])}}}",
            tex(row["regime"]),
            tex(row["size"] or "by derivation"),
            rf"\texttt{{{tex(row['corrected_by'])}}}",
        ]
        for row in data["errata"]
    ]
    return HEAD.format(version=data["asymp"], preset=data["preset"], seed=data["seed"]) + _long(
        "p{0.22\\linewidth}p{0.34\\linewidth}p{0.18\\linewidth}p{0.18\\linewidth}",
        ["statement", "where it fails", "off by", "corrected by"],
        rows,
    )


def _long(columns: str, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [rf"\begin{{longtable}}{{{columns}}}", r"\toprule", " & ".join(titles) + r" \\", r"\midrule", r"\endhead"]
    lines += [" & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{longtable}"]) + "\n"
