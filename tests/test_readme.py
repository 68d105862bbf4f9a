"""The commands of the README and of the documentation print what is written there, apart from times."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
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


def test_there_are_commands_with_output():
    assert len(COMMANDS) >= 5
    assert all(output for _, output in COMMANDS)


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=[c for c, _ in COMMANDS])
def test_the_command_prints_what_is_written(asymp, monkeypatch, command, output):
    monkeypatch.chdir(ROOT)
    ran = asymp(*shlex.split(command))
    assert ran.code == 0
    assert without_times(ran.out) == without_times(output)
