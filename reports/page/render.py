"""Templates filled in, and the typography of what they show: numbers and mathematics in sentences, for HTML and LaTeX.

What a user wrote is escaped: in HTML by the templates, in LaTeX by `tex`, in Markdown by `cell`. Formulas and figures are
made here and are not.
"""

import base64
import hashlib
import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from asymp.lazy import Lazy
from asymp.reports.numbers import concise, count, interval, plain, spell
from asymp.reports.verdict import OUTCOME_WORDS
from asymp.theory.quotations import STANDINGS
from asymp.theory.sources import BIBLIOGRAPHY, MEANINGS, spell_source

if TYPE_CHECKING:
    import jinja2
    import markupsafe
else:
    jinja2, markupsafe = Lazy("jinja2"), Lazy("markupsafe")

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "psi": "ψ",
    "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Phi": "Φ", "Omega": "Ω",
}  # fmt: skip
SIGNS = {">=": "≥", "<=": "≤", "!=": "≠", ">~": "≳", "<~": "≲", ">>": "≫", "<<": "≪", "->": "→"}
# Whole words, and no part of a name with hyphens.
ALONE = r"(?<![A-Za-z])(?<![A-Za-z]-)(?:{})(?![A-Za-z])(?!-[A-Za-z])"
# "gamma function" and its like are words.
LETTERS = re.compile(ALONE.format("|".join(GREEK)) + r"(?! (?:function|law|variable|distribution)s?\b)")
# A hat, as in p^(k|x) and mu^_k, and a tilde, as in x~ and e~_r.
HAT, TILDE = re.compile(r"(?<![A-Za-z])([A-Za-z]|mu)\^(?=_|\([a-z]\|)"), re.compile(r"([A-Za-z])~(?=[_ )]|$)")
PRIME = re.compile(r"(?<![A-Za-z])([A-Za-z])_prime(?![A-Za-z])")
INFINITY = re.compile(ALONE.format("inf") + "(?!_)")
MINUS = re.compile(
    r"(?<=[α-ω)])-(?=[\dα-ω(])|(?<=\b[A-Za-z])-(?=\d)|(?<= )-(?= )|(?<=[\^({])-(?=[\w(])|(?<== )-(?=\w)|"
    r"(?<=[\^({]\d)-(?=[A-Za-zα-ω(])|(?<=\d[a-df-z])-(?=\d)"
)
EQUALS = re.compile(r"(?<=[A-Za-zα-ω_'])=(?=[\w∞.\[−-])")
ROOT = re.compile(r"(?<![A-Za-z])sqrt ?(?=[(\w])")
# What may carry an index: one letter, a bracket, or a function of the kind that does; a name if the index is one letter.
# Brackets around an index are not shown.
INDEX = re.compile(
    r"(?:(?<![\w&#;])([A-Za-zα-ωΑ-Ω][\u0302\u0303]?(?:&#x27;)?|argmax|max|min|sum|log|inf|He|[A-Za-z][a-z]+\d?(?=_[A-Za-z](?!\w)))|"
    r"(?<=[)\]]))_(?:(f\([a-z]\)|[A-Za-z0-9*]+|\+)|\(([^()]*)\)|\{([^{}]*)\})"
)
POWER = re.compile(r"\^(?:\(((?:[^()]|\([^()]*\))*)\)|\{([^{}]*)\}|([-−]?(?:\d*\.\d+|[A-Za-z0-9α-ωΑ-Ω∞]+)))")
# A letter by itself is a variable; but for the article and the pronoun, which are variables where mathematics follows, for
# e.g. and i.e., names with hyphens, seconds after a number, and what stands behind an apostrophe.
LONE = (
    r"(?<![\w&#;'\u2019\u0302\u0303])(?<![A-Za-z]-)(?<!e\.)(?<!i\.)(?:(?<!\d )s|[b-rt-zB-HJ-Zα-ωΑ-Ω]|"
    r"[aA](?=_|\^|<su[bp]>| = | [≤≥] |\())(?!\.[ge]\.)(?!-[A-Za-z]{2})"
)
VARIABLE = re.compile(rf"{LONE}[\u0302\u0303]?(?![\w\u0302\u0303])")
# Names of files that some systems keep for devices.
RESERVED = {"con", "prn", "aux", "nul", *(f"{device}{i}" for device in ("com", "lpt") for i in range(10))}
TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        **{character: f"\\{character}" for character in "{}$&#%_"},
    }
)


