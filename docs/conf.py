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


def setup(app):
    write_reference(Path(app.srcdir) / "reference")
