"""What the sources say: read from one file a source, every place taken up by a statement or said to be not measured."""

import re

import pytest

from asymp.reports import claims
from asymp.reports.cli import texts
from asymp.reports.page.render import quoted
from asymp.theory import errata, graded, laws
from asymp.theory.quotations import ORDER, STANDINGS, quotations, read_quotations

STATEMENTS = {(id, part.name): part for id in claims for part in claims[id].parts}
OURS = {"score-covariance", "exact-recall-error", "best-linear", "listwise"}  # no talk and no paper of ours states them


def test_every_place_names_statements_that_exist_or_says_why_there_is_none():
    places = quotations()
    assert {place.key for place in places} == set(ORDER) and len(places) > 90
    for place in places:
        assert place.words and place.reading and place.standing in STANDINGS, place
        assert bool(place.statements) != bool(place.not_measured), place.place
        assert set(place.statements) <= set(STATEMENTS), place.place


def test_every_statement_of_a_talk_or_the_paper_is_quoted():
    taken = {statement for place in quotations() for statement in place.statements}
    stated = {name for name, part in STATEMENTS.items() if part.source.startswith(ORDER)}
    readings = {("exact-recall-error", "shortcut"), ("joint-law", "plain-sum-crossover")}  # what one might conclude
    assert stated - taken == readings


def test_the_leading_statement_of_a_claim_is_the_sources_own():
    taken = {statement for place in quotations() for statement in place.statements}
    assert {id for id in claims if (id, claims[id].leading.name) not in taken} == OURS


def test_a_leading_statement_with_a_law_of_ours_says_how_the_source_is_weakened_or_made_definite():
    for place in quotations():
        for id, name in place.statements:
            if claims[id].leading.name == name and not claims[id].leading.source.startswith(ORDER):
                assert place.standing == "read into it" or place.reading.startswith(("Weakened to", "Made definite")), (
                    place
                )


def test_every_erratum_of_the_ledger_has_the_sources_own_words():
    for id, erratum in errata():
        words = erratum.quotation
        assert words is not None, id
        assert words.key == laws[id].source.key, id


def test_points_that_are_made_twice_stand_once_and_what_is_recalled_does_not_count():
    rows = errata()
    points = [point for group in graded(rows).values() for point in group]
    once = [row for point, twins in points for row in (point, *twins)]
    assert len(once) == len(rows) and all(row in rows for row in once)
    assert not any(e.same_as for (_, e), _ in points) and sum(len(twins) for _, twins in points) == 9
    counted = {law for law, e in rows if e.counts}
    assert "power-scheme:source" not in counted  # Proposition 2 was not at hand
    # Figure 3 has N^(2 rho alpha) = 1e8 at its largest, d <= 1000; the floor shows from d = 4e5 on.
    last = [[law for (law, _), _ in points][-2:] for points in graded(rows).values()][1]
    assert set(last) == {"power-scheme:source", "threshold-scheme:source"}
    assert {"at-most-d:source", "attention-learnability:source", "threshold-scheme:source"} <= counted
    assert all(e.order < 2 and e.quotation.standing != "recalled" for _, e in rows if e.counts)


def test_the_lists_say_what_is_recalled_and_what_counts():
    listed = texts.claim_list(as_json=False)
    assert "[cabannes2024, Theorem 1, recalled]" in listed and "[cabannes2024, Proposition 1]" in listed
    assert listed.endswith(STANDINGS["recalled"])
    said = texts.errata_list(as_json=False)
    slip = '"If $T \\gg 1$, need $d \\gg \\sqrt{N}$ is **not** enough unless n is very large"'
    assert slip in said and said.count("The same point") == 9 and "10 count as errata of the sources" in said
    assert "7 of them not measured" in texts.source_list(as_json=False)


def test_every_quotation_can_be_read_on_a_page():
    for place in quotations():
        shown = quoted(place.words)
        assert not re.search(r"[\\$]|\bsf\b", re.sub("<[^>]*>", "", shown)), shown
    assert quoted(r"$d \gg \sqrt{N}$ is **not** \arg\max_{k}") == "“d ≫ √N is not argmax<sub>k</sub>”"
    bound = r"$d\gg \frac{T^2}{N}\min\left\{1,\left(\frac{N^2}{Tn}\right)^{2/3}\right\}$"
    assert quoted(bound) == "“d ≫ T<sup>2</sup>/N min{1,(N<sup>2</sup>/(Tn))<sup>2/3</sup>}”"
    assert quoted(r"$\mathbb{E}_{z\in\mathcal{M}}[n^{-\frac{\alpha-1}{\alpha}}]$") == (
        "“E<sub>z ∈ M</sub>[n<sup>-(α-1)/α</sup>]”"
    )


def test_a_formula_that_is_called_false_or_hidden_stands_in_the_quotation():
    bounds = {
        "seen-s-times:source": r"d^{-\alpha+1}",
        "score-variance:source": r"\lesssim",
        "attention-learnability:source": r"\gg",
    }
    for id, wanted in bounds.items():
        words = [erratum.quotation.words for erratum in laws[id].errata if not erratum.same_as]
        assert words and all(wanted in said for said in words), id


NO_WORDS, NO_STATEMENTS, NO_READING = (
    "No words.\n\nStatements: a b",
    "> words\n\nReading.",
    "> words\n\nStatements: a b",
)


@pytest.mark.parametrize("text", [NO_WORDS, NO_STATEMENTS, NO_READING])
def test_a_place_without_its_three_parts_is_refused(tmp_path, text):
    (file := tmp_path / "bietti2025.md").write_text(f"## Place\n\n{text}\n")
    with pytest.raises(ValueError, match="needs one quotation"):
        list(read_quotations(file))