def render(template: str, **values: Any) -> str:
    """A template of the package, filled in."""
    return _environment().get_template(template).render(**values)


def macro(template: str, name: str, *values: object) -> str:
    """One macro of a template, filled in."""
    return str(getattr(_environment().get_template(template).module, name)(*values))


def resource(name: str) -> str:
    """The text of a file among the templates."""
    return (files("asymp.reports") / "templates" / name).read_text(encoding="utf-8")


def letters(text: str) -> str:
    """Greek letters, accents, infinity and signs of order in a plain text: "alpha >= 1" becomes "α ≥ 1"."""
    text = TILDE.sub("\\1\u0303", HAT.sub("\\1\u0302", PRIME.sub("\\1'", text)))
    for sign, better in SIGNS.items():
        text = text.replace(sign, better)
    text = LETTERS.sub(lambda m: GREEK[m[0]], INFINITY.sub("∞", text))
    return EQUALS.sub(" = ", MINUS.sub("−", ROOT.sub("√", text)))


def number(text: str) -> "markupsafe.Markup":
    """A number for reading: a true minus sign, powers of ten raised; the text itself is escaped."""
    safe = re.sub(r"(?<![\w.])-(?=[\d.i])", "−", escape(str(text)))
    safe = re.sub(r"-?\binfinity\b", lambda m: m[0].replace("infinity", "∞").replace("-", "−"), safe)
    safe = re.sub(r"(?<=\d) ?%", "\u00a0%", safe)
    safe = re.sub(r"(?<=[\d.)])e([+-]?)0*(\d+)\b", lambda m: f"·10<sup>{'−' if m[1] == '-' else ''}{m[2]}</sup>", safe)
    return markupsafe.Markup(re.sub(r"(?<![\w.])1·10<", "10<", safe))


def prose(text: str) -> "markupsafe.Markup":
    """A sentence for reading: escaped, numbers and mathematics typeset, what stands in backticks as code."""
    pieces = re.split(r"`([^`]+)`", str(text))
    typeset = [f"<code>{escape(piece)}</code>" if i % 2 else _mathematics(piece) for i, piece in enumerate(pieces)]
    return markupsafe.Markup("".join(typeset))


def _mathematics(text: str) -> str:
    """A piece of a sentence, escaped: "d^(-1/2)" becomes a slanted d with a raised −1/2."""
    safe = re.sub(r"\blog2\b", "log<sub>2</sub>", number(letters(text)))
    for _ in range(2):  # an index may have one of its own
        safe = INDEX.sub(lambda m: f"{m[1] or ''}<sub>{m[2] or m[3] or m[4]}</sub>", safe)
    safe = POWER.sub(lambda m: f"<sup>{m[1] or m[2] or m[3] or ''}</sup>", safe)
    return VARIABLE.sub(lambda m: f"<var>{m[0]}</var>", safe)


LATEX = {
    "approx": " ≈ ", "asymp": " ≍ ", "gg": " ≫ ", "ll": " ≪ ", "gtrsim": " ≳ ", "lesssim": " ≲ ", "leq": " ≤ ", "neq": " ≠ ",
    "in": " ∈ ", "sim": "∼", "sum": "∑", "alpha": "α", "gamma": "γ", "log": "log ", "sqrt": "√", "Theta": "Θ",
    "max": "max", "min": " min", "arg": "arg", "Longrightarrow": " ⟹ ", "implies": " ⟹ ", "top": "⊤", "cdot": "·", "quad": " ",
    "nabla": "∇", "ell": "ℓ", "eta": "η", "mu": "μ", "rho": "ρ", "sigma": "σ", "xi": "ξ", "Delta": "Δ",
    **dict.fromkeys(("left", "right", "mathcal", "mathbb", "mathbf", "mathsf", "text", "sf"), ""),
}  # fmt: skip
"""The LaTeX commands that occur in quotations, as characters; any other is shown by its name."""
ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304"}
STYLED = re.compile(r"\\(?:mathcal|mathbb|mathbf|mathsf|text)\{([^{}]*)\}")
FRACTION = re.compile(r"\\frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}")
CASES = re.compile(r"\\(?:begin|end)\{cases\}|&amp;")


