"""Figures of the census that must stay where they are: who asks for the kind, and in how many places a claim is declared."""

from pathlib import Path

from census import asks_for_the_kind, declared_at, places

ROOT = Path(__file__).resolve().parents[2]


def test_nobody_but_the_kinds_asks_for_the_kind():
    assert asks_for_the_kind(ROOT) == []


def test_a_claim_is_declared_in_three_files(tmp_path):
    ids = declared_at(ROOT)
    assert all(all(files.values()) for files in ids.values())
    assert max(places(ROOT, list(ids)))[0] == 3
    # naming a claim is counted, asking for its law is not
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "more.py").write_text('laws["best-linear"]\nshown = "joint-law"\n')
    assert {name: count for count, name in places(tmp_path, ["best-linear", "joint-law"])} == {
        "best-linear": 0,
        "joint-law": 1,
    }


def test_asking_for_the_kind_is_found(tmp_path):
    (tmp_path / "reports" / "kinds").mkdir(parents=True)
    (tmp_path / "reports" / "kinds" / "rate.py").write_text("class Rate: ...\n")
    (tmp_path / "reports" / "page.py").write_text('wide = part.kind == "rate"\n')
    (tmp_path / "reports" / "list.py").write_text("found = isinstance(part, Rate)\n")
    (tmp_path / "reports" / "fine.py").write_text('wide = part.unit == "rate"\n')
    assert sorted(asks_for_the_kind(tmp_path)) == ["reports/list.py", "reports/page.py"]
