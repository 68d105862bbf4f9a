"""The report: complete, reproducible byte for byte, escaped, private, and written whole or not at all."""

import csv
import getpass
import html
import json
import re
import socket
from pathlib import Path
from urllib.parse import unquote

import pytest
from support.own_claims import CHEAP, assert_refused

from asymp.reports import write_report
from asymp.reports.page.drawing import FORMATS
from asymp.reports.page.render import letters, prose
from asymp.reports.report import report_files

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder(quick_report):
    return quick_report.folder


@pytest.fixture(scope="module")
def verdicts(quick_report):
    return quick_report.verdicts


def text_of(path):
    return html.unescape(path.read_text(encoding="utf-8"))


def contents(folder):
    return {f.relative_to(folder).as_posix(): f.read_bytes() if f.is_file() else None for f in folder.rglob("*")}


def test_the_overview_has_a_line_for_each_claim_and_a_claims_page_has_everything(folder, verdicts):
    overview = text_of(folder / "index.html")
    assert overview.count("<tr data-claim=") == len(verdicts) == overview.count('<g class="row" data-claim=')
    assert (folder / "index.html").stat().st_size < 1_000_000
    for verdict in verdicts:
        assert f'<a href="claims/{verdict.claim}.html">' in overview
        path = folder / "claims" / f"{verdict.claim}.html"
        page, parts = text_of(path), len(verdict.parts)
        assert path.stat().st_size < 2_000_000
        last = max(part.round for part in verdict.parts.values())
        assert f"asymp check {verdict.claim} --rounds {last + 1} --seed 0" in page and "verdict.plot()" in page
        drawn = len(list((folder / "figures").glob(f"{verdict.claim}-*.png")))
        # Advice to whoever calls a law is for its error message; no setting is written as Python writes it.
        assert "; pass a" not in page and not re.search(r"at 1 (?:of 1 )?points|=\{'", page)
        # Figure 5 of a source is the one whose first sentence is a statement of this claim.
        of_source = page.count("a figure of the source made again")
        assert of_source == (verdict.claim == "sgd-map") == page.count('<figure class="gallery">')
        assert 1 <= page.count("<figure>") == drawn <= parts and page.count("<math ") > 1
        for part in verdict.parts.values():
            assert html.unescape(str(prose(part.statement))) in page
            if part.erratum:
                assert part.erratum.corrected_by in page and f"{part.erratum.grade.capitalize()}:" in page
        told = r"would have detected|would have been refuted|could not have detected|Too few runs to refute"
        assert len(re.findall(told, page)) >= parts
        headings = re.findall(r"<h2[^>]*>([^<]*)</h2>", page)
        assert [heading for heading in headings if heading != "Move the law"] == [
            *("What is said, and what was found", "Each statement", "Formulas, letters, conventions"),
            *("How it was measured, and what was not", "Repeat it, use it, cite it", "Budget and cost"),
        ]
        data = json.loads((folder / "claims" / f"{verdict.claim}.json").read_text())
        assert data["id"] == verdict.claim and [part["name"] for part in data["parts"]] == list(verdict.parts)
        for form in FORMATS:
            assert page.count(f'.{form}">') >= drawn or form == "narrow.svg"
    figures = list((folder / "figures").iterdir())
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert all(file.read_bytes().startswith(starts.get(file.suffix[1:], b"")) for file in figures)
    assert len(figures) == len(FORMATS) * figures_of(folder)
    rows = list(csv.DictReader((folder / "figures" / "missing-mass-source.csv").open()))
    points = next(v for v in verdicts if v.claim == "missing-mass").parts["source"].evidence.points
    assert {float(r["T"]) for r in rows} >= {p.params["T"] for p in points}


def figures_of(folder):
    """How many statements have a figure."""
    return len(list((folder / "figures").glob("*.png")))


def test_pages_need_nothing_from_outside_their_ids_are_unique_and_every_link_resolves(folder):
    texts = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}
    ids = {path: re.findall(r'\bid="([^"]+)"', page) for path, page in texts.items()}
    links = 0
    for path, page in texts.items():
        scripts = path.name in ("index.html", "errata.html") or path.parent.name in ("claims", "sources")
        assert page.count("<script") == scripts and "@import" not in page
        assert "default-src 'none'" in page
        # Names of XML formats are not addresses that a browser visits; works have links that a reader may follow.
        page = re.sub(r'<a href="https://(arxiv\.org/abs|doi\.org)/[^"]*"', "<a", page)
        assert not re.search("https?:", re.sub(r'xmlns(:\w+)?="[^"]*"', "", page))
        assert len(ids[path]) == len(set(ids[path]))
        for target in re.findall(r'href="(?!data:)([^"]+)"', page):  # a map of colours is inside the page itself
            name, _, anchor = unquote(html.unescape(target)).partition("#")
            file = (path.parent / name).resolve() if name else path
            assert file.is_file(), (path.name, target)
            assert not anchor or anchor in ids[file], (path.name, target)
            links += bool(name)
    assert links > 100


