"""What a claim's file is written with, in one import: statements, their settings, how those are drawn, and the laws."""

from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, Setting, rows, settings
from asymp.reports.kinds import Bound, Capacity, Constant, Entrywise, Identity, Order, Rate, Statement
from asymp.reports.kinds.drawing import Cell, Draw, between, few_draws, nightly
from asymp.theory import laws

__all__ = [
    "Bound",
    "Capacity",
    "Cell",
    "Claim",
    "Constant",
    "Draw",
    "Entrywise",
    "Grid",
    "Identity",
    "Order",
    "Rate",
    "Setting",
    "Statement",
    "between",
    "few_draws",
    "laws",
    "nightly",
    "rows",
    "settings",
]
