"""The sources' figures, measured and drawn again; what their captions say is judged as statements of claims."""

from typing import TYPE_CHECKING

from asymp.lazy import lazy_names

if TYPE_CHECKING:
    from asymp.reports.figures.declare import INDEX as INDEX
    from asymp.reports.figures.declare import Figure as Figure
    from asymp.reports.figures.declare import How as How
    from asymp.reports.figures.declare import Sentence as Sentence
    from asymp.reports.figures.declare import chosen as chosen
    from asymp.reports.figures.gallery import Made as Made
    from asymp.reports.figures.gallery import collect as collect
    from asymp.reports.figures.gallery import figure as figure
    from asymp.reports.figures.gallery import make as make
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
