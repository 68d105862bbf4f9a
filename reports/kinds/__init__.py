"""Kinds of statements: each class says how it is judged, what its evidence is, its words, its figure and its wrong laws."""

from asymp.reports.grid import Setting
from asymp.reports.kinds.base import Look, Statement, WrongLaw
from asymp.reports.kinds.bound import Bound
from asymp.reports.kinds.capacity import Capacity
from asymp.reports.kinds.entrywise import Entrywise
from asymp.reports.kinds.equality import Constant, Identity
from asymp.reports.kinds.evidence import Evidence, Fit, Measured, Point, Summary
from asymp.reports.kinds.order import Order
from asymp.reports.kinds.rate import Rate

__all__ = [
    "KINDS",
    "Bound",
    "Capacity",
    "Constant",
    "Entrywise",
    "Evidence",
    "Fit",
    "Identity",
    "Look",
    "Measured",
    "Order",
    "Point",
    "Rate",
    "Setting",
    "Statement",
    "Summary",
    "WrongLaw",
]

KINDS: dict[str, type[Statement]] = {one.kind: one for one in (Identity, Bound, Rate, Constant, Capacity, Order)}
