"""The sources' figures, regenerated: each measured, drawn, and its caption's statements checked on its own data."""

from asymp.reports.gallery.declare import Figure, Finding, How, Statement
from asymp.reports.gallery.index import INDEX
from asymp.reports.gallery.run import Made, figure, make

__all__ = ["INDEX", "Figure", "Finding", "How", "Made", "Statement", "figure", "make"]
