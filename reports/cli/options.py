"""Options that verbs have in common, and what can be said of them before anything large is loaded.

Values are given as name=value: numbers, fractions, inf, lists, true or false, words. Nothing is executed.
"""

import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asymp.lazy import Lazy
from asymp.reports.claims import named

if TYPE_CHECKING:
    from asymp.reports import claims_file
else:
    claims_file = Lazy("asymp.reports.claims_file")

MOST_ROUNDS = 16
PRESETS = click.Choice(["quick", "standard", "paper"])
PRESET_HELP = "A name for the time: quick is 3 minutes, standard 60; paper takes the published sizes."
UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
DURATION = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)")
# What may be given as a value.
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
# A file, by its ending: run.npz, texts/mine.txt
FILE = re.compile(r"(?:[\w.~-]*/)*[\w-]*[A-Za-z][\w.-]*\.[A-Za-z]\w*")
SETTING_HELP = "Set a parameter: a number, a fraction, inf, a list or a word. May be given several times."


@dataclass(frozen=True)
class Options:
    """What was asked for."""

    settings: tuple[str, ...]
    preset: str
    time: str | None
    rounds: int | None
    until: str | None
    seed: int
    device: str
    workers: int | None
    cluster: str | None
    store: str | None
    no_store: bool
    shard: str | None
    plan: bool
    declared: tuple[str, ...]
    strict: bool
    quiet: bool
    as_json: bool


def limit_memory() -> None:
    """Have this process refuse to take more memory than is free, where the system would rather kill it."""
    try:
        import resource

        with open("/proc/meminfo", encoding="ascii") as file:
            free = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if soft == resource.RLIM_INFINITY or soft > free:
            resource.setrlimit(resource.RLIMIT_DATA, (free, hard))
    except (ImportError, OSError, StopIteration, ValueError):
        pass  # another system: it has its own ways


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--json, for every verb."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


def settings_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """-s name=value, any number of times."""
    return click.option("-s", "--set", "settings", multiple=True, metavar="NAME=VALUE", help=SETTING_HELP)(command)


def claims_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--claims FILE, any number of times: they are loaded before the verb begins."""
    return click.option(
        "--claims",
        "declared",
        multiple=True,
        metavar="FILE",
        callback=_load,
        help="A Python file with claims of your own, or the folder of a package with claims. May be given several times.",
    )(command)


def _load(context: click.Context, parameter: click.Parameter, files: tuple[str, ...]) -> tuple[str, ...]:
    """Load the files; the ids that they declare take their place."""
    return tuple(claims_file.load_claims(*files)) if files else ()


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `check` and `report`."""
    for option in reversed(
        (
            settings_option,
            click.option(
                "--time", metavar="TIME", help="How long it may take: 90s, 3m, 1h. Default: the preset's time."
            ),
            click.option("--until", type=click.Choice(["decided"]), help="Go on until everything is decided."),
            click.option("--rounds", type=int, help="The most rounds a statement may have: to repeat a run exactly."),
            click.option("--preset", type=PRESETS, default="quick", show_default=True, help=PRESET_HELP),
            click.option("--seed", type=int, default=0, show_default=True, help="Another seed, other random numbers."),
            click.option(
                "--device", default="auto", show_default=True, help="auto takes a GPU if there is one; or cpu, cuda."
            ),
            click.option("--workers", type=int, help="Processes. Default: all cores, once the work is worth it."),
            click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler, tcp://HOST:PORT, or slurm:PARTITION."),
            click.option("--store", metavar="DIR", help="Where finished cells are kept. Default: the user's cache."),
            click.option("--no-store", is_flag=True, help="Keep nothing and believe nothing that was kept."),
            click.option("--shard", metavar="I/N", help="Compute only the I-th of N shares, for job arrays."),
            click.option("--plan", is_flag=True, help="Print the cells, time and memory that a run takes; do not run."),
            claims_option,
            click.option("--strict", is_flag=True, help="Exit with 3 if anything is inconclusive."),
            click.option("--quiet", is_flag=True, help="No progress."),
            json_option,
        )
    ):
        command = option(command)
    return command


@dataclass(frozen=True)
class Asked:
    """Which claims to run, at which values of their parameters (-s), for how many seconds, and which share (--shard)."""

    ids: tuple[str, ...]
    values: dict[str, Any]
    time: float | None
    shard: tuple[int, int] | None


def asked(ids: tuple[str, ...], options: Options) -> Asked:
    """What was asked for; a typo in a setting, a name or a shard is an error before torch is loaded."""
    values = {name: plain(value) for name, value in parse_settings(options.settings).items()}
    for name, value in values.items():
        if isinstance(value, list):
            raise ValueError(f"{name} must be one value in a check; got a list")
    return Asked(tuple(named(ids)), values, _time(options), _shard(options))


