"""What is said of claims and verdicts, as typed records made once: pages, Markdown, LaTeX, text and JSON render them.

The fields of a record are the fields of its JSON, but for those that are marked as `PAGE_ONLY`.
"""

import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from shlex import quote
from typing import Any

from asymp.books import Book, books
from asymp.montecarlo.running.packages import LIBRARIES
from asymp.montecarlo.running.pools import Pool, Serial
from asymp.montecarlo.running.store import Derived
from asymp.reports.claim import Claim
from asymp.reports.claims import LEDGER_SIZE, claims, files_option, index, origin_of, sections
from asymp.reports.kinds import Statement, Summary
from asymp.reports.page.figure import caption
from asymp.reports.page.figure_data import figure_data
from asymp.reports.page.formulas import Curves, Formula, curves, formula_text, formulas
from asymp.reports.page.plotted import FigureData
from asymp.reports.page.render import anchor, file_name, law_anchor, page_of
from asymp.reports.page.sources import SourceView, source_views
from asymp.reports.page.touch import Touch, touch_of
from asymp.reports.serialise import PAGE_ONLY, JudgedView, VerdictView, judged_view, verdict_view
from asymp.reports.verdict import StatementVerdict, Verdict, headline
from asymp.theory import BIBLIOGRAPHY, Erratum, Law, __version__, errata, laws
from asymp.theory.quotations import Quotation, quotations_of
from asymp.theory.sources import spell_source

OWN_SECTION = "Your own claims"
ADVICE = re.compile(r"; (?:pass|use|give|take) ")
"""Where the message of a law's condition goes on with what to do, which is for the error and not for a page."""
STATES = {"refuted": 0, "inconclusive": 1, "supported": 2, "derived": 3}
BY_DERIVATION = (
    "No statement of the claim measures this regime: a derivation, or a simulation made apart, stands behind it."
)
BY_SECOND_ROUTE = "The formula is tested against a second derivation; no simulation of it is declared."


@dataclass(frozen=True, kw_only=True)
class StatementView:
    """A statement as it is declared. What is said of a law is empty where there is none."""

    name: str
    kind: str
    statement: str
    quantity: str
    relation: str
    expression: str
    latex: str
    law: str
    law_source: str
    conventions: str
    assumptions: tuple[str, ...]
    law_notes: tuple[str, ...]
    symbols: Mapping[str, str]
    margin: float
    constant: float
    variable: str | None
    experiment: str
    version: int
    expected: str
    erratum: Erratum | None
    quotations: tuple[Quotation, ...]
    formula: Formula = field(metadata=PAGE_ONLY)


@dataclass(frozen=True, kw_only=True)
class OtherErratum(Erratum):
    """An erratum of a law that no statement measures."""

    law: str


@dataclass(frozen=True, kw_only=True)
class ClaimView:
    """A claim as it is declared: what `asymp show` says of it. `references` are keys of the bibliography."""

    id: str
    title: str
    section: int
    kind: str
    source: str
    simulation: str
    notes: tuple[str, ...]
    deviations: tuple[str, ...]
    references: tuple[str, ...]
    parts: tuple[StatementView, ...]
    other_errata: tuple[OtherErratum, ...]


def claim_view(claim: Claim, formula: Callable[[Law], Formula] = formula_text) -> ClaimView:
    """A claim as it is declared; `formula` gives the formula of each law."""
    entry = index().get(claim.id)
    cited = " ".join([claim.source, *(part.source for part in claim.parts)])
    measured = [part.erratum for part in claim.parts]
    own = laws.of(claim.id) if entry else ()
    return ClaimView(
        id=claim.id,
        title=claim.title,
        section=entry.section if entry else 0,
        kind=claim.kind,
        source=spell_source(claim.source),
        simulation=claim.simulated,
        notes=claim.notes,
        deviations=claim.deviations,
        references=tuple(key for key in BIBLIOGRAPHY if key != "asymp" and key in cited),
        parts=tuple(_statement(claim.id, part, formula) for part in claim.parts),
        other_errata=tuple(OtherErratum(**vars(e), law=law.id) for law in own for e in law.errata if e not in measured),
    )


