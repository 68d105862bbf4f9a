"""The sources' figures: each is measured, drawn from its data and written with them; its sentences are statements of claims."""

import copy
import io
import json
from types import SimpleNamespace

import pytest
from support.own_claims import CHEAP

from asymp.reports.claims import claims
from asymp.reports.cli.run import wanted_figures
from asymp.reports.figures import INDEX, How, figure, induction, make
from asymp.reports.figures.style import drawn, styled
from asymp.reports.serialise import clean

pytestmark = pytest.mark.slow

# Sizes that take tenths of a second: enough for every line of a figure to run.
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
        "map_d": [5, 10, 640], "map_T": [10, 1000], "d": [16, 64, 128, 512], "runs": 8, "slopes": 32,
    },
    "figure-4": {"steps": [1, 10, 200], "batch_steps": [1, 10]},
    "figure-5": {"gamma": [10.0, 1.0, 0.01], "n": [1, 10], "N": 20},
    "memory-matrices": {"d": 30, "steps": [1, 10], "lr": 1.0},
    "step-size": {"d": [10, 1000], "lr": [0.1, 10.0], "T": 100, "runs": 2, "weights_runs": 2},
    "batch-size": {"d": [10], "batch": [64, 1024], "lr": [1.0], "runs": 2},
    "adam": {**TRAINED, "lr": [1.0]},
    "layer-norm": {**TRAINED, "lr": [0.1, 1.0]},
    "learned-embeddings": {**TRAINED, "exact_d": [2], "exact_M": [10]},
    "oscillations": {"a": 0.9, "steps": 20, "longest": 60, "eta": [1.0, 10.0]},
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
    induction._run.cache_clear()
    return json.loads(json.dumps(clean(figure(name).measure(settings, How(**how))), allow_nan=False))


@pytest.fixture(scope="module")
def tiny():
    found = {}

    def of(name):
        if name not in found:
            found[name] = measured(name, TINY[name])
        return copy.deepcopy(found[name])

    return of


def other(data):
    """The data with all means, intervals and laws multiplied by 1.5; rates by which panels are found stay."""
    if isinstance(data, dict):
        return {k: v if k == "lr" else other(v) for k, v in data.items()}
    if isinstance(data, list):
        return [other(v) for v in data]
    return 1.5 * data if isinstance(data, float) and data > 0 else data


def saved(drawing, **how):
    with styled():
        buffer = io.BytesIO()
        drawing.savefig(buffer, **how)
    return buffer.getvalue()


@pytest.mark.parametrize("name", INDEX)
def test_a_figure_is_measured_and_drawn_with_sentences_that_are_statements_of_claims(name, tiny):
    declared, data = figure(name), tiny(name)
    assert declared.name == name and declared.caption.endswith(".") and declared.alt.endswith(".")
    assert declared.sentences and len({s.text for s in declared.sentences}) == len(declared.sentences)
    for sentence in declared.sentences:
        assert sentence.text.endswith(".")
        assert sentence.statement in {part.name for part in claims[sentence.claim].parts}, sentence
    drawing = drawn(declared, data)
    svg = saved(drawing, format="svg")
    assert b"<svg" in svg and len(svg) < 1_000_000
    # Every panel says what its axes are.
    panels = [ax for ax in drawing.axes if ax.get_visible() and ax.get_label() != "<colorbar>"]
    for ax in panels:
        spot = ax.get_subplotspec()
        column = [o for o in panels if o.get_subplotspec().colspan.start == spot.colspan.start]
        row = [o for o in panels if o.get_subplotspec().rowspan.start == spot.rowspan.start]
        assert any(o.get_xlabel() for o in column) and any(o.get_ylabel() for o in row)
    # Other data give another picture.
    changed = drawn(declared, other(tiny(name)))
    assert saved(drawing, format="raw", dpi=40) != saved(changed, format="raw", dpi=40)


@pytest.mark.parametrize("name", ["figure-1", "figure-2", "figure-3", "figure-5", "learned-embeddings", "capacity"])
def test_points_lie_on_the_laws_that_are_drawn_with_them(name, tiny):
    """Theory and simulation meet in the picture: every mean is within five half-widths of its 95 % interval."""
    data = tiny(name)
    measured = {s["name"]: s for s in data["series"]}
    assert data["theory"]
    for law in data["theory"]:
        for point, y in zip(measured[law["name"]]["points"], law["y"], strict=True):
            low, high = point["low"], point["high"]
            assert low - 2 * (high - low) - 0.02 * y - 1e-9 <= y <= high + 2 * (high - low) + 0.02 * y + 1e-9


def first_cell(settings):
    """The published settings, with the first of every list of sizes only."""
    return {
        k: first_cell(v) if isinstance(v, dict) else v[:1] if isinstance(v, list) else v for k, v in settings.items()
    }


