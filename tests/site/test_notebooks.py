"""Notebooks: results show themselves, with everything a user wrote escaped; both notebooks of the documentation run."""

import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NAMES = sorted(file.stem for file in FOLDER.glob("*.ipynb"))
EVIL = "<script>alert(1)</script>&`<b>`"


def read(name):
    import nbformat

    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


class Balanced(HTMLParser):
    """Fails on a tag that is closed and was not open, or the other way round."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags = [], set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_two_notebooks_are_kept_without_outputs():
    import nbformat

    assert NAMES == ["gallery", "tutorial"]
    for name in NAMES:
        notebook = read(name)
        nbformat.validate(notebook)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert len(code) >= 8
        assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A notebook run from top to bottom in a kernel of its own, in a folder and a store of its own."""
    import nbclient

    folder = tmp_path_factory.mktemp("notebooks")
    own = {
        "ASYMP_STORE": str(folder / "store"),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
    }
    known = {}

    def run(name):
        if name not in known:
            notebook = read(name)
            with pytest.MonkeyPatch.context() as patch:
                for variable, value in own.items():
                    patch.setenv(variable, value)
                where = {"metadata": {"path": str(folder)}}
                client = nbclient.NotebookClient(notebook, timeout=300, startup_timeout=300, resources=where)
                client.execute()
            known[name] = notebook
        return known[name]

    return run


def outputs(notebook):
    return [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_runs_and_says_nothing_on_stderr(executed, name):
    notebook = executed(name)
    found = outputs(notebook)
    assert [out for out in found if out.output_type == "error" or out.get("name") == "stderr"] == []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs for cell in code), "a cell that shows nothing is no example"
    for out in found:
        if "text/html" in out.get("data", {}):
            Balanced(out.data["text/html"])


def test_the_tutorial_shows_verdicts_formulas_and_figures(executed):
    data = [out.get("data", {}) for out in outputs(executed("tutorial"))]
    shown = [re.sub(r"<[^>]+>", " ", entry["text/html"]) for entry in data if "text/html" in entry]
    assert any("<math" in entry.get("text/html", "") for entry in data)
    assert sum("image/png" in entry for entry in data) == 2
    # The law 1/(n + 1) of the largest of n uniform numbers is an elementary integral; 1/(n + 2) is 1/6 off at n = 4.
    assert [text.split(":")[1].split()[1] for text in shown if text.split(":")[0].strip() == "gap"] == ["supported"]
    assert [text.split(":")[1].split()[1] for text in shown if text.split(":")[0].strip() == "gap-wrong"] == ["refuted"]


def test_the_gallery_shows_each_figure_with_its_statements(executed):
    data = [out.get("data", {}) for out in outputs(executed("gallery"))]
    assert sum("image/png" in entry for entry in data) == sum("text/html" in entry for entry in data) == 5


def own_claim(id):
    import torch

    from asymp.montecarlo import experiment
    from asymp.reports import claim
    from asymp.theory import Param, law, real

    def simulate(draw, *, d):
        return torch.ones(draw.replicas, dtype=torch.float64) / d

    made = law(id, "1/d", relation="=", params={"d": Param(real(1), (10, 100))}, source=EVIL, title=EVIL)
    return made, claim(id, law=made, experiment=experiment("x", simulate), kind="identity", title=EVIL)


def test_nothing_that_a_user_wrote_is_markup():
    from asymp.reports import check

    law, claim = own_claim(EVIL)
    verdict = check(EVIL)
    for named in (law, claim, verdict):
        assert "&lt;script&gt;" in named._repr_html_()
    for shown in (law, claim, verdict, *verdict.parts.values()):
        html = shown._repr_html_()
        assert "script" not in Balanced(html).tags and "`<b>`" not in html
    assert repr(verdict) == f"<Verdict {EVIL}: supported (source supported)>"


@pytest.mark.parametrize("id", ["missing-mass", "joint-law:source", "mlp-capacity:item-error"])
def test_a_law_shows_its_formula_or_says_that_it_is_long(id):
    from asymp.theory import laws

    html = laws[id]._repr_html_()
    assert Balanced(html).tags >= ({"math"} if id != "mlp-capacity:item-error" else {"code"})
    assert len(html) < 60_000


def test_laws_and_verdicts_in_latex():
    from asymp.reports import check

    law, _ = own_claim("own")
    assert law._repr_latex_() == r"$\displaystyle E = \frac{1}{d}$"
    assert check("own")._repr_latex_() == r"$\displaystyle E = \frac{1}{d} \qquad \text{supported}$"


def test_a_claim_plots_itself():
    from matplotlib.figure import Figure

    _, claim = own_claim("own")
    figure = claim.plot()
    assert isinstance(figure, Figure) and len(figure.axes) >= 2
    assert figure._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="there is no part of 'own' named 'sharp'"):
        claim.plot("sharp")


def test_estimates_and_fits_show_themselves():
    import numpy as np

    from asymp.montecarlo import Estimate, fit_exponent
    from asymp.montecarlo.capacity.find import CapacityFit, find_capacity

    estimate = Estimate(values=np.array([0.0, 1.0] * 50), bounds=(0, 1))
    assert "0.50(5)" in estimate._repr_html_() and "100 replicas" in estimate._repr_html_()
    assert re.fullmatch(r"\$0\.50\(5\) \\quad \[0\.\d+,\\; 0\.\d+\]\$", estimate._repr_latex_())
    sizes = [10, 100, 1000, 10000]
    noise = np.random.default_rng(0).lognormal(0, 0.1, size=(4, 50))
    fit = fit_exponent(sizes, [noise[i] / n for i, n in enumerate(sizes)])
    assert "exponent -" in fit._repr_html_() and fit._repr_latex_().startswith("$b = -")
    capacity = find_capacity(lambda N, replicas, seed: np.full(replicas, float(N <= 50)), stop=400)
    assert isinstance(capacity, CapacityFit)
    assert capacity._repr_latex_().startswith("$N^* = 50") and "capacity 50" in capacity._repr_html_()
    for shown in (estimate, fit, capacity):
        assert Balanced(shown._repr_html_()).tags == {"div", "b"}


@pytest.mark.parametrize(
    ("value", "latex"),
    [(0.5, "0.5"), (-2.0, "-2"), (1.25e-5, r"1.25 \times 10^{-5}"), (math.inf, r"\infty"), (-math.inf, r"-\infty")],
)
def test_numbers_in_latex(value, latex):
    from asymp.montecarlo.typeset import latex_number

    assert latex_number(value) == latex
