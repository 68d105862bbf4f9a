"""Formulas as readers see them, over all laws and statements: names stay apart, no name of code, tables as published."""

import re
from xml.etree import ElementTree

import pytest
import sympy

from asymp.reports.claims import claims
from asymp.reports.page.formulas import with_marks, with_marks_latex
from asymp.theory import laws
from asymp.theory.pieces import SCREEN, named_pieces, width
from asymp.theory.quantities import words_of
from asymp.theory.typesetting import quantity_latex, quantity_mathml

QUANTITIES = sorted(
    {p.formula.quantity if p.formula else p.described()["quantity"] for c in claims.values() for p in c.parts}
)
MATHML = "{http://www.w3.org/1998/Math/MathML}"


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_no_index_of_a_quantity_holds_an_operator(quantity):
    latex, tree = quantity_latex(quantity), ElementTree.fromstring(f"<math>{quantity_mathml(quantity)}</math>")
    for one in tree.iter("msub"):
        assert not {sign.text for sign in one.iter("mo")} & {"/", "−", "+", "(", ")"}
    shown = "".join(tree.itertext())
    for sign in "/-(),":
        assert shown.count(sign.replace("-", "−")) >= quantity.count(sign)
        assert latex.replace(r"\,", "").count(sign) == quantity.count(sign)
    assert not re.search(r"_\{[^{}]*[/-][^{}]*\}", latex)
    assert latex.count("{") == latex.count("}")


@pytest.mark.parametrize(
    ("quantity", "wanted"),
    [
        ("E_sgd/E_map", r"E_{\mathrm{sgd}} / E_{\mathrm{map}}"),
        ("A_2 - A_1", "A_{2} - A_{1}"),
        ("(noise/signal)^2", r"(\mathrm{noise} / \mathrm{signal})^{2}"),
        ("log_N", r"\mathrm{log}\,N"),
        ("rho", r"\rho"),
    ],
)
def test_quantities_in_latex(quantity, wanted):
    assert quantity_latex(quantity) == wanted


def test_every_quantity_has_words():
    quantity = {
        c.id: [p.formula.quantity if p.formula else p.described()["quantity"] for p in c.parts] for c in claims.values()
    }
    assert [(id, one) for id, found in quantity.items() for one in found if not words_of(one, id)] == []


def test_no_formula_is_wider_than_a_screen_or_shows_a_name_of_the_code():
    shown = [law for law in laws.values() if len(str(law.expr)) < 6_000]
    assert len(shown) > 200
    for law in shown:
        tree = ElementTree.fromstring(with_marks(law.mathml()))
        names = {node.text or "" for node in tree.iter(f"{MATHML}mi")}
        assert not {name for name in names if "_" in name or name in ("pairbound", "classsum", "half")}, law.id
        assert not names & {"hat", "tilde", "prime", "bar"}, law.id
        assert not re.search(r"_\{(?:hat|tilde|prime|bar)\}", with_marks_latex(law.latex())), law.id
        rows = tree.findall(f"{MATHML}mtable/{MATHML}mtr/{MATHML}mtd") or [tree]
        assert all(width(ElementTree.tostring(row, encoding="unicode")) <= SCREEN + 15 for row in rows), law.id


@pytest.mark.parametrize("id", ["injective-capacity:item-error", "multi-input-capacity", "joint-law:interference"])
def test_pieces_put_back_give_the_formula(id):
    expr, found = named_pieces(laws[id].expr)
    assert found
    for name, part in reversed(found):
        expr = expr.xreplace({name: part}) if name.is_Symbol else expr.replace(name.func, sympy.Lambda(name.args, part))
    assert sympy.expand(expr - laws[id].expr) == 0 or expr == laws[id].expr


def test_hats_and_primes_are_marks():
    assert with_marks("<msub><mi>p</mi><mi>hat</mi></msub>") == "<mover><mi>p</mi><mo>^</mo></mover>"
    assert with_marks("<msub><mi>q</mi><mi>prime</mi></msub>") == "<msup><mi>q</mi><mo>&#8242;</mo></msup>"
    assert with_marks_latex(r"\mu_{tilde} {p_{hat}}_{s,k}/q_{prime}") == r"\tilde{\mu} {\hat{p}}_{s,k}/q'"


def test_a_published_table_shows_the_numbers_that_were_published():
    shown = laws["training-grid:source"].mathml()
    assert "<mn>0.0638</mn>" in shown and "319" not in shown
