"""What the report writes: a user's words escaped, safe names of files, numbers and mathematics typeset."""

import re
from xml.etree import ElementTree

import pytest
import sympy
from support.own_claims import claim_of_words

from asymp.reports import check, write_report
from asymp.reports.numbers import concise
from asymp.reports.page.render import ACCENTS, LATEX, file_name, number, prose, quoted, tex, tex_number, tex_prose
from asymp.theory.quotations import quotations
from asymp.theory.typesetting import expression_mathml


def test_names_and_notes_of_a_user_are_escaped(tmp_path):
    verdict = check(claim_of_words())
    written = write_report([verdict], tmp_path / "r")
    assert {p.relative_to(tmp_path).parts[0] for p in written} == {"r"}
    assert len(list((tmp_path / "r" / "claims").glob("*.html"))) == 1
    for path in (tmp_path / "r").rglob("*.html"):
        page = path.read_text()
        assert "<script>alert" not in page and "<b>`" not in page and "<code><b>" not in page
    # The front page asks about this claim, and has no word of the claims that come with asymp.
    front = (tmp_path / "r" / "index.html").read_text()
    assert "Does this law hold?" in front and not re.search("ledger|Cabannes|associative|reference run", front)
    # In Markdown a fenced block shows its text as it is.
    assert "<script" not in re.sub(r"```.*?```", "", (tmp_path / "r" / "report.md").read_text(), flags=re.DOTALL)


@pytest.mark.parametrize(
    ("id", "safe"),
    [("missing-mass", True), ("A", False), ("a/../b", False), ("con", False), ("x" * 300, False), ("\u00e9", False)],
)
def test_names_of_files_are_safe_and_differ(id, safe):
    name = file_name(id)
    assert re.fullmatch(r"[a-z0-9-]{1,80}", name) and (name == id) == safe
    assert file_name(id) != file_name(id + "!")