# What bounds the time: fewer runs and steps, at the published sizes.
BOUNDED = {
    "figure-2": {"runs": 500},
    "figure-3": {"runs": 20, "slopes": 100},
    "step-size": {"runs": 4, "weights_runs": 2, "T": 1000},
    "batch-size": {"runs": 1},
    "adam": {"runs": 10},
    "layer-norm": {"runs": 10},
    "learned-embeddings": {"runs": 1},
    "oscillations": {"eta": [10.0], "longest": 400},
    "hallucination": {"few subjects": {"S": 2, "R": 4, "D": 2}, "init": 0.05},
    "capacity": {"runs": 256, "linear_runs": 64},
    "learnability": {"runs": 1},
    "induction-attention": {"task": {"steps": 1, "batch": 2}, "runs": 1},
    "induction-probes": {"task": {"steps": 1, "batch": 2}, "runs": 1},
    "factual-recall": {"task": {"steps": 2}, "runs": 1},
}


@pytest.mark.parametrize("name", list(INDEX))
def test_the_first_cell_runs_at_the_published_settings(name):
    published = first_cell(figure(name).settings["paper"])
    fewer = {k: {**published[k], **v} if k == "task" else v for k, v in BOUNDED.get(name, {}).items()}
    assert measured(name, {**published, **fewer})


@pytest.mark.parametrize("name", ["figure-1", "figure-4", "memory-matrices", "induction-probes", "factual-recall"])
def test_the_same_seed_gives_the_same_data_byte_for_byte_and_another_one_others(name, tiny):
    assert json.dumps(measured(name, TINY[name])) == json.dumps(tiny(name))
    if name == "figure-1":
        assert measured(name, TINY[name], seed=1) != tiny(name)


def test_figures_are_written_with_the_verdicts_of_the_claims_that_they_are_of(asymp, tmp_path):
    ran = asymp("report", "--figures", "figure-5", "-o", tmp_path / "r", "--workers", "1")
    assert ran.code == 0 and "figure-5: measured in" in ran.err
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "json": b"{"}
    files = {path.name: path for path in (tmp_path / "r" / "gallery").iterdir()}
    assert set(files) == {f"figure-5.{kind}" for kind in starts}
    assert all(files[f"figure-5.{kind}"].read_bytes().startswith(start) for kind, start in starts.items())
    # The claims are those of its sentences, and each sentence has the verdict of its statement.
    report = json.loads((tmp_path / "r" / "report.json").read_text())
    outcomes = {(c["id"], p["name"]): p["outcome"] for c in report["claims"] for p in c["parts"]}
    assert {c["id"] for c in report["claims"]} == {"sgd-map", "sgd-map-as-power"}
    data = json.loads((tmp_path / "r" / "gallery" / "figure-5.json").read_text())
    assert data["settings"]["N"] == 100 and data["data"]["series"]
    assert data["repeat"].startswith("asymp report --figures")
    for sentence in data["sentences"]:
        assert sentence["outcome"] == outcomes[sentence["claim"], sentence["statement"]]
        assert sentence["words"]
    page = (tmp_path / "r" / "figures.html").read_text()
    assert page.count("<svg ") == 1 and "asymp report --figures all" in page and "not checked" not in page
    assert 'href="claims/sgd-map.html#part-plateau"' in page
    assert 'id="part-plateau"' in (tmp_path / "r" / "claims" / "sgd-map.html").read_text()
    # From what is kept, nothing is measured; in a report of another claim its sentences are not checked.
    command = ["report", CHEAP, "--figures", "memory-matrices", "-o", tmp_path / "s", "--json", "--workers", "1"]
    ran = asymp(*command)
    assert ran.code == 0 and "figure-5: measured" not in ran.err and "memory-matrices: measured" in ran.err
    assert [f["figure"] for f in json.loads(ran.out)["figures"]] == ["figure-5", "memory-matrices"]
    assert "not checked" in (tmp_path / "s" / "figures.html").read_text()
    assert "2 of 18 figures" in (tmp_path / "s" / "index.html").read_text()
    assert 'id="memory-matrices"' in (tmp_path / "s" / "figures.html").read_text()


@pytest.mark.parametrize(
    ("figures", "ids", "wanted"),
    [
        ((), (), (list(INDEX), ())),
        ((), ("missing-mass",), ([], ("missing-mass",))),
        (("all",), ("missing-mass",), (list(INDEX), ("missing-mass",))),
        (("adam", "figure-1", "adam"), (), (["figure-1", "adam"], ("joint-law", "adam", "training-grid"))),
    ],
)
def test_a_report_of_everything_has_the_cheap_figures_and_one_of_some_claims_what_is_kept(figures, ids, wanted):
    options = SimpleNamespace(shard=None, plan=False, cluster=None, settings=(), declared=())
    assert wanted_figures(figures, ids, options) == wanted


def test_the_names_can_be_listed(asymp):
    assert list(TINY) == list(INDEX) and len(INDEX) == 18
    assert [line.split()[0] for line in asymp("list", "--figures").out.splitlines()] == list(INDEX)
    assert [row["name"] for row in json.loads(asymp("list", "--figures", "--json").out)] == list(INDEX)


def test_a_figure_in_python():
    made = make("figure-5")
    assert made.data["weights"] and made.plot().axes and made.seconds > 0
    assert made.to_json()["sentences"][0]["claim"] == "sgd-map"