def test_json_markdown_errata_and_what_is_not_measured_say_the_same(folder, verdicts):
    data, text = json.loads((folder / "report.json").read_text()), (folder / "report.md").read_text()
    assert [(c["id"], c["outcome"]) for c in data["claims"]] == [(v.claim, v.outcome) for v in verdicts]
    part = data["claims"][0]["parts"][0]
    assert {"params", "predicted", "mean", "low", "high", "replicas"} <= set(part["cells"][0])
    assert {"what", "predicted", "measured", "interval", "tightness", "off"} <= set(part["summary"])
    # Of several series the line names the one that it is about.
    (rate,) = [part for claim in data["claims"] if claim["id"] == "missing-mass" for part in claim["parts"][:1]]
    assert re.fullmatch(r"exponent in T at alpha=[\d.]+ \(the farthest off of 3\)", rate["summary"]["what"])
    refuted = [p for v in verdicts for p in v.parts.values() if p.outcome == "refuted"]
    # Two pages, with whatever fails.
    assert 3 < len(refuted) <= text.count("\n- ") and len(text.split()) < 1200
    assert all(f"- {letters(part.statement)}" in html.unescape(text).replace("\\|", "|") for part in refuted)
    # The errata are in the order of the grades that their page states.
    page, rows = text_of(folder / "errata.html"), data["errata"]
    grades = ["wrong", "needs a condition", "constant or order hidden", "only if read literally", "sharpening"]
    assert [r["grade"] for r in rows] == sorted((r["grade"] for r in rows), key=grades.index) and len(rows) >= 3
    assert all(grade in page for grade in grades)
    assert all(row["law"] in page and row["corrected_by"] in page for row in rows)
    page = text_of(folder / "not-measured.html")
    assert "No claim takes it up" in page and "pre-trained model" in page and "60 claims that come with asymp" in page
    for verdict in verdicts:
        for part in verdict.parts.values():
            # Each open statement, under what keeps it open.
            place = f'href="claims/{verdict.claim}.html#part-{part.name}"'
            assert (place in page) == (part.outcome == "inconclusive")
            assert not part.why_open or f">{re.split('[;:.]', part.why_open)[0]} (" in page


def test_the_same_run_gives_the_same_bytes_with_what_is_kept_without_it_and_if_it_is_damaged(
    verdicts, folder, tmp_path
):
    alone = report_files(verdicts[:2])
    for name, body in alone.items():
        if name.startswith(("figures/", "claims/score-variance")):
            raw = body.encode() if isinstance(body, str) else body
            assert (folder / name).read_bytes() == raw
            assert name.endswith("html") or not re.search(rb"20\d\d-\d\d-\d\d|CreationDate|Matplotlib v", raw)
    assert report_files(verdicts[:2], keep=tmp_path) == alone
    kept = {path: path.read_bytes() for path in (tmp_path / "derived").rglob("*") if path.is_file()}
    times = [path.stat().st_mtime_ns for path in kept]
    assert report_files(verdicts[:2], keep=tmp_path) == alone
    assert kept and times == [path.stat().st_mtime_ns for path in kept]  # found, and not made again
    for path, body in kept.items():
        path.write_bytes(body[:-3] + b"xyz")
    assert report_files(verdicts[:2], keep=tmp_path) == alone
    assert {path: path.read_bytes() for path in kept} == kept


def test_several_processes_give_the_same_data_and_figures(verdicts):
    from asymp.montecarlo.running.pools import Processes, Serial
    from asymp.montecarlo.running.store import Derived
    from asymp.reports.page.figure import draw_all
    from asymp.reports.page.view import report_view
    from asymp.reports.serialise import dumps

    kept, pool = Derived(None), Processes(2)
    alone = report_view(verdicts[:2], kept)
    try:
        together = report_view(verdicts[:2], kept, pool)
        assert dumps(together) == dumps(alone) and repr(together.drawn) == repr(alone.drawn)
        assert draw_all(alone.drawn, kept, pool) == draw_all(alone.drawn, kept, Serial())
    finally:
        pool.close(now=True)