def _statement(claim: str, part: Statement, formula: Callable[[Law], Formula]) -> StatementView:
    law, said = part.formula, part.described()
    written = formula(law) if law else Formula(said["expression"], said["latex"], said["mathml"])
    params = law.params if law else {}
    domains = {name: domain.describe().replace("'", "") for name, domain in law.domain.items()} if law else {}
    return StatementView(
        name=part.name,
        kind=part.kind,
        statement=part.text,
        quantity=law.quantity if law else said["quantity"],
        relation=part.relation,
        expression=written.expression,
        latex=written.latex,
        law=law.id if law else "",
        law_source=spell_source(part.source),
        conventions=spell_source(" ".join((law.conventions, *law.definitions)) if law else said["conventions"]),
        assumptions=tuple(ADVICE.split(c.message)[0] for c in law.conditions) if law else (),
        law_notes=tuple(law.notes) if law else (),
        symbols={n: f"{params[n].meaning} ({d})" if params[n].meaning else d for n, d in domains.items()},
        margin=part.margin,
        constant=part.factor,
        variable=part.variable_name,
        experiment=part.experiment.id,
        version=part.experiment.version,
        expected=part.expected,
        erratum=part.erratum,
        quotations=tuple(quotations_of(claim, part.name)),
        formula=written,
    )


@dataclass(frozen=True, kw_only=True)
class PartView(JudgedView, StatementView):
    """A statement of a checked claim: as declared, its verdict, and its figure.

    `triad`: what the run could have detected, and what it would take to see more.
    `figure`: the path of its files, without their ending; empty where a sentence, the caption, says more.
    `law_word`: what the prediction is called.
    """

    triad: str
    rule: str
    summary: Summary
    anchor: str
    figure: str
    caption: str
    law_word: str
    as_expected: bool
    shown: FigureData | None = field(metadata=PAGE_ONLY)
    touch: Touch | None = field(metadata=PAGE_ONLY)

    @property
    def of_source(self) -> bool:
        """Whether a source says it; else it is derived here, or a user's own."""
        return bool(self.quotations)

    @property
    def reason(self) -> str:
        """What keeps it open, in a few words: "Too few runs"; empty if it is decided."""
        return re.split(r"[;:.]", self.why_open)[0]


@dataclass(frozen=True)
class Cost:
    """What a check took. Times depend on the machine and are not part of a report."""

    points: int
    replicas: int


@dataclass(frozen=True)
class Repeat:
    """How to repeat a check: the command, and the same in Python."""

    command: str
    python: str


@dataclass(frozen=True)
class LeftLaw:
    """A law that no statement of its claim measures."""

    law: str
    title: str
    source: str
    stated_by_source: bool
    why: str = BY_SECOND_ROUTE


@dataclass(frozen=True)
class LeftOut:
    """What a claim leaves out: in its own words, and the laws that none of its parts measures."""

    said: tuple[str, ...]
    laws: tuple[LeftLaw, ...]


@dataclass(frozen=True)
class LawView:
    """A law that a claim's statements or corrections name: its formula, once on the claim's page."""

    id: str
    source: str
    relation: str
    quantity: str
    notes: tuple[str, ...]
    formula: Formula

    @property
    def anchor(self) -> str:
        """The id of its place on the page."""
        return law_anchor(self.id)


@dataclass(frozen=True, kw_only=True)
class CheckedClaim(VerdictView, ClaimView):
    """A claim with its verdict: what its page says. `leading` is the name of the part whose outcome is the claim's.

    `code`: the files of law, simulation and claim. `formulas`: the laws that are named on the page.
    """

    section_title: str
    page: str
    leading: str
    cost: Cost
    repeat: Repeat
    not_measured: LeftOut
    of_the_ledger: bool
    code: Mapping[str, str]
    parts: tuple[PartView, ...]
    formulas: tuple[LawView, ...] = field(metadata=PAGE_ONLY)

    @property
    def source_keys(self) -> list[str]:
        """The sources whose places its statements take up."""
        return list(dict.fromkeys(quotation.key for part in self.parts for quotation in part.quotations))

    @property
    def touch(self) -> Touch | None:
        """The law that a reader can touch, one that moves: without a free constant if possible, and with many points."""
        found = [part.touch for part in self.parts if part.touch is not None and not part.erratum]
        moving = [one for one in found if any(slider.moves for slider in one.sliders)]
        return max(moving, key=lambda one: (not one.open, len(one.points)), default=None)

    @property
    def pictured(self) -> PartView:
        """The part whose figure stands at the top: the leading one, or the first that has one."""
        return next((part for part in (self.lead, *self.parts) if part.figure), self.lead)

    @property
    def symbols(self) -> dict[str, tuple[str, str]]:
        """What the letters mean, each once: its MathML and its meanings; where statements differ, all are given."""
        found: dict[str, tuple[str, str]] = {}
        for part in self.parts:
            for name, words in part.symbols.items():
                letter, before = found.get(name, (part.formula.letters.get(name, ""), words))
                known = words.partition(" (")[0] in before
                found[name] = letter, before if known else f"{before}; or {words}"
        return found

    @property
    def functions(self) -> dict[str, str]:
        """The special functions of its formulas: their MathML by what they are in words."""
        return {words: shown for law in self.formulas for words, shown in law.formula.functions.items()}

    @property
    def conventions(self) -> list[str]:
        """What is agreed on for all its statements, sentence by sentence, each once."""
        said = [*(part.conventions for part in self.parts), *(f"{w}." for part in self.parts for w in part.assumptions)]
        return list(dict.fromkeys(one for words in said for one in re.split(r"(?<=[.]) (?=[A-Z])", words) if one))

    @property
    def lead(self) -> PartView:
        """The leading part."""
        return next(part for part in self.parts if part.name == self.leading)