def _time(options: Options) -> float | None:
    """The seconds that were asked for; None where they are the preset's."""
    if options.until is not None and options.time is not None:
        raise ValueError("give --time or --until decided, not both")
    if options.rounds is not None and not 1 <= options.rounds <= MOST_ROUNDS:
        raise ValueError(f"--rounds must be a whole number from 1 to {MOST_ROUNDS}; got {options.rounds}")
    if options.until is not None:
        return math.inf
    return None if options.time is None else parse_duration(options.time)


def parse_duration(text: str) -> float:
    """'90', '90s', '3m' or '1.5h' in seconds."""
    found = DURATION.fullmatch(text.strip().lower())
    unit = UNITS.get(found[2] or "s") if found else None
    seconds = float(found[1]) * unit if found and unit else 0.0
    if not 0 < seconds < math.inf:
        raise ValueError(f"--time must be a time above 0, such as 90s, 3m or 1h; got {text!r}")
    return seconds


def completing(names: Callable[[], Iterable[str]]) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """The shell's completion of an argument: those of the names that begin with what was typed."""
    return lambda context, parameter, typed: [name for name in names() if name.startswith(typed)]


def _shard(options: Options) -> tuple[int, int] | None:
    if options.store and options.no_store:
        raise ValueError("give --store or --no-store, not both")
    if options.shard is None:
        return None
    if options.no_store:
        raise ValueError("a shard needs a store: its results are nowhere else; leave --no-store out")
    shard = parse_shard(options.shard)
    if options.rounds is None:
        raise ValueError("--shard needs --rounds, so that all shards compute the same rounds; 7 is a usual number")
    return shard


def parse_shard(text: str) -> tuple[int, int]:
    """'2/8', the second of eight, as (2, 8)."""
    left, slash, right = text.partition("/")
    if slash and left.isdecimal() and right.isdecimal() and 1 <= int(left) <= int(right):
        return int(left), int(right)
    raise ValueError(f"shard must be i/n with 1 <= i <= n, such as 1/4; got {text!r}")


def parse_settings(pairs: Iterable[str]) -> dict[str, Any]:
    """A dictionary from name=value pairs. Decimals become exact fractions, so that 1.1 means 1.1 to any digit."""
    settings: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        name = name.strip()
        if not sign or not name or not text.strip():
            raise ValueError(f"a setting must be written name=value, such as alpha=2; got {pair!r}")
        if name in settings:
            raise ValueError(f"{name} is set twice")
        entries = [_value(name, entry.strip()) for entry in text.split(",")]
        settings[name] = entries[0] if len(entries) == 1 else entries
    return settings


def _value(name: str, text: str) -> Any:
    lowered = text.lower()
    if lowered in {"inf", "+inf", "oo", "infinity"}:
        return math.inf
    if lowered == "nan":
        return math.nan
    if lowered in {"none", "true", "false"}:
        return {"none": None, "true": True, "false": False}[lowered]
    if NUMBER.fullmatch(text):
        if len(text) > 1000 or abs(int((re.search(r"[eE]([+-]?\d+)", text) or [0, 0])[1])) > 4000:
            raise ValueError(f"{name} must be a number of reasonable size; got {text[:20]!r}...")
        return _simple(Fraction(text))
    top, slash, bottom = text.partition("/")
    if slash and NUMBER.fullmatch(top) and NUMBER.fullmatch(bottom) and Fraction(bottom) != 0:
        return _simple(Fraction(top) / Fraction(bottom))
    if WORD.fullmatch(text) or FILE.fullmatch(text):
        return text
    raise ValueError(
        f"{name} must be a number, a fraction such as 3/2, inf, a list such as 10,100, a word or a file; got {text!r}"
    )


def _simple(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


def plain(value: Any) -> Any:
    """The value as Python's own number: fractions become floats."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    return float(value) if isinstance(value, Fraction) else value


@contextmanager
def paths_told() -> Iterator[None]:
    """What the system says against a path of the command line, or against the store's, in one sentence."""
    try:
        yield
    except OSError as error:
        words = [*sys.argv[1:], os.environ.get("ASYMP_STORE", "")]
        names = {Path(word.partition("=")[2] if word.startswith("-") else word).name for word in words}
        path = Path(str(error.filename or ""))
        if names.isdisjoint(path.parts):
            raise
        shown = path.name if len(path.name) <= 40 else f"{path.name[:36]} ..."
        raise ValueError(f"the path {shown} cannot be used ({error.strerror}); give another") from error