def test_nothing_of_this_machine_is_in_the_report(folder):
    secrets = {socket.gethostname(), str(ROOT), str(Path.home()), str(folder)}
    user = getpass.getuser()
    for file in (p for p in folder.rglob("*") if p.is_file()):
        text = file.read_bytes().decode("utf-8", errors="ignore")
        assert not [s for s in secrets if len(s) > 3 and s in text]
        assert not re.search(rf"\b{re.escape(user)}\b", text) or len(user) < 5


def test_latex_tables_are_balanced_and_escaped(folder):
    for name in ("claims.tex", "errata.tex"):
        text = (folder / "tables" / name).read_text()
        body = re.sub(r"(?m)^%.*$", "", text)
        plain = re.sub(r"\\[\\{}$&#%_]", "", body)
        depth = 0
        for character in plain:
            depth += {"{": 1, "}": -1}.get(character, 0)
            assert depth >= 0
        assert depth == 0 and plain.count("$") % 2 == 0
        assert text.isascii() and r"\toprule" in text and r"\bottomrule" in text
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        # As many columns in every row: what is no separator is escaped.
        assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1
        # Outside mathematics no bare special character is left.
        assert not re.search(r"[#%~^<>|\"]", re.sub(r"\$[^$]*\$|\\\w+(\{\})?", "", plain).replace("&", ""))


def test_a_folder_that_cannot_be_written_and_bad_input_are_told_before_any_work(asymp, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file")
    assert_refused(asymp("report", "-o", taken, CHEAP), "is a file")
    assert_refused(asymp("report", "-o", taken / "below", CHEAP), "taken")
    assert_refused(asymp("report", "-o", "/proc/asymp", CHEAP), "cannot be written")
    assert_refused(asymp("report", "-o", tmp_path / "out", "missing-mass", "-s", "alpha=1"), "alpha must")
    assert taken.read_text() == "a file" and not (tmp_path / "out").exists()


def test_a_report_that_fails_half_way_leaves_the_old_one(tmp_path, verdicts, shared_store, monkeypatch):
    write_report(verdicts[:1], tmp_path, keep=shared_store)
    (tmp_path / "claims" / "mine.txt").write_text("my own file")
    before = contents(tmp_path)
    real = Path.write_bytes

    def full_disk(self, body):
        if "report.md" in self.name:
            raise OSError(28, "No space left on device")
        return real(self, body)

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    for few, place in ((verdicts[:2], tmp_path), (verdicts[:1], tmp_path / "new" / "place")):
        with pytest.raises(ValueError, match="No space left"):
            write_report(few, place, keep=shared_store)
    monkeypatch.undo()
    assert contents(tmp_path) == before


def test_a_report_takes_nothing_away_and_stays_in_its_folder(tmp_path):
    from asymp.reports.report import write_whole

    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "mine.txt").write_text("mine")
    assert write_whole(tmp_path, {"a.txt": "1", "claims/b.bin": b"2"}) == [
        tmp_path / "a.txt",
        tmp_path / "claims" / "b.bin",
    ]
    assert contents(tmp_path) == {"a.txt": b"1", "claims": None, "claims/b.bin": b"2", "claims/mine.txt": b"mine"}
    for name in ("../x", "/x", "a//b", "a/../../b", "", "a\\b", "c:x"):
        with pytest.raises(ValueError, match="must lie in its folder"):
            write_whole(tmp_path, {name: "1"})
    with pytest.raises(ValueError, match="could not be written"):
        write_whole(tmp_path, {"claims": "a file where a folder is"})
    assert set(contents(tmp_path)) == {"a.txt", "claims", "claims/b.bin", "claims/mine.txt"}


def test_report_prints_where_it_is_and_what_more_there_is(asymp, tmp_path):
    ran = asymp("report", "-o", tmp_path / "r", CHEAP)
    assert ran.code == 0 and "index.html" in ran.out and "1 supported" in ran.out
    assert "left open" not in ran.out or "--until decided" in ran.out
    # Judgements, formulas and figures are kept beside the cells; a second report finds them and is the same.
    kept = tmp_path / "asymp-store" / "derived"
    assert {p.name for p in kept.iterdir()} >= {"judgements", "formulas", "figures"}
    assert asymp("report", "-o", tmp_path / "s", CHEAP).code == 0
    assert contents(tmp_path / "r") == contents(tmp_path / "s") and (tmp_path / "r" / "index.html").is_file()
