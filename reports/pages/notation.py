"""Mathematics in sentences: the declarations write it in ASCII, readers see letters, signs and raised exponents."""

import re

__all__ = ["letters", "raised"]

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "psi": "ψ",
    "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Phi": "Φ", "Omega": "Ω",
}  # fmt: skip
SIGNS = {">=": "≥", "<=": "≤", "!=": "≠", ">~": "≳", "<~": "≲", ">>": "≫", "<<": "≪", "->": "→"}
# Whole words, and no part of a name with hyphens.
ALONE = r"(?<![A-Za-z])(?<![A-Za-z]-)(?:{})(?![A-Za-z])(?!-[A-Za-z])"
LETTERS = re.compile(ALONE.format("|".join(GREEK)))
INFINITY = re.compile(ALONE.format("inf") + "(?!_)")
MINUS = re.compile(r"(?<=[α-ω)])-(?=[\dα-ω(])|(?<=\b[A-Za-z])-(?=\d)|(?<= )-(?= )|(?<=[\^(])-(?=[\w(])")
EQUALS = re.compile(r"(?<=[A-Za-zα-ω_])=(?=[\w∞.\[−-])")
ROOT = re.compile(r"(?<![A-Za-z])sqrt ?(?=[(\w])")
# What may carry an index: one letter, or a function of the kind that does.
INDEX = re.compile(r"(?<![\w&#;])([A-Za-zα-ωΑ-Ω]|argmax|max|min|sum|log)_(f\([a-z]\)|[A-Za-z0-9*]+|\([^()]*\))")
POWER = re.compile(r"\^(?:\(((?:[^()]|\([^()]*\))*)\)|([-−]?[A-Za-z0-9α-ωΑ-Ω∞]+))")


def letters(text: str) -> str:
    """Greek letters, infinity and signs of order in a plain text: "alpha >= 1" becomes "α ≥ 1"."""
    for sign, better in SIGNS.items():
        text = text.replace(sign, better)
    text = LETTERS.sub(lambda m: GREEK[m[0]], INFINITY.sub("∞", text))
    return EQUALS.sub(" = ", MINUS.sub("−", ROOT.sub("√", text)))


def raised(safe: str) -> str:
    """Indices and exponents in a text that has been escaped: "d^(-1/2)" becomes d with a raised −1/2."""
    safe = INDEX.sub(lambda m: f"{m[1]}<sub>{_bare(m[2])}</sub>", safe)
    return POWER.sub(lambda m: f"<sup>{m[1] if m[1] is not None else m[2]}</sup>", safe)


def _bare(index: str) -> str:
    return index[1:-1] if index.startswith("(") else index
