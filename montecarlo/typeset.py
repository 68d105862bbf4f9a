"""Numbers as a notebook shows them."""

from html import escape


def latex_number(value: float, digits: int = 4) -> str:
    """A number in LaTeX: no bare e-05, and infinity by its sign."""
    mantissa, _, exponent = f"{value:.{digits}g}".replace("inf", r"\infty").partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else mantissa


def notebook_html(name: str, text: str) -> str:
    """A result in one line: what it is, and its text, nothing of which is markup."""
    return f"<div><b>{escape(name)}</b>: {escape(text)}</div>"
