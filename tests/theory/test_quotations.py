"""What the sources say: read from one file a source, every place taken up by a statement or said to be not measured."""

import pytest

from asymp.reports import claims
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
