"""The commands of the README and of the documentation print what is written there, apart from times."""

import io
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = [
    block
    for page in PAGES
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)
]
COMMANDS = [
    (command.strip(), output.strip())
    for block in dict.fromkeys(BLOCKS)
    for command, output in re.findall(r"^\$ asymp ([^\n]*)\n(.*?)(?=^\$ |\Z)", block, flags=re.MULTILINE | re.DOTALL)
]


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d s\b", "... s", text).strip()


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=[c for c, _ in COMMANDS])
def test_the_command_prints_what_is_written(asymp, monkeypatch, shared_store, command, output):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("ASYMP_STORE", str(shared_store.folder))  # where other tests may have measured the same
    ran = asymp(*shlex.split(command))
    assert ran.code == 0 and output and len(COMMANDS) >= 5
    assert without_times(ran.out) == without_times(output)


def test_the_readme_is_short_and_its_links_lead_somewhere():
    from asymp.reports.claims import LEDGER_SIZE

    assert len(README.splitlines()) <= 120
    assert f"{LEDGER_SIZE} claims" in README
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert len(links) >= 15
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_the_figure_of_the_readme_is_what_the_command_draws(quick_verdicts):
    import numpy as np
    from matplotlib.image import imread

    from asymp.reports import claims
    from asymp.reports.page.drawing import files
    from asymp.reports.page.figure_data import figure_data
    from asymp.reports.page.formulas import curves_now

    verdict = quick_verdicts["missing-mass"]
    part = claims["missing-mass"].leading
    own = verdict.parts["source"]
    laws = curves_now(part, own.evidence.points).dense
    drawn = imread(io.BytesIO(files(figure_data(part, own, verdict.parts, laws, "missing-mass"))["png"]))
    kept = imread(ROOT / "docs" / "missing-mass.png")
    assert drawn.shape == kept.shape
    # Fonts and last bits differ between machines. An empty figure is 0.02 away, that of another seed 0.01.
    assert np.abs(drawn - kept).mean() < 0.005
