"""The report: complete, reproducible byte for byte, escaped, private, and written whole or not at all."""

import getpass
import html
import json
import os
import re
import socket
import stat
from pathlib import Path

import pytest

from asymp.reports import check, write_report

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def verdicts(quick_verdicts):
    return list(quick_verdicts.values())


@pytest.fixture(scope="module")
def folder(verdicts, tmp_path_factory):
    out = tmp_path_factory.mktemp("report")
    write_report(verdicts, out)
    return out


def test_the_page_has_everything_for_each_claim(folder, verdicts):
    page = html.unescape((folder / "index.html").read_text())
    for verdict in verdicts:
        assert f">{verdict.claim}<" in page
        assert f"asymp check {verdict.claim} --preset quick --seed 0" in page
        for part in verdict.parts.values():
            assert part.statement.split(",")[0][:40] in page
    parts = sum(len(v.parts) for v in verdicts)
    assert page.count("<figure>") == parts == page.count("<svg ")
    assert page.count("<math ") >= parts
    told = r"would have detected|would have been refuted|could not have detected|Too few runs to refute"
    assert len(re.findall(told, page)) == parts
    assert len(page) < 40_000 * parts


def test_the_page_needs_nothing_from_outside(folder):
    page = (folder / "index.html").read_text()
    assert "<script" not in page and "@import" not in page
    # Names of XML formats are not addresses that a browser visits.
    page = re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert not re.search(r'(src|href)="(?!#|report\.)', page)
    assert "http:" not in page and "https:" not in page


def test_ids_are_unique_and_links_resolve(folder):
    page = (folder / "index.html").read_text()
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for target in re.findall(r'href="#([^"]+)"', page):
        assert target in ids


def test_json_and_markdown_say_the_same(folder, verdicts):
    data = json.loads((folder / "report.json").read_text())
    assert [c["id"] for c in data["claims"]] == [v.claim for v in verdicts]
    assert [c["outcome"] for c in data["claims"]] == [v.outcome for v in verdicts]
    cell = data["claims"][0]["parts"][0]["cells"][0]
    assert {"params", "predicted", "mean", "low", "high", "replicas"} <= set(cell)
    text = (folder / "report.md").read_text()
    assert data["headline"] in text
    assert all(f"## {v.claim}: {v.outcome}" in text for v in verdicts)


def test_the_same_run_gives_the_same_bytes(tmp_path):
    write_report([check("score-variance")], tmp_path / "a")
    write_report([check("score-variance")], tmp_path / "b")
    for name in ("index.html", "report.json", "report.md"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_nothing_of_this_machine_is_in_the_report(folder):
    secrets = {socket.gethostname(), str(ROOT), str(Path.home()), str(folder)}
    user = getpass.getuser()
    for file in folder.iterdir():
        text = file.read_text()
        assert not [s for s in secrets if len(s) > 3 and s in text]
        assert not re.search(rf"\b{re.escape(user)}\b", text) or len(user) < 5


def test_names_and_notes_of_a_user_are_escaped(tmp_path):
    import torch

    from asymp.montecarlo import experiment
    from asymp.reports import claim
    from asymp.theory import law

    evil = "<script>alert(1)</script>"

    def simulate(*, d, replicas, generator, device):
        return torch.ones(replicas, dtype=torch.float64) / d

    made = law(evil, "1/d", relation="=", domain={"d": (1, "oo")}, typical={"d": (10, 100)}, source=evil, notes=(evil,))
    claim(evil, law=made, experiment=experiment("x", simulate), kind="identity", title=evil)
    write_report([check(evil)], tmp_path)
    assert "<script" not in (tmp_path / "index.html").read_text()
    # In Markdown a fenced block shows its text as it is.
    assert "<script" not in re.sub(r"```.*?```", "", (tmp_path / "report.md").read_text(), flags=re.DOTALL)


def test_a_folder_that_cannot_be_written_is_told_before_any_work(asymp, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file")
    ran = asymp("report", "-o", taken, "score-variance")
    assert ran.code == 2 and "is a file" in ran.err and taken.read_text() == "a file"
    ran = asymp("report", "-o", taken / "below", "score-variance")
    assert ran.code == 2 and len(ran.err.strip().splitlines()) == 1
    ran = asymp("report", "-o", "/proc/asymp", "score-variance")
    assert ran.code == 2 and "cannot be written" in ran.err


def test_a_report_that_fails_half_way_leaves_the_old_one(tmp_path, verdicts, monkeypatch):
    write_report(verdicts[:1], tmp_path)
    before = {f.name: f.read_bytes() for f in tmp_path.iterdir()}
    real = Path.write_text

    def full_disk(self, text, **options):
        if "report.md" in self.name:
            raise OSError(28, "No space left on device")
        return real(self, text, **options)

    monkeypatch.setattr(Path, "write_text", full_disk)
    with pytest.raises(ValueError, match="No space left"):
        write_report(verdicts, tmp_path)
    monkeypatch.undo()
    assert {f.name: f.read_bytes() for f in tmp_path.iterdir()} == before


def test_bad_input_writes_no_report(asymp, tmp_path):
    out = tmp_path / "out"
    assert asymp("report", "-o", out, "missing-mass", "-s", "alpha=1").code == 2
    assert not out.exists()


def test_report_prints_where_it_is(asymp, tmp_path):
    ran = asymp("report", "-o", tmp_path / "r", "score-variance")
    assert ran.code == 0 and "index.html" in ran.out and "1 supported" in ran.out
    assert stat.S_ISREG(os.stat(tmp_path / "r" / "index.html").st_mode)
