"""The sources' figures: each is measured, its statements are checked (and can fail), it is drawn, and written with its data."""

import copy
import io
import json
import re

import pytest

from asymp.reports.gallery import INDEX, How, figure, make
from asymp.reports.gallery.declare import FAILS, HOLDS, OPEN
from asymp.reports.gallery.style import drawn, styled

# Sizes that take tenths of a second: enough for every line of a figure to run, not for its statements to be decided.
INDUCTION = {
    "task": {"text": "uniform", "N": 8, "T": 8, "K": 2, "d": 16, "batch": 4, "steps": 6},
    "every": 1,
    "runs": 2,
}
TRAINED = {"d": [10, 100], "runs": 2}
TINY = {
    "figure-1": {"d": [16, 32, 64, 128], "T": [10, 30, 100, 300], "runs": 16},
    "figure-2": {"d": [2, 8], "runs": 64},
    "figure-3": {
        "map_d": [5, 10, 640], "map_T": [10, 1000], "d": [16, 64, 128, 512], "exact": [[10, 1000]],
        "runs": 8, "checked": 8, "slopes": 32, "beyond": 32,
    },
    "figure-4": {"steps": [1, 10, 200], "batch_steps": [1, 10]},
    "figure-5": {"gamma": [10.0, 1.0, 0.01], "n": [1, 10], "N": 20},
    "memory-matrices": {"d": 30, "runs": 8, "steps": [1, 10], "lr": 1.0},
    "step-size": {"d": [10, 1000], "lr": [0.1, 10.0], "T": 100, "runs": 2, "weights_runs": 2},
    "batch-size": {"d": [10], "batch": [64, 1024], "lr": [1.0], "runs": 2},
    "adam": {**TRAINED, "lr": [1.0]},
    "layer-norm": {**TRAINED, "lr": [0.1, 1.0]},
    "learned-embeddings": {**TRAINED, "exact_d": [2], "exact_M": [10]},
    "oscillations": {"a": 0.9, "steps": 20, "longest": 60, "orthogonal": 100, "eta": [1.0, 10.0]},
    "hallucination": {"many subjects": {"S": 12, "R": 3, "D": 4}, "few subjects": {"S": 2, "R": 6, "D": 2}, "init": 1e-3},
    "induction-attention": INDUCTION,
    "induction-probes": INDUCTION,
    "factual-recall": {
        "task": {"S": 3, "R": 3, "D": 2, "T": 4, "d": 16, "d_h": 2, "steps": 3}, "H": [1, 4], "m": [0, 4], "runs": 2,
    },
    "capacity": {
        "injective": [8, 16], "loads": [0.5, 1.0], "runs": 64, "linear": [16, 32], "linear_loads": [0.5, 1.0], "linear_runs": 64,
    },
    "learnability": {"N": 16, "n": 64, "T": [4, 16], "d": [16, 32], "runs": 2},
}  # fmt: skip


def measured(name, settings, **how):
    """A figure's data at settings of our own, as the file has them."""
    from asymp.reports.gallery import induction
    from asymp.reports.gallery.data import plain

    induction._run.cache_clear()
    return json.loads(json.dumps(plain(figure(name).measure(settings, How(**how))), allow_nan=False))


@pytest.fixture(scope="module")
def tiny():
    found = {}

    def of(name):
        if name not in found:
            found[name] = measured(name, TINY[name])
        return copy.deepcopy(found[name])

    return of


def outcome(name, statement, data):
    return next(s for s in figure(name).statements if s.name == statement).check(data)


def test_every_figure_of_the_index_is_here():
    assert list(TINY) == list(INDEX) == list(SPOILT) and len(INDEX) == 18


@pytest.mark.parametrize("name", list(INDEX))
def test_a_figure_is_measured_checked_and_drawn(name, tiny):
    declared, data = figure(name), tiny(name)
    assert declared.name == name and declared.caption.endswith(".") and declared.alt.endswith(".")
    for statement in declared.statements:
        finding = statement.check(data)
        assert finding.outcome in (HOLDS, FAILS, OPEN) and finding.words.endswith((".", "%"))
    drawing = drawn(declared, data)
    with styled():
        buffer = io.StringIO()
        drawing.savefig(buffer, format="svg")
    assert "<svg" in buffer.getvalue() and len(buffer.getvalue()) < 1_000_000
    # Every panel says what its axes are.
    panels = [ax for ax in drawing.axes if ax.get_visible() and ax.get_label() != "<colorbar>"]
    for ax in panels:
        spot = ax.get_subplotspec()
        column = [o for o in panels if o.get_subplotspec().colspan.start == spot.colspan.start]
        row = [o for o in panels if o.get_subplotspec().rowspan.start == spot.rowspan.start]
        assert any(o.get_xlabel() for o in column) and any(o.get_ylabel() for o in row)


def exactly(points, value):
    """Points without uncertainty, at a value of our own (of the point, where it is a function)."""
    for point in points if isinstance(points, list) else [points]:
        new = value(point) if callable(value) else value
        point.update(dict.fromkeys(("mean", "least", "most", "low", "high"), new), stderr=0.0)