def _fraction(found: "re.Match[str]") -> str:
    """A quotient in one line, with the brackets that it then needs."""
    over, under = (part.strip() for part in found.groups())
    over = f"({over})" if re.search(r"\w ?[-+] ?\S", over) else over
    return f"{over}/{under}" if re.fullmatch(r"(\\[a-z]+|\w)(\^\w)?", under) else f"{over}/({under})"


def quoted(words: str) -> "markupsafe.Markup":
    """A quotation for reading: escaped, its LaTeX as characters with raised and lowered letters."""
    safe = escape(re.sub(r"\\ref\{[^}]*\}|\*\*", "", words), quote=False)
    safe = CASES.sub("", safe).replace(" \\\\", ";").replace("\\|", "‖")
    safe = safe.replace("\\%", "%").replace("\\{", "⦃").replace("\\}", "⦄")
    safe = FRACTION.sub(_fraction, STYLED.sub(r" \1", safe))
    safe = re.sub(r"\\(hat|tilde|bar)\{(\\?\w+)\}", lambda m: m[2] + ACCENTS[m[1]], safe)
    safe = re.sub(r"\\([A-Za-z]+) ?", lambda m: LATEX.get(m[1], m[1]), safe)
    safe = re.sub(r"(?<=\S)\^(?:\{([^{}]*)\}|(\w|[*⊤]))", lambda m: f"<sup>{m[1] or m[2]}</sup>", safe)
    safe = re.sub(r"(?<=\S)_(?:\{([^{}]*)\}|(\w|[*⊤]))", lambda m: f"<sub>{m[1] or m[2]}</sub>", safe)
    plain = re.sub(r"[{}$]", "", safe).replace("⦃", "{").replace("⦄", "}")
    return markupsafe.Markup("“" + re.sub(" +", " ", plain).strip() + "”")


def tex(text: str) -> str:
    """Text for LaTeX: every special character is escaped, what is not ASCII is left out."""
    return re.sub(r"[^ -~]", "?", text.replace("−", "-").replace("\n", " ")).translate(TEX)


SIGNS_TEX = {">=": r"\ge", "<=": r"\le", "!=": r"\ne", ">>": r"\gg", "<<": r"\ll", "->": r"\to", "~": r"\sim"}
# A power, an index, a Greek letter, a variable or a sign: the mathematics in a sentence.
MATHEMATICS = re.compile(
    rf"{HAT.pattern}|{TILDE.pattern}|{POWER.pattern}|(?<=[A-Za-z^~')\]])_(?:\([^()]*\)|\{{[^{{}}]*\}}|\w+)|{LETTERS.pattern}|"
    rf"{LONE}(?![A-Za-z0-9])|(?<= )-(?= )|"
    rf"{'|'.join(map(re.escape, SIGNS_TEX))}"
)


def tex_prose(text: str) -> str:
    """A sentence for LaTeX: escaped, its mathematics typeset, what stands in backticks as code."""
    pieces = re.split(r"`([^`]+)`", text)
    return "".join(rf"\texttt{{{tex(piece)}}}" if i % 2 else _tex_sentence(piece) for i, piece in enumerate(pieces))


def _tex_sentence(text: str) -> str:
    parts, end = [], 0
    for found in MATHEMATICS.finditer(text):
        parts += [tex(text[end : found.start()]), f"${_tex_mathematics(found[0])}$"]
        end = found.end()
    # What follows at once is one formula.
    return re.sub(r"(?<!\\)\$\$", "", "".join([*parts, tex(text[end:])]))


