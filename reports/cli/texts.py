"""What the verbs print, as text or as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from inspect import signature
from typing import TYPE_CHECKING, Any

from asymp.lazy import Lazy
from asymp.reports.claims import SECTIONS, claims, index
from asymp.reports.cli.options import parse_settings, plain
from asymp.reports.figures.declare import INDEX
from asymp.reports.page.render import render
from asymp.reports.serialise import dumps
from asymp.theory import BIBLIOGRAPHY, errata, laws
from asymp.theory.lazy import mpmath, sympy
from asymp.theory.names import UnknownName, unknown_name

if TYPE_CHECKING:
    from asymp import montecarlo
    from asymp.reports.page import formulas, view
else:
    montecarlo, formulas, view = map(
        Lazy, ("asymp.montecarlo", "asymp.reports.page.formulas", "asymp.reports.page.view")
    )

# Characters of a formula; drawn over several lines, a longer one fills screens.
LONGEST = 10_000
# What `asymp measure` knows, by the function's name.
MEASUREMENTS = ("missing_mass", "recall_error", "score_moments", "train_facts", "train_induction", "train_memory")


def claim_list(*, as_json: bool) -> str:
    """The list of claims by section."""
    if as_json:
        return dumps([asdict(entry) for entry in index().values()])
    width = max(len(id) for id in index())
    lines = []
    for number, name in SECTIONS.items():
        entries = [e for e in index().values() if e.section == number]
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


def errata_list(*, as_json: bool) -> str:
    """Every place where a source's statement is wrong."""
    rows = [(laws[id], erratum) for id, erratum in errata()]
    if as_json:
        return dumps([{"law": law.id, "source": str(law.source), **asdict(erratum)} for law, erratum in rows])
    return render("errata.txt", rows=rows)


def claim_page(id: str, *, as_json: bool) -> str:
    """One claim with its parts, laws and notes."""
    declared = view.claim_view(claims[id])
    return dumps(declared) if as_json else render("show.txt", claim=declared, drawn=_drawn)


def _drawn(part: "view.StatementView") -> str:
    """A law's formula drawn over several lines of text."""
    return str(sympy.pretty(laws[part.law].expr)) if len(part.expression) <= LONGEST else formulas.too_long(part.law)


def law_value(id: str, settings: Sequence[str], *, digits: int | None, as_json: bool) -> str:
    """A law at given values."""
    law = laws[id]
    values = parse_settings(settings)
    if digits is None:
        result = law(**{k: plain(v) for k, v in values.items()})
        shown: Any = result
    else:
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
    known = {function.replace("_", "-"): function for function in MEASUREMENTS}
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


def figure_list(*, as_json: bool) -> str:
    """The figures' names, titles and sources."""
    if as_json:
        return dumps([{"name": e.name, "title": e.title, "source": e.source} for e in INDEX.values()])
    return "\n".join(f"{e.name:<20} {e.title} [{e.source}]" for e in INDEX.values())


def citations(ids: Sequence[str], *, as_json: bool) -> str:
    """BibTeX of asymp and of the claims' sources."""
    for id in ids:
        if id not in index():
            raise UnknownName(unknown_name("claim", id, list(index())))
    cited = " ".join(index()[id].source for id in (ids or index()))
    keys = [key for key in BIBLIOGRAPHY if key == "asymp" or key in cited]
    if as_json:
        return dumps({key: BIBLIOGRAPHY[key].bibtex for key in keys})
    return "\n\n".join(BIBLIOGRAPHY[key].bibtex for key in keys)
