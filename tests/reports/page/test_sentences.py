"""What a reader meets in words: every title, statement, reading, note and erratum of the ledger is a typeset sentence."""

import re

import pytest

from asymp.reports.claims import claims
from asymp.reports.page.render import prose, tex_prose
from asymp.theory import errata, laws
from asymp.theory.quotations import quotations

STATEMENTS = [(f"{c.id} {part.name}", part.text) for c in claims.values() for part in c.parts]
TITLES = [(c.id, c.title) for c in claims.values()]


def sentences():
    """Whatever a page shows as prose, with where it stands."""
    yield from (*STATEMENTS, *TITLES)
    for claim in claims.values():
        for text in (claim.simulated, *claim.notes, *claim.deviations, *claim.unmeasured):
            yield claim.id, text
    for id, erratum in errata():
        yield from ((id, text) for text in (erratum.why, erratum.regime, erratum.discrepancy))
    for said in quotations():
        yield from ((said.place, text) for text in (said.reading, said.not_measured or ""))
    for id in laws:
        law = laws[id]
        yield from ((id, text) for text in (law.title, law.conventions, *law.definitions, *law.notes))
        yield from ((id, param.meaning) for param in law.params.values())


# What cannot be typeset stays as it was written: a raised or lowered letter, a root, a name of Python's.
RAW = re.compile(r"\^|_|\*\*|\bsqrt\b|(?<![<>])(?:>=|<=)|\b(?:None|inf)\b(?!<sub>)|\{'|\balpha\b|\brho\b")


def test_no_mathematics_is_left_as_it_is_typed():
    found = []
    for place, text in sentences():
        shown = re.sub(r"<code>.*?</code>|&\w+;", "", str(prose(text)))
        found += [(place, shown[max(0, m.start() - 40) : m.end() + 20]) for m in RAW.finditer(shown)]
    assert found == []


def test_latex_has_no_special_character_left():
    for place, text in STATEMENTS:
        outside = re.sub(r"\$[^$]*\$|\\text\w+(\{\})?|\\[&%#_{}$]", "", tex_prose(text))
        assert not re.search(r"[\\^_&%#$]", outside), (place, tex_prose(text))
        assert tex_prose(text).count("$") % 2 == 0, place


@pytest.mark.parametrize(("name", "text"), STATEMENTS, ids=[name for name, _ in STATEMENTS])
def test_a_statement_is_one_sentence_that_stands_by_itself(name, text):
    assert text.endswith(".") and re.match(r"[A-Z0-9]|exp\(|q ", text), text
    assert len(text.split()) <= 50, f"{len(text.split())} words"
    # Words that point at a sentence that is not there.
    assert not re.match(r"(?:It|This|That|They|The same|Here) ", text), text
    assert not re.search(r"\b(?:without end|sights?|comes? out|decays with the exponent|counted as)\b", text), text


def test_titles_are_short_and_differ():
    titles = [title for _, title in TITLES]
    assert len(set(titles)) == len(titles) and all(0 < len(t) <= 58 and not t.endswith(".") for t in titles)