def _tex_mathematics(text: str) -> str:
    """A letter with its accent, a power, index, letter or sign in LaTeX's mathematics."""
    if text[-1] in "^~" and len(text) > 1:
        inside = rf"\{text[:-1]}" if len(text) > 2 else text[0]
        return rf"\{'hat' if text[-1] == '^' else 'tilde'}{{{inside}}}"
    raised = re.fullmatch(r"([\^_])[({]?(.*?)[)}]?", text)
    inside = raised[2] if raised else text
    if raised and inside.count("(") != inside.count(")"):
        inside = text[2:-1]
    inside = LETTERS.sub(lambda m: rf"\{m[0]} ", SIGNS_TEX.get(inside, inside))
    inside = re.sub(r"\^\(?([\w.-]+)\)?", r"^{\1}", inside).replace("−", "-").replace("*", "")
    if raised and re.fullmatch("[A-Za-z]{3,}", inside):
        inside = rf"\mathrm{{{inside}}}"
    return f"{raised[1]}{{{inside.strip()}}}" if raised else inside.strip()


def tex_number(text: str) -> str:
    """A number for LaTeX: in mathematics if it is one, with powers of ten raised."""
    match = re.fullmatch(r"(-?[\d.]+(?:\(\d+\))?)(?:e([+-])0*(\d+))?", text)
    if not match:
        return tex(text)
    power = rf" \cdot 10^{{{'-' if match[2] == '-' else ''}{match[3]}}}" if match[3] else ""
    return f"${match[1]}{power}$"


def _cell(text: str) -> str:
    """Text for a cell of a table in Markdown, or for a line of it."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


@cache
def _environment() -> "jinja2.Environment":
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(resource),
        autoescape=lambda name: bool(name and name.endswith(".html")),
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals.update(
        style=markupsafe.Markup(resource("style.css")),
        scripts=_scripts,
        script_policy=_script_policy,
        letters=letters,
        outcome_words=OUTCOME_WORDS,
        number=number,
        prose=prose,
        quoted=quoted,
        standings=STANDINGS,
        meanings=MEANINGS,
        spell_source=spell_source,
        works=BIBLIOGRAPHY,
        concise=concise,
        count=count,
        interval=interval,
        plain=plain,
        spell=spell,
        page_of=page_of,
        law_anchor=law_anchor,
        file_name=file_name,
    )
    environment.filters.update(
        cell=_cell, tex=tex, tex_prose=tex_prose, tex_number=tex_number, texttt=lambda t: rf"\texttt{{{tex(t)}}}"
    )
    return environment


@cache
def _scripts(*names: str) -> "markupsafe.Markup":
    """The scripts of a page, one after the other: files, or code made for the page, which does not end in .js."""
    return markupsafe.Markup("\n".join(resource(name) if name.endswith(".js") else name for name in names))


@cache
def _script_policy(*names: str) -> "markupsafe.Markup":
    """The words of a page's policy that allow these inline scripts and no other."""
    digest = base64.b64encode(hashlib.sha256(_scripts(*names).encode()).digest()).decode()
    return markupsafe.Markup(f"; script-src 'sha256-{digest}'")


def file_name(id: str) -> str:
    """A name for the files of a claim: the id itself where that is safe, else a safe form of it with a hash."""
    if re.fullmatch(r"[a-z0-9][a-z0-9-]{0,79}", id) and id not in RESERVED:
        return id
    safe = re.sub(r"[^a-z0-9]+", "-", id.lower())[:40].strip("-") or "claim"
    return f"{safe}-{hashlib.sha256(id.encode()).hexdigest()[:8]}"


def page_of(claim: str, statement: str = "") -> str:
    """The page of a claim in the report's folder, or the place of one of its statements there."""
    return f"claims/{file_name(claim)}.html" + (f"#{anchor(statement)}" if statement else "")


def anchor(statement: str) -> str:
    """The id of a statement on its claim's page."""
    return f"part-{file_name(statement)}"


def law_anchor(law: str) -> str:
    """The id of a law's formula on a claim's page."""
    return f"law-{file_name(law.replace(':', '-').lower())}"