@dataclass(frozen=True, kw_only=True)
class ErratumView(Erratum):
    """One erratum of a report.

    `state`: the outcome of the part that measures it, or 'derived';
    then `part`, `statement` and `anchor` are empty. `off`, `size`: the factor by which the source is off at the points
    measured, and the same in words. `with_correction`: how the measurement compares with the corrected law.
    """

    law: str
    claim: str
    title: str
    page: str
    source: str
    state: str = "derived"
    off: float | None = None
    size: str = ""
    evidence: str = BY_DERIVATION
    part: str = ""
    statement: str = ""
    anchor: str = ""
    with_correction: str = ""
    stated: Formula = field(metadata=PAGE_ONLY)
    corrected: Formula = field(metadata=PAGE_ONLY)

    @property
    def source_name(self) -> str:
        """Which work it is about, for a list to choose from."""
        return next((work.short for work in BIBLIOGRAPHY.values() if self.source.startswith(work.short)), "other")


@dataclass(frozen=True)
class SentenceView:
    """What a source says of a figure of its own: a statement of a claim, with the verdict on it if it was checked."""

    text: str
    claim: str
    statement: str
    outcome: str = "not checked"
    words: str = ""

    @property
    def of_source(self) -> bool:
        """Whether a source says it; else it is derived here."""
        return bool(quotations_of(self.claim, self.statement))


@dataclass(frozen=True, kw_only=True)
class FigureView:
    """A figure of a source, measured again: what is said of it, and with which settings it was measured."""

    figure: str
    title: str
    source: str
    caption: str
    notes: tuple[str, ...]
    version: int
    asymp: str = __version__
    preset: str
    seed: int
    settings: Mapping[str, Any]
    sentences: tuple[SentenceView, ...]
    repeat: str
    alt: str = field(metadata=PAGE_ONLY)


@dataclass(frozen=True, kw_only=True)
class ReportView:
    """A report: its claims, their errata, and with what it was made.

    `measured_with`: each combination of processor, device, generator and versions that computed values. `sources`: what
    each source says, in its own words and order. `figures`: the sources' figures.
    """

    asymp: str = __version__
    headline: str
    preset: str
    seed: int
    budget: float
    versions: Mapping[str, str]
    measured_with: tuple[Mapping[str, Any], ...]
    claims: tuple[CheckedClaim, ...]
    errata: tuple[ErratumView, ...]
    sources: tuple[SourceView, ...]
    not_in_this_report: tuple[str, ...]
    ledger_size: int = LEDGER_SIZE
    figures: tuple[FigureView, ...] = ()

    @property
    def sections(self) -> list[tuple[int | str, str, list[CheckedClaim]]]:
        """The claims by section: its number, title and claims."""
        titles: dict[int | str, str] = {number: f"{number}. {title}" for number, (_, title) in sections().items()}
        titles |= {0: OWN_SECTION, "x": "Other claims"}
        homes = [claim.section if claim.section in titles else "x" for claim in self.claims]
        found = {key: [c for c, home in zip(self.claims, homes, strict=True) if home == key] for key in titles}
        return [(key, titles[key], rows) for key, rows in found.items() if rows]

    @property
    def book(self) -> Book | None:
        """The book that it is about: if it has all claims of it, and no others."""
        homes = {index()[claim.id].book if claim.of_the_ledger else "" for claim in self.claims}
        (home,) = homes if len(homes) == 1 else ("",)
        whole = sum(entry.book == home for entry in index().values()) == len(self.claims)
        return next((book for book in books() if book.id == home and whole), None)

    @property
    def statements(self) -> list[PartView]:
        """All statements, claim by claim."""
        return [part for claim in self.claims for part in claim.parts]

    @property
    def drawn(self) -> dict[tuple[str, str], FigureData]:
        """What the figures show, by claim and part."""
        parts = [(claim.id, part) for claim in self.claims for part in claim.parts]
        return {(claim, part.name): part.shown for claim, part in parts if part.shown is not None}


