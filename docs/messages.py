"""Every error and warning in the code, found by reading the source, with what varies shown as three dots.

`families` reads docs/errors.md, where they are grouped with cause and cure; `group` finds the group of a message.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGES = ("theory", "models", "montecarlo", "reports")
DOTS = "…"
RAISED_FOR = {"no_more_digits": "the law … cannot be evaluated to any number of digits"}  # functions that make an error
# Said to Python, not to people: attributes that are not there, exits of the command line, reasons inside other messages.
INTERNAL = {"AttributeError", "SystemExit", "KeyError", "StopIteration", "Unknown"}
WARNINGS = {"warnings.warn": 0, "self._note": 0, "self._give_up": 1}  # and which argument is the sentence
ERRORS = Path(__file__).with_name("errors.md")


def template(node: ast.AST | None) -> str:
    """The text of a message; what is computed becomes three dots."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(v.value) if isinstance(v, ast.Constant) else DOTS for v in node.values)
    if isinstance(node, ast.BinOp):
        return template(node.left) + template(node.right)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "unknown_name":
        return f"there is no {template(node.args[0])} named {DOTS}; did you mean {DOTS}?"
    return DOTS


def said(node: ast.AST) -> Iterator[str]:
    """What one piece of code says if it is an error or a warning."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        name = ast.unparse(node.exc.func)
        if name not in INTERNAL:
            yield RAISED_FOR.get(name) or template(node.exc.args[0] if node.exc.args else None)
    elif isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        if name in WARNINGS and len(node.args) > WARNINGS[name]:
            yield template(node.args[WARNINGS[name]])
        elif name == "click.echo" and any(k.arg == "err" for k in node.keywords):
            yield template(node.args[0])
    elif isinstance(node, ast.FunctionDef) and (ast.get_docstring(node) or "").startswith("A warning"):
        yield from (template(s) for r in ast.walk(node) if isinstance(r, ast.Return) for s in sentences(r))
    elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("notes", "warning"):
        yield from map(template, sentences(node.value))


def sentences(node: ast.AST) -> Iterator[ast.AST]:
    """The strings in a tuple of them, with or without a condition."""
    if isinstance(node, ast.Return):
        yield from sentences(node.value) if node.value else ()
    elif isinstance(node, ast.IfExp):
        yield from sentences(node.body)
    elif isinstance(node, ast.Tuple):
        yield from (e for e in node.elts if isinstance(e, ast.JoinedStr | ast.Constant))


@cache
def messages() -> tuple[tuple[str, str], ...]:
    """Pairs of a file and a message that it can give, each once; all of the source is read, so this is done once."""
    return tuple(_messages())


def _messages() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        (folder,) = importlib.import_module(f"asymp.{package}").__path__
        for file in sorted(Path(folder).rglob("*.py")):
            seen = set()
            for node in ast.walk(ast.parse(file.read_text())):
                for text in said(node):
                    # A message passed on is listed where it is made.
                    if text.removeprefix("asymp: ").strip(DOTS + " ;:,.()") and text not in seen:
                        seen.add(text)
                        yield str(file.relative_to(Path(folder).parent)), text


@cache
def families() -> list[tuple[str, str]]:
    """Pairs of a group and a pattern, in the order of the page."""
    found, title = [], ""
    for line in ERRORS.read_text().splitlines():
        if line.startswith("## "):
            title = line[3:]
        elif line.startswith("- `") and line.endswith("`"):
            found.append((title, line[3:-1]))
    return found


def matches(pattern: str, text: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split(DOTS))), text, re.DOTALL) is not None


def group(text: str) -> str | None:
    """The group of a message: that of the most definite pattern which fits it."""
    fitting = [(len(pattern), title) for title, pattern in families() if matches(pattern, text)]
    return max(fitting)[1] if fitting else None


if __name__ == "__main__":
    for where, text in messages():
        print(f"{group(text)}: {where}: {text}")
