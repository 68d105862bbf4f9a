"""The report: complete, reproducible byte for byte, escaped, private, and written whole or not at all."""

import getpass
import html
import json
import os
import re
import socket
import stat
from pathlib import Path
from urllib.parse import unquote

import pytest

from asymp.reports import write_report
from asymp.reports.report import report_files

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
# A bound, an identity, rates with and without an erratum, a scheme with several errata: every kind of panel.
FEW = ("score-variance", "maximal-update", "missing-mass", "finite-memory-lower", "step-size")


@pytest.fixture(scope="module")
def verdicts(quick_verdicts):
    return [quick_verdicts[id] for id in FEW]


@pytest.fixture(scope="module")
def keep(tmp_path_factory):
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def folder(verdicts, keep, tmp_path_factory):
    out = tmp_path_factory.mktemp("report")
    write_report(verdicts, out, keep=keep)
    return out


def pages(folder):
    return sorted(folder.rglob("*.html"))


def text_of(path):
    return html.unescape(path.read_text(encoding="utf-8"))


def test_the_overview_has_a_line_for_each_claim(folder, verdicts):
    page = text_of(folder / "index.html")
    for verdict in verdicts:
        assert f'<a href="claims/{verdict.claim}.html">{verdict.claim}</a>' in page
    assert page.count("data-verdict=") == len(verdicts)
    assert (folder / "index.html").stat().st_size < 1_000_000


def test_a_claims_page_has_everything(folder, verdicts):
    from asymp.reports.page.render import prose

    for verdict in verdicts:
        path = folder / "claims" / f"{verdict.claim}.html"
        page, parts = text_of(path), len(verdict.parts)
        assert path.stat().st_size < 2_000_000
        assert f"asymp check {verdict.claim} --preset quick --seed 0" in page and "verdict.plot()" in page
        assert page.count("<figure>") == parts == page.count("<svg ") and page.count("<math ") > parts
        for part in verdict.parts.values():
            assert html.unescape(str(prose(part.statement))) in page
            if part.erratum:
                assert part.erratum.corrected_by in page and "Where the source fails" in page
        told = r"would have detected|would have been refuted|could not have detected|Too few runs to refute"
        assert len(re.findall(told, page)) >= parts
        for heading in ("How it was measured", "Part by part", "What was not measured", "Repeat it", "References"):
            assert f">{heading}</h2>" in page
        for kind in ("svg", "png", "pdf"):
            assert page.count(f'.{kind}">') == parts


def test_rates_show_local_slopes_and_errata_the_corrected_law(folder):
    page = text_of(folder / "claims" / "maximal-update.html")
    assert page.count(">local slope<") == 3  # three of its four parts are rates
    assert "Dotted: the corrected law" in page


def test_the_pages_need_nothing_from_outside(folder):
    for path in pages(folder):
        page = path.read_text(encoding="utf-8")
        assert page.count("<script") == (1 if path.name == "index.html" else 0) and "@import" not in page
        assert "default-src 'none'" in page
        # Names of XML formats are not addresses that a browser visits.
        page = re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
        assert "http:" not in page and "https:" not in page


def test_ids_are_unique_and_every_link_resolves(folder):
    ids = {p: re.findall(r'\bid="([^"]+)"', p.read_text(encoding="utf-8")) for p in pages(folder)}
    links = 0
    for path, own in ids.items():
        assert len(own) == len(set(own))
        for target in re.findall(r'href="([^"]+)"', path.read_text(encoding="utf-8")):
            if target.startswith("#") and "<defs" in path.read_text(encoding="utf-8") and target[1:] in own:
                continue
            name, _, anchor = unquote(html.unescape(target)).partition("#")
            file = (path.parent / name).resolve() if name else path
            assert file.is_file(), (path.name, target)
            assert not anchor or anchor in ids[file], (path.name, target)
            links += 1
    assert links > 100


def test_the_errata_are_in_the_order_that_the_page_states(folder):
    data = json.loads((folder / "report.json").read_text())
    rows = data["errata"]
    state = {"refuted": 0, "inconclusive": 1, "supported": 2, "derived": 3}
    order = [(not r["main"], state[r["state"]], -float(r["off"] or 0)) for r in rows]
    assert order == sorted(order) and len(rows) >= 3
    page = text_of(folder / "errata.html")
    assert "Importance is defined so" in page
    for row in rows:
        assert row["law"] in page and row["corrected_by"] in page


def test_what_is_not_measured_is_said(folder, verdicts):
    page = text_of(folder / "not-measured.html")
    assert "No claim takes it up" in page and "Pythia" in page
    for verdict in verdicts:
        for part in verdict.parts.values():
            assert (f">{verdict.claim}, {part.name}<" in page) == (part.outcome == "inconclusive")
    assert "61 of the 66 claims" in page


def test_json_and_markdown_say_the_same(folder, verdicts):
    data = json.loads((folder / "report.json").read_text())
    assert [c["id"] for c in data["claims"]] == [v.claim for v in verdicts]
    assert [c["outcome"] for c in data["claims"]] == [v.outcome for v in verdicts]
    part = data["claims"][0]["parts"][0]
    assert {"params", "predicted", "mean", "low", "high", "replicas"} <= set(part["cells"][0])
    assert {"what", "predicted", "measured", "interval", "tightness", "off"} <= set(part["summary"])
    text = (folder / "report.md").read_text()
    assert data["headline"] in text
    assert all(f"## {v.claim}: {v.outcome}" in text for v in verdicts)


