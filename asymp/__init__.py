"""Unit tests for scaling-law theory: a formula, a simulation that shares nothing with it, a verdict.

>>> import asymp
>>> asymp.laws["missing-mass:source"].exponent("T")
-1 + 1/alpha

Names are imported when they are first used: neither SymPy nor torch is loaded before something needs it.
"""

from typing import TYPE_CHECKING

from asymp._version import __version__ as __version__
from asymp.lazy import lazy_names

if TYPE_CHECKING:
    from asymp import models as models
    from asymp import montecarlo as montecarlo
    from asymp import reports as reports
    from asymp import theory as theory
    from asymp.montecarlo import Estimate as Estimate
    from asymp.montecarlo import experiment as experiment
    from asymp.montecarlo import experiments as experiments
    from asymp.montecarlo import fit_exponent as fit_exponent
    from asymp.reports import assert_bound as assert_bound
    from asymp.reports import assert_claim as assert_claim
    from asymp.reports import assert_equal as assert_equal
    from asymp.reports import assert_order as assert_order
    from asymp.reports import assert_rate as assert_rate
    from asymp.reports import check as check
    from asymp.reports import claim as claim
    from asymp.reports import parameters as parameters
    from asymp.reports.claims import claims as claims
    from asymp.reports.fit.study import fit as fit
    from asymp.theory import law as law
    from asymp.theory import laws as laws
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
