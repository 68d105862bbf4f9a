"""Notebooks: results show themselves, with everything a user wrote escaped; both notebooks of the documentation run."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from support.own_claims import claim_of_words

from asymp.montecarlo import Estimate, fit_exponent
from asymp.reports import check
from asymp.theory import laws

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


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


def shown_by(name, folder):
    """What a notebook, kept without outputs, shows when it is run from top to bottom in a kernel and a store of its own."""
    import nbclient
    import nbformat

    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) >= 8
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("ASYMP_STORE", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(variable, str(folder / variable.lower()))
        where = {"metadata": {"path": str(folder)}}
        nbclient.NotebookClient(notebook, timeout=300, startup_timeout=300, resources=where).execute()
    assert all(cell.outputs for cell in code), "a cell that shows nothing is no example"
    found = [out for cell in code for out in cell.outputs]
    assert [out for out in found if out.output_type == "error" or out.get("name") == "stderr"] == []
    data = [out.get("data", {}) for out in found]
    for entry in data:
        Balanced(entry.get("text/html", ""))
    return data


def test_the_tutorial_shows_verdicts_formulas_and_figures(tmp_path):
    assert sorted(file.stem for file in FOLDER.glob("*.ipynb")) == ["gallery", "tutorial"]
    data = shown_by("tutorial", tmp_path)
    shown = [re.sub(r"<[^>]+>", " ", entry["text/html"]) for entry in data if "text/html" in entry]
    assert any("<math" in entry.get("text/html", "") for entry in data)
    assert sum("image/png" in entry for entry in data) == 2
    # The law 1/(n + 1) of the largest of n uniform numbers is an elementary integral; 1/(n + 2) is 1/6 off at n = 4.
    assert [text.split(":")[1].split()[1] for text in shown if text.split(":")[0].strip() == "gap"] == ["supported"]
    assert [text.split(":")[1].split()[1] for text in shown if text.split(":")[0].strip() == "gap-wrong"] == ["refuted"]


def test_the_gallery_shows_each_figure_with_its_statements(tmp_path):
    data = shown_by("gallery", tmp_path)
    assert sum("image/png" in entry for entry in data) == sum("text/html" in entry for entry in data) == 5


def test_nothing_that_a_user_wrote_is_markup():
    claim = claim_of_words()
    law, verdict = claim.leading.law, check(claim)
    for named in (law, claim, verdict):
        assert "&lt;script&gt;" in named._repr_html_()
    for shown in (law, claim, verdict, *verdict.parts.values()):
        html = shown._repr_html_()
        assert "script" not in Balanced(html).tags and "`<b>`" not in html
    assert repr(verdict) == "<Verdict words: supported (source supported)>"


def test_laws_verdicts_and_claims_show_themselves():
    from matplotlib.figure import Figure

    claim = claim_of_words("own")
    assert claim.leading.law._repr_latex_() == r"$\displaystyle E = \frac{1}{d}$"
    assert check(claim)._repr_latex_() == r"$\displaystyle E = \frac{1}{d} \qquad \text{supported}$"
    figure = claim.plot()
    assert isinstance(figure, Figure) and len(figure.axes) >= 2
    assert figure._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="there is no part of 'own' named 'sharp'"):
        claim.plot("sharp")


@pytest.mark.parametrize("id", ["missing-mass", "joint-law:source", "mlp-capacity:item-error"])
def test_a_law_shows_its_formula(id):
    html = laws[id]._repr_html_()
    assert Balanced(html).tags >= {"math"}
    assert len(html) < 60_000


def test_estimates_and_fits_show_themselves():
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
