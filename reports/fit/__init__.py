"""A table of measurements fitted: what the data allow, exponents, predictions, verdicts on published laws, a page."""

from typing import TYPE_CHECKING

from asymp.lazy import lazy_names

if TYPE_CHECKING:
    from asymp.reports.fit import display as display
    from asymp.reports.fit.study import Fit as Fit
    from asymp.reports.fit.study import fit as fit
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
