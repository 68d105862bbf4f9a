"""The documentation, built by `make docs` into build/docs; the reference is written from the declarations first."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from generate import write_reference

from asymp.theory import __version__

project = "asymp"
author = "The asymp developers"
release = version = __version__
extensions = ["myst_parser"]
html_theme = "furo"
templates_path = ["_templates"]
html_title = f"asymp {__version__}"
html_copy_source = False
html_show_copyright = False
exclude_patterns = ["_templates"]
nitpicky = True
myst_heading_anchors = 3


def accessible(app, pagename, templatename, context, doctree):
    """What the theme leaves out: the level of the menu's headings, and code that scrolls with the keyboard."""
    for name, old, new in (
        ("furo_navigation_tree", 'role="heading"', 'role="heading" aria-level="2"'),
        ("body", "<pre>", '<pre tabindex="0">'),
    ):
        context[name] = (context.get(name) or "").replace(old, new)


def setup(app):
    write_reference(Path(app.srcdir) / "reference")
    app.connect("html-page-context", accessible, priority=900)