def report_view(
    verdicts: Sequence[Verdict],
    kept: Derived,
    pool: Pool | None = None,
    *,
    budget: float = 0.001,
    figures: Sequence[FigureView] = (),
) -> ReportView:
    """What a report says.

    Args:
        verdicts: the verdicts of one run.
        kept: where formulas and values of corrected laws are found again.
        pool: what takes long is done there.
        budget: the probability of refuting a true claim in a check of the whole ledger.
        figures: the sources' figures.
    """
    pool = pool or Serial()
    ids = [verdict.claim for verdict in verdicts]
    begun = curves(verdicts, kept, pool)
    wanted = [part.formula for id in ids for part in claims[id].parts if part.formula]
    wanted += [laws[name] for id, e in errata(*ids) for name in (id, e.corrected_by)]
    formula = formulas(kept, pool, wanted)
    drawn = {part: values() for part, values in begun.items()}
    corrected = {part: one.corrected for part, one in drawn.items()}
    origins = {str(origin): origin for verdict in verdicts for origin in verdict.origins}
    return ReportView(
        headline=headline(verdicts),
        preset=verdicts[0].preset,
        seed=verdicts[0].seed,
        budget=budget,
        versions={"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        measured_with=tuple(origins[words] for words in sorted(origins)),
        claims=tuple(_checked(verdict, formula, drawn) for verdict in verdicts),
        errata=_errata(verdicts, formula, corrected),
        sources=source_views(verdicts),
        not_in_this_report=tuple(id for id in index() if id not in ids),
        figures=tuple(figures),
    )


def _checked(
    verdict: Verdict, formula: Callable[[Law], Formula], drawn: Mapping[tuple[str, str], Curves]
) -> CheckedClaim:
    claim = claims[verdict.claim]
    declared = claim_view(claim, formula)
    parts = tuple(
        _part(verdict, own, view, drawn.get((claim.id, own.name), Curves()))
        for own, view in zip(claim.parts, declared.parts, strict=True)
    )
    points = [point for part in parts for point in part.cells]
    settings = {k: f"{v:g}" if isinstance(v, float) else v for k, v in verdict.settings.items()}
    options = "".join(f" -s {name}={value}" for name, value in settings.items())
    published = " --preset paper" if verdict.preset == "paper" else ""
    given = f", settings={verdict.settings!r}" if verdict.settings else ""
    rounds = 1 + max((part.round for part in verdict.parts.values() if part.round is not None), default=0)
    sizes = ', preset="paper"' if verdict.preset == "paper" else ""
    call = f"check({claim.id!r}, rounds={rounds}, seed={verdict.seed}{sizes}{given})"
    files = files_option(claim.id)
    loading = (
        f"from asymp.reports.claims_file import load_claims\nload_claims({origin_of(claim.id)!r})\n" if files else ""
    )
    both: dict[str, Any] = {**vars(declared), **vars(verdict_view(verdict)), "parts": parts}
    return CheckedClaim(
        **both,
        section_title=sections()[declared.section][1] if declared.section else OWN_SECTION,
        page=page_of(claim.id),
        leading=claim.leading.name,
        cost=Cost(len(points), sum(point.replicas for point in points)),
        repeat=Repeat(
            f"asymp check {quote(claim.id)}{files}{options} --rounds {rounds} --seed {verdict.seed}{published}",
            f"from asymp.reports import check\n{loading}verdict = {call}\nprint(verdict)\nverdict.plot()",
        ),
        not_measured=_left_out(claim),
        of_the_ledger=claim.id in index(),
        code=_code(claim.id),
        formulas=tuple(_law(law, formula) for law in _named(claim)),
    )


def _part(verdict: Verdict, part: Statement, view: StatementView, laws: Curves) -> PartView:
    own = verdict.parts[part.name]
    shown = figure_data(part, own, verdict.parts, laws.dense, verdict.claim)
    both: dict[str, Any] = {**vars(view), **vars(judged_view(verdict.claim, own))}
    return PartView(
        **both,
        triad=own.evidence.triad(own.budget),
        rule=f"{part.rule()} The p-value against the statement is {own.evidence.p_value:.2g}; this part's share of the "
        f"budget of false refutations is {own.budget:.2g} (shared among the claim's parts by Holm's rule).",
        summary=own.evidence.summary(),
        anchor=anchor(own.name),
        figure=f"figures/{file_name(verdict.claim)}-{file_name(own.name)}" if shown else "",
        caption=caption(part, own, shown),
        law_word=part.look().law,
        as_expected=own.as_expected,
        shown=shown,
        touch=touch_of(part, own.evidence.points, verdict.claim),
    )


def _named(claim: Claim) -> list[Law]:
    """The laws that the page of a claim names: of its statements, their corrections, and of its other errata."""
    own = [part.formula for part in claim.parts if part.formula]
    named = [e.corrected_by for part in claim.parts if (e := part.erratum)]
    for law in laws.of(claim.id) if claim.id in index() else ():
        named += [name for e in law.errata for name in (law.id, e.corrected_by)]
    return list({law.id: law for law in (*own, *(laws[name] for name in named))}.values())


def _law(law: Law, formula: Callable[[Law], Formula]) -> LawView:
    source = spell_source(str(law.source))
    return LawView(law.id, source, law.relation, law.quantity, tuple(law.notes), formula(law))


def _code(id: str) -> dict[str, str]:
    """The files in which a claim of a book, its laws and its simulation stand, as module names."""
    entry = index().get(id)
    if entry is None:
        return {}
    book = next(book for book in books() if book.id == entry.book)
    place = entry.module.removeprefix(f"{book.claims}.")
    packages = {"law": book.laws, "simulation": book.samplers, "claim": book.claims}
    return {what: f"{package}.{place}".replace(".", "/") + ".py" for what, package in packages.items()}


def _left_out(claim: Claim) -> LeftOut:
    sentences = [s for note in (*claim.notes, *claim.deviations) for s in re.split(r"(?<=[.;]) (?=[A-Z])", note)]
    used = {part.formula.id for part in claim.parts if part.formula}
    used |= {part.erratum.corrected_by for part in claim.parts if part.erratum}
    left = [law for law in (laws.of(claim.id) if claim.id in index() else ()) if law.id not in used]
    return LeftOut(
        said=(*claim.unmeasured, *(sentence for sentence in sentences if "not measured" in sentence)),
        laws=tuple(
            LeftLaw(law.id, law.title, spell_source(str(law.source)), law.source.key not in ("asymp", ""))
            for law in left
        ),
    )


def _errata(
    verdicts: Sequence[Verdict],
    formula: Callable[[Law], Formula],
    corrected: Mapping[tuple[str, str], Sequence[float]],
) -> tuple[ErratumView, ...]:
    """Every erratum of the claims reported: by grade; what is seen at the source's sizes and what was measured come first in it."""
    rows = []
    checked = {verdict.claim: verdict for verdict in verdicts}
    for id, erratum in errata(*checked):
        claim, law = claims[id.partition(":")[0]], laws[id]
        part = next((p for p in claim.parts if p.erratum == erratum), None)
        view = ErratumView(
            **vars(erratum),
            law=id,
            claim=claim.id,
            title=claim.title,
            page=page_of(claim.id),
            source=spell_source(str(law.source)),
            stated=formula(law),
            corrected=formula(laws[erratum.corrected_by]),
        )
        if part:
            own, values = checked[claim.id].parts[part.name], corrected.get((claim.id, part.name), ())
            view = replace(
                view,
                state=own.outcome,
                off=own.evidence.off(),
                size=own.evidence.off_words(),
                evidence=own.evidence.words,
                part=own.name,
                statement=own.statement,
                anchor=anchor(own.name),
                with_correction=_agreement(own, values) if part.with_corrected_law().relation in ("=", "~") else "",
            )
        rows.append(view)
    return tuple(sorted(rows, key=lambda r: (r.order, r.beyond, bool(r.same_as), STATES[r.state])))


def _agreement(verdict: StatementVerdict, values: Sequence[float]) -> str:
    """How the same measurements compare with the corrected law."""
    ratios = [p.mean / v for p, v in zip(verdict.evidence.points, values, strict=True) if v] if values else []
    if not ratios:
        return ""
    words = " to ".join(dict.fromkeys([f"{min(ratios):.3g}", f"{max(ratios):.3g}"]))
    return f"Measured over corrected law at the same points: {words}."
