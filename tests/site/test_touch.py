"""Laws that a reader can touch: the script says what the law says, and sliders redraw it."""

import json
import math

import pytest

from asymp.reports.claims import claims
from asymp.reports.kinds import Point
from asymp.reports.page.render import resource
from asymp.reports.page.touch import _label, javascript, touch_of
from asymp.theory import laws
from asymp.theory.lazy import sympy

pytestmark = pytest.mark.browser
WANTED = (
    *("joint-law", "power-scheme", "threshold-scheme", "fill-scheme", "missing-mass", "sgd-map"),
    *("attention-learnability", "hallucination-phase"),
)


def touched(id):
    """The laws of a claim that can be touched, at the settings of its grids; nothing is measured."""
    for part in claims[id].parts:
        points = [Point(cell, 1.0, 1.0, 1.0, 1.0, 0.95, 1) for cell in part.cells("quick", {})]
        found = touch_of(part, points)
        if found is not None and not part.erratum:
            yield found, {**part.formula.defaults, **part.law_values(points[0].params)}


def settings(touch):
    """Measured settings, and others: each slider at a fifth and at four fifths of its way."""
    some = [point["at"] for point in touch.points[:: max(1, len(touch.points) // 3)]]
    for slider in (touch.axis, *touch.sliders):
        for share in (0.2, 0.8):
            low, high = slider.low, slider.high
            value = low * (high / low) ** share if slider.log else low + (high - low) * share
            some.append({**some[0], slider.name: round(value) if slider.whole else float(f"{value:.3g}")})
    return some


@pytest.mark.parametrize("id", WANTED)
def test_the_script_says_what_the_law_says(show, tmp_path, id):
    found = list(touched(id))
    assert found, f"no law of {id} can be touched"
    code = "".join(f"LAWS[{json.dumps(touch.law)}] = p => {touch.script};\n" for touch, _ in found)
    (tmp_path / "laws.html").write_text(f"<script>{resource('laws.js')}\n{code}</script>")
    page, compared = show(tmp_path / "laws.html"), 0
    for touch, words in found:
        law = laws[touch.law]
        words = {name: words[name] for name in law.words}
        for at in settings(touch):
            try:
                said = float(law(**at, **words))
            except ValueError:  # outside the law's own conditions
                continue
            sent = {name: "inf" if value == math.inf else value for name, value in at.items()}
            run = "const p = Object.fromEntries(Object.entries(arguments[1]).map(([k, v]) => [k, v === 'inf' ? Infinity : v]));"
            drawn = page.execute_script(f"{run} return LAWS[arguments[0]](p)", touch.law, sent)
            assert drawn == pytest.approx(said, rel=1e-6, abs=1e-300), (touch.law, at)
            compared += 1
    assert compared >= 3


def test_what_the_law_does_not_depend_on_gets_no_slider():
    law = next(touch for touch, _ in touched("maximal-update") if touch.law == "maximal-update:source")
    assert {slider.name: slider.moves for slider in (law.axis, *law.sliders)} == {"d": True, "N": False}
    for id in WANTED:
        assert any(slider.moves for touch, _ in touched(id) for slider in touch.sliders), id


def test_labels_of_sliders_have_no_underscores_where_letters_can_be_lowered():
    names = {"e_12": "e₁₂", "d_h": "dₕ", "alpha": "α", "q_prime": "q'", "gamma_y": "γ_y", "T": "T"}
    assert {name: _label(name) for name in names} == names


def test_a_formula_with_a_function_that_the_script_lacks_is_not_translated():
    x = sympy.Symbol("x")
    assert javascript(sympy.airyai(x)) is None and javascript(sympy.Piecewise((x, x > 1))) is None
    assert javascript(x**2 / 3) == "((1/3) * Math.pow(p.x, (2)))"


def test_sliders_move_the_law_and_points_tell_their_numbers(show, quick_report):
    from selenium.webdriver import ActionChains

    page = show(quick_report.folder / "claims" / "missing-mass.html")
    page.get_log("browser")
    box = page.find_element("css selector", "[data-touch]")
    assert box.is_displayed() and len(box.find_elements("css selector", "circle:not(.hit)")) >= 3
    before = page.execute_script("return arguments[0].querySelector('.curve').getAttribute('d')", box)
    page.execute_script(
        "const s = arguments[0].querySelector('input[name=alpha]'); s.value = 0.9; s.dispatchEvent(new Event('input'))",
        box,
    )
    assert page.execute_script("return arguments[0].querySelector('.curve').getAttribute('d')", box) != before
    # What is drawn is what the law says at the setting of the slider.
    alpha = float(page.find_element("css selector", "input[name=alpha]").find_element("xpath", "../output").text)
    touch = json.loads(box.get_attribute("data-touch"))
    ratios = []
    for x, y in json.loads(box.get_attribute("data-law")):
        values = {**touch["points"][0]["at"], "alpha": alpha, touch["axis"]["name"]: x}
        values = {name: math.inf if value == "inf" else value for name, value in values.items()}
        ratios.append(y / float(laws[touch["law"]](**values)))
    # A law that is known up to a factor has the same factor everywhere.
    assert len(ratios) == 3 and ratios == pytest.approx([ratios[0] if touch["open"] else touch["factor"]] * 3, rel=1e-6)
    ActionChains(page).move_to_element(box.find_element("css selector", ".hit")).perform()
    assert "measured" in box.find_element("css selector", "p output").text
    assert [entry for entry in page.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []
