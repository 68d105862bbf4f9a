"""What the verbs print, as text or as JSON."""

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from inspect import signature
from typing import TYPE_CHECKING, Any

from asymp.books import books
from asymp.lazy import Lazy
from asymp.reports.claims import (
    Entry,
    claims,
    files_option,
    index,
    load_packages,
    named,
    registered,
    sections,
    together,
)
from asymp.reports.cli.options import parse_settings, plain
from asymp.reports.figures.declare import INDEX
from asymp.reports.page.render import render
from asymp.reports.serialise import dumps
from asymp.theory import BIBLIOGRAPHY, Law, errata, graded, laws
from asymp.theory.lazy import mpmath, sympy
from asymp.theory.names import UnknownName, unknown_name
from asymp.theory.quotations import STANDINGS, quotations, quoted, recalled

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
MEASUREMENTS = ("missing_mass", "recall_error", "score_moments", "train_memory")


def claim_list(*, only: Sequence[str] = (), as_json: bool) -> str:
    """The list of claims by book and section, then those of packages; or only some, such as those of a file."""
    if not only:
        load_packages()
    listed = [entry for entry in index().values() if not only or entry.id in only]
    own = [claims[id] for id in registered if id in together and (not only or id in only)]
    users = [
        Entry(c.id, 0, c.kind, c.leading.text if c.title == c.id else c.title, c.source, "", together[c.id])
        for c in own
    ]
    if as_json:
        return dumps([asdict(entry) for entry in [*listed, *users]])
    width = max((len(entry.id) for entry in [*listed, *users]), default=0)
    titles = {number: (f"{number}. {title}", book.id) for number, (book, title) in sections().items()}
    headings: dict[tuple[str, str], list[Entry]] = {}
    for entry in [*listed, *users]:
        headings.setdefault(titles.get(entry.section, (f"Claims of {entry.book}", "")), []).append(entry)
    lines, last = [], ""
    for (heading, book), entries in headings.items():
        if book != last and len(books()) > 1:
            lines += [one.title for one in books() if one.id == book]
        last = book
        lines += [heading]
        for e in entries:
            standing = ", recalled" if recalled(e.id, "source") else ""
            lines += [f"  {e.id:<{width}}  {e.kind:<9} {e.title}{f' [{e.source}{standing}]' if e.source else ''}"]
    if any(line.endswith("recalled]") for line in lines):
        lines += [f"recalled: {STANDINGS['recalled']}"]
    return "\n".join(lines)


def law_of(id: str) -> Law:
    """A law of a book by its id, or one that a user's claim is about."""
    if id not in laws:
        load_packages()
    own = [part.formula for claim in registered.values() for part in claim.parts if part.formula is not None]
    return next((law for law in own if law.id == id), None) or laws[id]


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
    """Every place where a source's statement fails or can be sharpened, by grade."""
    groups = graded(errata())
    rows = [row for points in groups.values() for point, twins in points for row in (point, *twins)]
    if as_json:
        return dumps([{"law": id, "source": str(laws[id].source), **asdict(e)} for id, e in rows])
    numbers = ", ".join(f"{len(points)} {grade}" for grade, points in groups.items())
    counted = sum(erratum.counts for _, erratum in rows)
    headline = (
        f"{sum(map(len, groups.values()))} points: {numbers}. {counted} count as errata of the sources: those of the first two "
        "grades, of statements that are quoted or read into the source's words, and not only recalled."
    )
    return render("errata.txt", groups=groups, laws=laws, headline=headline)


def source_list(*, as_json: bool) -> str:
    """What the sources say, place by place, and the statements that take it up."""
    if as_json:
        return dumps([asdict(quotation) for quotation in quotations()])
    standings = Counter(quotation.standing for quotation in quotations())
    numbers = ", ".join(f"{number} {standing}" for standing, number in standings.items())
    left = sum(bool(quotation.not_measured) for quotation in quotations())
    counts = f"{len(quotations())} places: {numbers}; {left} of them not measured, with the reason."
    return render("sources.txt", quotations=quotations(), order=quoted(), counts=counts)


def claim_page(id: str, *, as_json: bool) -> str:
    """One claim with its parts, laws and notes."""
    declared = view.claim_view(claims[id])
    return dumps(declared) if as_json else render("show.txt", claim=declared, drawn=_drawn, files=files_option(id))


def claim_regimes(id: str, *, as_json: bool) -> str:
    """How the laws of a claim grow with their sizes, regime by regime."""
    found: dict[str, list[str]] = {}
    own = {law: laws[law] for law in laws if law.partition(":")[0] == id}
    judged = {part.formula.id: part.formula for part in claims[id].parts if part.formula is not None}
    for law in (own | judged).values():
        try:
            found[law.id] = [f"{law.quantity} {law.relation} {regime}" for regime in law.regimes()]
        except ValueError as error:
            found[law.id] = [str(error).partition(";")[0]]
    return (
        dumps(found)
        if as_json
        else "\n".join(f"{law}\n" + "\n".join(f"  {r}" for r in rows) for law, rows in found.items())
    )


def _drawn(part: "view.StatementView") -> str:
    """A law's formula drawn over several lines of text."""
    return str(sympy.pretty(law_of(part.law).expr)) if len(part.expression) <= LONGEST else formulas.too_long(part.law)


def law_value(id: str, settings: Sequence[str], *, digits: int | None, as_json: bool) -> str:
    """A law at given values."""
    law = law_of(id)
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
    known = {function.replace("_", "-"): getattr(montecarlo, function) for function in MEASUREMENTS}
    load_packages()
    known |= {part.experiment.id: part.experiment for claim in registered.values() for part in claim.parts}
    if name not in known:
        known |= montecarlo.experiments
    leading = claims[name].parts[0] if name not in known and name in claims else None
    if leading is not None:
        known[name] = leading.experiment
    if name not in known:
        raise UnknownName(unknown_name("experiment", name, [*known, *claims]))
    function = known[name]
    options: dict[str, Any] = {"replicas": replicas, "seed": seed, "device": device}
    if rel_error is not None:
        options["rel_error"] = rel_error
    if isinstance(function, montecarlo.Experiment):
        declared = list(signature(function.sample).parameters.values())[1:]
        function = function.run
    else:
        declared = [p for p in signature(function).parameters.values() if p.name not in {*options, "rel_error"}]
        if rel_error is not None and "rel_error" not in signature(function).parameters:
            raise ValueError(f"experiment {name!r} takes no --rel-error; give --replicas")
    takes = [p.name for p in declared]
    for given in values:
        if given not in takes:
            raise ValueError(unknown_name(f"parameter of experiment {name!r}", given, takes))
    missing = [p.name for p in declared if p.default is p.empty and p.name not in values]
    if missing:
        raise ValueError(f"experiment {name!r} needs {', '.join(missing)}; give each as -s name=value")
    domains = leading.formula.domain if leading is not None and leading.formula is not None else {}
    for given in values.keys() & domains.keys():
        domains[given].check(given, values[given])
    with redirect_stdout(sys.stderr):  # what a sampler prints is no result
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
    cited = " ".join(claims[id].source if id in registered else index()[id].source for id in named(ids) or index())
    keys = [key for key in BIBLIOGRAPHY if key == "asymp" or key in cited]
    if as_json:
        return dumps({key: BIBLIOGRAPHY[key].bibtex for key in keys})
    return "\n\n".join(BIBLIOGRAPHY[key].bibtex for key in keys)