def test_figures_are_files_of_three_formats(folder, verdicts):
    names = {f"{v.claim}-{part}" for v in verdicts for part in v.parts}
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    for kind, start in starts.items():
        found = {p.stem: p for p in (folder / "figures").glob(f"*.{kind}")}
        assert set(found) == names
        assert all(p.read_bytes().startswith(start) for p in found.values())


def test_the_same_run_gives_the_same_bytes_with_and_without_what_is_kept(verdicts, folder, keep):
    again = report_files(verdicts[:2], keep=keep)
    alone = report_files(verdicts[:2])
    assert alone.keys() == again.keys()
    assert all(alone[name] == again[name] for name in alone)
    for name in alone:
        if name.startswith(("figures/", "claims/score-variance")):
            body = alone[name]
            assert (folder / name).read_bytes() == (body.encode() if isinstance(body, str) else body)
    for kind in ("svg", "png", "pdf"):
        body = alone[f"figures/score-variance-source.{kind}"]
        assert not re.search(rb"20\d\d-\d\d-\d\d|CreationDate|Matplotlib v", body)


def test_what_is_kept_is_found_and_damage_does_no_harm(verdicts, keep, folder):
    from asymp.montecarlo.running.pools import Serial
    from asymp.montecarlo.running.store import Derived
    from asymp.reports.page.figure import draw_all
    from asymp.reports.page.view import report_view
    from asymp.reports.serialise import dumps

    kept = Derived(keep)
    view = report_view(verdicts[:1], kept)
    draw_all(view.drawn, kept, Serial())
    assert kept.made == 0 and kept.found > 0
    damaged = [p for p in (keep / "derived").rglob("*") if p.is_file()]
    before = {p: p.read_bytes() for p in damaged}
    for path in damaged:
        path.write_bytes(before[path][:-3] + b"xyz")
    kept = Derived(keep)
    assert dumps(report_view(verdicts[:1], kept)) == dumps(view)
    assert kept.made > 0  # what was damaged was worked out again, and a second use of it found it mended
    for path, body in before.items():
        path.write_bytes(body)


def test_several_processes_give_the_same_data_and_figures(verdicts):
    from asymp.montecarlo.running.pools import Processes, Serial
    from asymp.montecarlo.running.store import Derived
    from asymp.reports.page.figure import draw_all
    from asymp.reports.page.view import report_view
    from asymp.reports.serialise import dumps

    kept = Derived(None)
    alone = report_view(verdicts, kept)
    few = dict(list(alone.drawn.items())[:16])
    pool = Processes(2)
    try:
        together = report_view(verdicts, kept, pool)
        assert dumps(together) == dumps(alone) and repr(together.drawn) == repr(alone.drawn)
        assert draw_all(few, kept, pool) == draw_all(few, kept, Serial())
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


def test_a_folder_that_cannot_be_written_is_told_before_any_work(asymp, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file")
    ran = asymp("report", "-o", taken, "score-variance")
    assert ran.code == 2 and "is a file" in ran.err and taken.read_text() == "a file"
    ran = asymp("report", "-o", taken / "below", "score-variance")
    assert ran.code == 2 and len(ran.err.strip().splitlines()) == 1
    ran = asymp("report", "-o", "/proc/asymp", "score-variance")
    assert ran.code == 2 and "cannot be written" in ran.err


def contents(folder):
    return {f.relative_to(folder).as_posix(): f.read_bytes() if f.is_file() else None for f in folder.rglob("*")}


def test_a_report_that_fails_half_way_leaves_the_old_one(tmp_path, verdicts, keep, monkeypatch):
    write_report(verdicts[:1], tmp_path, keep=keep)
    (tmp_path / "claims" / "mine.txt").write_text("my own file")
    before = contents(tmp_path)
    real = Path.write_bytes

    def full_disk(self, body):
        if "report.md" in self.name:
            raise OSError(28, "No space left on device")
        return real(self, body)

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(ValueError, match="No space left"):
        write_report(verdicts[:2], tmp_path, keep=keep)
    with pytest.raises(ValueError, match="No space left"):
        write_report(verdicts[:1], tmp_path / "new" / "place", keep=keep)
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


def test_bad_input_writes_no_report(asymp, tmp_path):
    out = tmp_path / "out"
    assert asymp("report", "-o", out, "missing-mass", "-s", "alpha=1").code == 2
    assert not out.exists()


def test_report_prints_where_it_is_and_what_more_there_is(asymp, tmp_path):
    ran = asymp("report", "-o", tmp_path / "r", "score-variance")
    assert ran.code == 0 and "index.html" in ran.out and "1 supported" in ran.out
    assert "--preset standard takes" in ran.out and "--preset paper takes" in ran.out and "--plan" in ran.out
    assert stat.S_ISREG(os.stat(tmp_path / "r" / "index.html").st_mode)
    # Judgements, formulas and figures are kept beside the cells; a second report finds them and is the same.
    kept = tmp_path / "asymp-store" / "derived"
    assert {p.name for p in kept.iterdir()} >= {"judgements", "formulas", "figures"}
    assert asymp("report", "-o", tmp_path / "s", "score-variance").code == 0
    assert contents(tmp_path / "r") == contents(tmp_path / "s")