def test_tex_escapes_every_special_character_and_numbers_are_typeset():
    assert tex("a_b & 50% #1 {x} ~^\\<") == (
        r"a\_b \& 50\% \#1 \{x\} \textasciitilde{}\textasciicircum{}\textbackslash{}\textless{}"
    )
    assert tex_number("-3.84(3)e-07") == r"$-3.84(3) \cdot 10^{-7}$" and tex_number("at most 1") == "at most 1"
    assert str(number("-3.84(3)e-07")) == "\u22123.84(3)\u00b710<sup>\u22127</sup>"


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.03841, 0.00031, "0.0384(3)"),
        (0.0384, 0.0012, "0.0384(12)"),  # two digits of an uncertainty that begins with 1
        (-1.0001, 0.0029, "-1.000(3)"),
        (12.87, 0.42, "12.9(4)"),
        (1234.5, 56.0, "1234(56)"),
        (3.8412e-7, 3.1e-9, "3.84(3)e-07"),
        (1.25e9, 3e7, "1.25(3)e+09"),
        (0.0, 0.02, "0.00(2)"),
        (1.0, 0.0, "1"),
        (1.0, 1e-16, "1"),  # rounding is no uncertainty
        (2.0, float("inf"), "2"),
    ],
)
def test_numbers_have_the_digits_that_their_uncertainty_allows(value, error, text):
    assert concise(value, error) == text


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("p(x) = C x^-alpha", "p(x) = C x<sup>−α</sup>"),
        ("T^(-1 + 1/alpha), d^(1/(2 rho))", "T<sup>−1 + 1/α</sup>, d<sup>1/(2 ρ)</sup>"),
        ("alpha=2, N=inf, d >= 8", "α = 2, N = ∞, d ≥ 8"),
        ("f_W(1) for u_1.W e_1^T", "f<sub>W</sub>(1) for u<sub>1</sub>.W e<sub>1</sub><sup>T</sup>"),
        ("sqrt(M/k) and sqrt N, 1 - 1/M", "√(M/k) and √N, 1 − 1/M"),
        ("m^0.913, p^0.35, and d^2.", "m<sup>0.913</sup>, p<sup>0.35</sup>, and d<sup>2</sup>."),
        ("p^(k|z), mu^_k and e~_r", "p\u0302(k|z), \u03bc\u0302<sub>k</sub> and e\u0303<sub>r</sub>"),
        ("dl/dx~) with P ~ d, inf_g d^g", "dl/dx\u0303) with P ~ d, inf<sub>g</sub> d<sup>g</sup>"),
        ("a gamma function and gamma", "a gamma function and \u03b3"),
        ("z_{t_o - 1}, (W x)_i", "z<sub>t<sub>o</sub> \u2212 1</sub>, (W x)<sub>i</sub>"),
        ("He_(k-1), softmax_i, xi'_i", "He<sub>k\u22121</sub>, softmax<sub>i</sub>, \u03be&#x27;<sub>i</sub>"),
        ("E = -sum, P^(1-alpha), (2k-1)!!", "E = \u2212sum, P<sup>1\u2212\u03b1</sup>, (2k\u22121)!!"),
        ("z_prime=5, q_prime", "z&#x27; = 5, q&#x27;"),
        ("log2 K, -infinity to infinity", "log<sub>2</sub> K, \u2212\u221e to \u221e"),
        # Words, names with hyphens, and what is code stay as they are.
        ("beta-like, in-alpha-x, infinite, sgd-map", "beta-like, in-alpha-x, infinite, sgd-map"),
        ("`alpha^2 >= inf`", "<code>alpha^2 &gt;= inf</code>"),
        ("within 2% at 98 %", "within 2\u00a0% at 98\u00a0%"),
        ("see `a<b` at -1e-05, x-y", "see <code>a&lt;b</code> at \u221210<sup>\u22125</sup>, x-y"),
    ],
)
def test_mathematics_in_sentences_is_typeset(text, page):
    assert re.sub("</?var>", "", str(prose(text))) == page


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ("2 N log N = d^2 with alpha=2", "N N d α"),
        ("u_x . W e_z, xi'_i", "u x W e z ξ i"),
        # The article and the pronoun are words unless mathematics follows.
        ("A memory with a = .5 and a_zy; I saw A_max of a kind", "a a A"),
        ("e.g. the source's, T-shaped, 0.8 s of it, i.e. K-hop", ""),
        ("`N` and N", "N"),
    ],
)
def test_a_letter_by_itself_is_a_variable(text, variables):
    assert re.findall("<var>(.*?)</var>", str(prose(text))) == variables.split()


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("decays like d^(1-alpha)", r"decays like $d^{1-\alpha}$"),
        ("T^(-1 + 1/alpha) & 50%", r"$T^{-1 + 1/\alpha}$ \& 50\%"),
        ("N >= d^2, rho = 1", r"$N$ $\ge$ $d^{2}$, $\rho$ = 1"),
        ("m^0.913.", r"$m^{0.913}$."),
        ("see `a_b:c`", r"see \texttt{a\_b:c}"),
        ("u_x and q(x)", r"$u_{x}$ and $q$($x$)"),
        ("p^(k|z), mu^_k", r"$\hat{p}$($k$|$z$), $\hat{\mu}_{k}$".replace("|", r"\textbar{}")),
        ("(N - 1)/d, z_{t_o}", r"($N$ $-$ 1)/$d$, $z_{t_o}$"),
        ("\\$ N", r"\textbackslash{}\$ $N$"),
        ("n_other/d^2", r"$n_{\mathrm{other}}$/$d^{2}$"),
        ("no mathematics_", r"no mathematics\_"),
    ],
)
def test_sentences_in_latex_have_real_mathematics(text, latex):
    assert tex_prose(text) == latex


def test_formulas_use_the_notation_of_papers():
    x, n = sympy.symbols("x n")
    cases = expression_mathml(sympy.Piecewise((x - 1, x < 0), (2, True)))
    assert "mtable" in cases and "otherwise" in cases and "True" not in cases and "<mo>&#x2212;</mo>" in cases
    assert ElementTree.fromstring(f"<math>{cases}</math>") is not None
    assert expression_mathml(sympy.harmonic(n)) == "<msub><mi>H</mi><mi>n</mi></msub>"
    special = sympy.harmonic(n, x), sympy.erfinv(x), sympy.loggamma(x), sympy.rf(x, n), sympy.hyper((1, x), (n,), x)
    for formula in special:
        text = expression_mathml(formula)
        assert not re.search("harmonic|erfinv|loggamma|rising|hyper", text)
        assert ElementTree.fromstring(f"<math>{text}</math>") is not None


def test_every_command_in_a_quotation_is_a_character():
    used = {name for said in quotations() for name in re.findall(r"\\([A-Za-z]+)", said.words)}
    assert used <= {*LATEX, *ACCENTS, "ref", "frac", "begin", "end"}
    assert not any(re.search(r"frac|begin|cases|\\", quoted(said.words)) for said in quotations())
    assert quoted(r"$\Longrightarrow$ A_{\sf max} \unknown{x}") == "“⟹ A<sub>max</sub> unknownx”"
