"""Theory and measurement compared: the claims, the verdicts, the pages, the command line.

Names are imported when first used, so that the command line can list claims without loading SymPy or torch, and a claim
or a verdict can show itself in a notebook, which is made of claims and verdicts.
"""

from typing import TYPE_CHECKING

from asymp.lazy import lazy_names

if TYPE_CHECKING:
    from asymp.reports import notebook as notebook
    from asymp.reports.check import check as check
    from asymp.reports.check import check_many as check_many
    from asymp.reports.claim import Claim as Claim
    from asymp.reports.claims import claims as claims
    from asymp.reports.kinds import Statement as Statement
    from asymp.reports.own_claim import claim as claim
    from asymp.reports.report import write_report as write_report
    from asymp.reports.testing.assertions import Assertion as Assertion
    from asymp.reports.testing.assertions import CouldNotFail as CouldNotFail
    from asymp.reports.testing.assertions import assert_bound as assert_bound
    from asymp.reports.testing.assertions import assert_claim as assert_claim
    from asymp.reports.testing.assertions import assert_equal as assert_equal
    from asymp.reports.testing.assertions import assert_rate as assert_rate
    from asymp.reports.testing.convergence import assert_order as assert_order
    from asymp.reports.testing.strategies import drawn_cells as drawn_cells
    from asymp.reports.testing.strategies import parameters as parameters
    from asymp.reports.verdict import Verdict as Verdict
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