def series(data, name):
    return next(s for s in data["series"] if s["name"] == name)


def law_times(factor):
    def spoil(data):
        for s in [*data["series"], *data.get("by_hand", [])]:
            line = next((t for t in data["theory"] if t["name"] == s["name"]), None)
            for point, y in zip(s["points"], line["y"] if line else [], strict=False):
                exactly(point, factor * y)

    return spoil


def set_to(*path, value):
    def spoil(data):
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return spoil


def points_to(name, *values):
    def spoil(data):
        for i, value in values:
            exactly(series(data, name)["points"][i], value)

    return spoil


def wrong_order(data):
    exactly(series(data, "d = 1000")["points"][0], 0.1)
    exactly(series(data, "d = 1000")["points"][-1], 0.9)


def worse_learned(data):
    exactly(series(data, "fixed embeddings")["points"], 0.1)
    exactly(series(data, "all learned")["points"], 0.9)


def learnt_backwards(data):
    data["onsets"] = {"OV2": [50] * 7, "KQ2": [10] * 7, "KQ1": [20] * 7}


def late(data):
    flow = data["flows"]["many subjects"]["curves"]
    flow["t"] = [2 * t for t in flow["t"]]


def all_right(data):
    for row in data["cells"]:
        for cell in row:
            cell["runs"] = [1.0] * len(cell["runs"])


# For each figure: a statement, and data under which it must fail.
SPOILT = {
    "figure-1": ("joint", law_times(5)),
    "figure-2": ("recalled", set_to("examples", "wrong", "recalled", value=3.0)),
    "figure-3": ("overflow", lambda data: exactly(data["maps"][0]["cells"][-1][0], 0.0)),
    "figure-4": ("same", lambda data: exactly(series(data, "SGD, d = 100, γ = 1")["points"], 2.0)),
    "figure-5": ("map", law_times(1.01)),
    "memory-matrices": ("argmax", set_to("agreement", value=[1.0, 0.9, 1.0])),
    "step-size": ("large", wrong_order),
    "batch-size": ("small-batches", points_to("d = 10, step 1", (0, 0.9), (-1, 0.1))),
    "adam": ("published", points_to("Adam, d = 10", (0, 0.9))),
    "layer-norm": ("published", points_to("Adam + norm, rate 1", (0, 0.9))),
    "learned-embeddings": ("better", worse_learned),
    "oscillations": ("faster", set_to("times", "steps", "a = 0.9, p = 0.75", value=[4, 8])),
    "hallucination": ("times", late),
    "induction-attention": ("two-layers", set_to("final", "two layers", value=[0.1] * 7)),
    "induction-probes": ("order-1", learnt_backwards),
    "factual-recall": ("wall", all_right),
    "capacity": ("laws", law_times(3)),
    "learnability": ("short", lambda data: [exactly(row, 5.0) for row in data["cells"]]),
}


@pytest.mark.parametrize("name", list(SPOILT))
def test_spoilt_data_make_a_statement_fail(name, tiny):
    statement, spoil = SPOILT[name]
    data = tiny(name)
    assert outcome(name, statement, data).outcome != FAILS
    spoil(data)
    assert outcome(name, statement, data).outcome == FAILS


def first_cell(settings):
    """The published settings, with the first of every list of sizes only."""
    return {
        k: first_cell(v) if isinstance(v, dict) else v[:1] if isinstance(v, list) else v for k, v in settings.items()
    }


# What bounds the time: fewer runs and steps, at the published sizes.
BOUNDED = {
    "figure-2": {"runs": 500},
    "figure-3": {"runs": 20, "checked": 20, "slopes": 100, "beyond": 100},
    "memory-matrices": {"runs": 20},
    "step-size": {"runs": 4, "weights_runs": 2, "T": 1000},
    "batch-size": {"runs": 1},
    "adam": {"runs": 10},
    "layer-norm": {"runs": 10},
    "learned-embeddings": {"runs": 1},
    "oscillations": {"eta": [10.0], "longest": 400, "orthogonal": 1000},
    "hallucination": {"few subjects": {"S": 2, "R": 4, "D": 2}, "init": 0.05},
    "capacity": {"runs": 256, "linear_runs": 64},
    "learnability": {"runs": 1},
}
LARGE_TASKS = {
    "induction-attention": {"steps": 1, "batch": 2},
    "induction-probes": {"steps": 1, "batch": 2},
    "factual-recall": {"steps": 2},
}


@pytest.mark.parametrize("name", list(INDEX))
def test_the_first_cell_runs_at_the_published_settings(name):
    settings = {**first_cell(figure(name).settings["paper"]), **BOUNDED.get(name, {})}
    if name in LARGE_TASKS:
        settings |= {"task": {**settings["task"], **LARGE_TASKS[name]}, "runs": 1}
    assert measured(name, settings)


@pytest.mark.parametrize("name", ["figure-1", "figure-4", "memory-matrices", "induction-probes", "factual-recall"])
def test_the_data_are_the_same_byte_for_byte(name, tiny):
    again = measured(name, TINY[name])
    assert json.dumps(again) == json.dumps(tiny(name))


