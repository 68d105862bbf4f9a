"""Every message of an error or warning in the code, found by reading the source, with what varies shown as three dots."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("theory", "models", "montecarlo", "reports")
DOTS = "…"
RAISED_FOR = {"no_more_digits": "the law … cannot be evaluated to any number of digits"}  # functions that make an error
# Said to Python, not to people: attributes that are not there, exits of the command line.
INTERNAL = {"AttributeError", "SystemExit", "KeyError", "StopIteration"}


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


def messages() -> Iterator[tuple[str, str]]:
    """Pairs of a file and a message raised in it, each once."""
    for package in PACKAGES:
        (folder,) = importlib.import_module(f"asymp.{package}").__path__
        for file in sorted(Path(folder).rglob("*.py")):
            seen = set()
            for node in ast.walk(ast.parse(file.read_text())):
                call = node.exc if isinstance(node, ast.Raise) else node
                if not isinstance(call, ast.Call):
                    continue
                name = ast.unparse(call.func)
                if not (isinstance(node, ast.Raise) or name == "warnings.warn") or name in INTERNAL:
                    continue
                text = RAISED_FOR.get(name) or template(call.args[0] if call.args else None)
                if text.strip(DOTS + " ;:,.") and text not in seen:  # a message passed on is listed where it is made
                    seen.add(text)
                    yield str(file.relative_to(Path(folder).parent)), text


if __name__ == "__main__":
    for where, text in messages():
        print(f"{where}: {text}")
