"""What is said of a statement's figure, and its files: found by the hash of what they show, or drawn."""

import hashlib
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import asdict
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from asymp.montecarlo.running.pools import Pool
from asymp.montecarlo.running.store import Derived, key_of
from asymp.reports.kinds import Statement, Summary
from asymp.reports.page import drawing, labels, plotted, style, ticks
from asymp.reports.page.drawing import FORMATS, files
from asymp.reports.page.figure_data import exact_sentence, is_exact
from asymp.reports.page.plotted import FITTED, FigureData
from asymp.reports.page.style import INK
from asymp.reports.verdict import StatementVerdict

Key = tuple[str, str]
Files = dict[str, bytes]
GALLERY_FORMATS = ("svg", "png", "pdf")
K = TypeVar("K", bound=Hashable)


def caption(part: Statement, verdict: StatementVerdict, data: FigureData | None) -> str:
    """The caption of a figure: what came out, then what the marks are; without a figure, why there is none."""
    evidence = verdict.evidence
    if not evidence.points:
        return "Nothing was measured: the time was up before."
    if data is None:
        return exact_sentence(verdict) if is_exact(verdict) else evidence.words
    line = evidence.summary()
    result = _result(line, data.law_word)
    names = dict.fromkeys(name for one in data.series for name in one.lines)
    marks = [f"Strong bars: {data.scale.bars}"]
    if data.axis:
        marks[0] += "; faint bars: the guaranteed simultaneous 95 % intervals"
    if FITTED in names:
        marks.append("Shaded: the fitted power between the ends of the interval of its exponent")
    if data.open_constant:
        how = (
            "fitted"
            if data.law_word == "law"
            else "that of the smallest size, with what the statement allows beside it"
        )
        marks.append(f"The constant that the {data.law_word} leaves open is {how}")
    if data.wedge:
        marks.append(
            "Below: how far the points are off, in units of what one margin of the exponent comes to; green: less"
        )
    elif data.scale.ends == (-1.5, 1.5):
        marks.append(
            f"{'Below: distance' if data.axis else 'Distance'} from the law in margins; green: within the margin"
        )
    else:
        marks.append("Green: where the statement holds")
    if data.left_out:
        marks.append(f"{data.left_out} settings nearer to the law are in the table only")
    return f"{result} {'. '.join(marks)}."


def _result(line: Summary, law: str) -> str:
    """What came out, as a sentence. `law`: what the prediction is called."""
    measured = f" (95 % interval {line.interval})" if line.interval and " to " in line.interval else ""
    if line.what == "runs in the order":
        return f"The order holds in {line.measured} runs{measured}; the statement asks for {line.predicted}."
    if line.what.endswith(f"/ {law}"):
        ratio = line.what.capitalize().replace("/", "over")
        return f"{ratio}: {line.measured}{measured}, where the statement says {line.predicted}."
    if line.what.startswith("exponent"):
        return f"The {line.what} is {line.measured}{measured}; the {law} says {line.predicted}."
    return f"{line.what[:1].upper()}{line.what[1:]}: {line.measured}{measured}; the {law} says {line.predicted}."


def inline(files: Files, *, prefix: str, label: str) -> str:
    """A figure inside a page, described in words: where there is one for narrow screens, both, of which the style shows one."""
    wide = _inline(files["svg"], f"{prefix}", label, "wide-figure")
    return wide + (_inline(files["narrow.svg"], f"{prefix}-n", label, "narrow-figure") if "narrow.svg" in files else "")


def _inline(svg: bytes, prefix: str, label: str, style: str) -> str:
    """One SVG: ids made unique by a prefix, ink in the page's text colour."""
    text = svg.decode()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    # Without ids that nothing refers to, and without white space that nothing shows.
    prefix = re.sub(r"[^A-Za-z0-9_-]", "-", prefix)
    wanted = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in wanted else "", text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\1{prefix}-", text)
    text = re.sub(r">\s+<", "><", text)
    # Places of points, not the numbers of the text: hundredths of a point are finer than any screen.
    text = re.sub(r' (?:d|x|y|transform|points)="[^"]*"', lambda m: re.sub(r"(\d\.\d\d)\d+", r"\1", m[0]), text)
    words = label.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return text.replace(INK, "currentColor").replace("<svg", f'<svg class="{style}" role="img" aria-label="{words}"', 1)


def draw_all(wanted: Mapping[Key, FigureData], kept: Derived, pool: Pool) -> dict[Key, Files]:
    """The files of every figure, by claim and statement and then by format; `pool` draws those that are not `kept`."""
    begun = files_of_pictures(
        {name: ([drawn_by(), asdict(d)], files, d) for name, d in wanted.items()}, kept, pool, FORMATS
    )
    return {name: found() for name, found in begun.items()}


def files_of_pictures(
    tasks: Mapping[K, tuple[object, Callable[[Any], Files], Any]],
    kept: Derived,
    pool: Pool,
    formats: tuple[str, ...] = GALLERY_FORMATS,
) -> dict[K, Callable[[], Files]]:
    """By name, what gives the files of a picture when it is called; `pool` begins at once with those that are not `kept`.

    A task is what the picture depends on, a function that draws, and its argument.
    """
    keys = {name: key_of(depends_on) for name, (depends_on, _, _) in tasks.items()}
    found = {name: {form: kept.get("figures", f"{key}.{form}") for form in formats} for name, key in keys.items()}
    missing = [name for name, forms in found.items() if None in forms.values()]
    begun = {name: pool.submit(tasks[name][1], tasks[name][2]) for name in missing}

    def of(name: K) -> Files:
        drawn = begun[name].result() if name in begun else {}
        for form, body in drawn.items():
            kept.put("figures", f"{keys[name]}.{form}", body)
        return drawn or {form: body for form, body in found[name].items() if body is not None}

    return {name: partial(of, name) for name in tasks}


@cache
def drawn_by(*more: Path) -> str:
    """What else a picture depends on: the code that draws (`more`: its own files), and matplotlib."""
    own = [Path(str(module.__file__)) for module in (drawing, labels, plotted, style, ticks)]
    code = b"".join(file.read_bytes() for file in (*own, *more))
    return f"{hashlib.sha256(code).hexdigest()} {version('matplotlib')}"