def test_another_seed_gives_other_data(tiny):
    assert measured("figure-1", TINY["figure-1"], seed=1) != tiny("figure-1")


def test_an_erratum_that_a_figure_names_is_in_the_ledger():
    from asymp.theory import errata

    known = {id for id, _ in errata()}
    named = [s for name in INDEX for s in figure(name).statements if s.erratum]
    assert len(named) >= 9
    for statement in named:
        assert statement.erratum in known and statement.why.endswith(".") and not statement.by_us


def test_figures_alone_are_written_into_a_folder(asymp, tmp_path):
    ran = asymp("report", "--figures", "figure-5", "--figures", "memory-matrices", "-o", tmp_path / "r")
    assert ran.code == 0 and "2 of 18 figures" in ran.out and "figure-5: measured in" in ran.err
    kinds = {f"{name}.{kind}" for name in ("figure-5", "memory-matrices") for kind in ("svg", "png", "pdf", "json")}
    assert {p.name for p in (tmp_path / "r" / "gallery").iterdir()} == kinds
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "json": b"{"}
    for path in (tmp_path / "r" / "gallery").iterdir():
        assert path.read_bytes().startswith(starts[path.suffix[1:]])
    page = (tmp_path / "r" / "figures.html").read_text()
    assert page.count("<svg ") == 2 and "This does not come out" in page and "asymp report --figures all" in page
    assert "errata.html" not in page  # there is none: no claim was checked
    data = json.loads((tmp_path / "r" / "gallery" / "figure-5.json").read_text())
    assert (
        data["settings"]["N"] == 100 and data["data"]["series"] and data["repeat"].startswith("asymp report --figures")
    )
    assert {"text", "outcome", "words", "said_by", "why", "erratum"} <= set(data["statements"][0])
    # A statement of the source that fails has its reason beside the picture.
    failed = [s for s in data["statements"] if s["outcome"] == FAILS]
    assert failed and all(s["why"] and s["why"][:40] in page for s in failed)
    # From what is kept, the same bytes and nothing measured; then figures beside claims.
    before = {p.name: p.read_bytes() for p in (tmp_path / "r").rglob("*") if p.is_file()}
    ran = asymp("report", "--figures", "figure-5", "-o", tmp_path / "s", "--json")
    told = json.loads(ran.out)
    assert "measured" not in ran.err and [f["figure"] for f in told["figures"]] == ["figure-5"]
    assert {p.name: p.read_bytes() for p in (tmp_path / "s").rglob("*") if p.is_file()} == before
    ran = asymp("report", "interference", "--figures", "figure-5", "-o", tmp_path / "s")
    assert ran.code == 0 and "errata.html" in (tmp_path / "s" / "figures.html").read_text()
    report = json.loads((tmp_path / "s" / "report.json").read_text())
    assert [f["figure"] for f in report["figures"]] == ["figure-5", "memory-matrices"]
    assert "2 of 18 figures" in (tmp_path / "s" / "index.html").read_text()
    assert "Figure memory-matrices" in (tmp_path / "s" / "report.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--figures", "figure-9"], "there is no figure named 'figure-9'; did you mean"),
        (["--figures", "figure-1", "--shard", "1/2"], "--shard"),
        (["--figures", "figure-1", "--plan"], "--plan"),
        (["--figures", "figure-1", "-s", "d=3"], "settings of their own"),
    ],
)
def test_bad_input_is_one_sentence(asymp, tmp_path, arguments, words):
    ran = asymp("report", "-o", tmp_path / "r", *arguments)
    assert ran.code == 2 and words in ran.err and len(ran.err.strip().splitlines()) == 1
    assert not (tmp_path / "r").exists()


def test_a_report_of_everything_has_the_cheap_figures_and_one_of_some_claims_what_is_kept():
    from types import SimpleNamespace

    from asymp.reports.gallery.command import wanted_figures
    from asymp.reports.gallery.index import CHEAP

    options = SimpleNamespace(shard=None, plan=False, cluster=None, settings=(), claims_file=None)
    assert wanted_figures((), (), options) == (list(CHEAP), False)
    assert wanted_figures((), ("missing-mass",), options) == ([], False)
    assert wanted_figures(("all",), ("missing-mass",), options) == (list(INDEX), False)
    assert wanted_figures(("adam", "figure-1", "adam"), (), options) == (["figure-1", "adam"], True)


def test_the_names_can_be_listed(asymp):
    assert [line.split()[0] for line in asymp("list", "--figures").out.splitlines()] == list(INDEX)
    assert [row["name"] for row in json.loads(asymp("list", "--figures", "--json").out)] == list(INDEX)


def test_a_figure_in_python():
    made = make("figure-5")
    assert made.data["N"] == 100 and made.plot().axes and made.seconds > 0
    assert {s["outcome"] for s in made.to_json()["statements"]} <= {HOLDS, FAILS, OPEN}
    assert not re.search(r"[A-Z][a-z]+\?", made.figure.caption)
