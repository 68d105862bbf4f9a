"""How each kind of statement is judged, in plain words, with the numbers of the part."""

from asymp.reports.command.texts import percent
from asymp.reports.declare import Part
from asymp.reports.verdict import PartVerdict

__all__ = ["rule"]

RULES = {
    "rate": "The exponent in {variable} is fitted over a declared class of laws ({families}). Supported: its 98 % interval lies "
    "within {margin} of the law's exponent, for every series. Refuted: an interval at the level of the budget excludes it.",
    "identity": "Supported: at every point two one-sided tests at 1 % put the mean within {margin} of the law. Refuted: the "
    "smallest p-value against {against}, times the number of points, is below the budget.",
    "constant": "Supported: at every point two one-sided tests at 1 % put the mean within {margin} of the law. Refuted: the "
    "smallest p-value against {against}, times the number of points, is below the budget.",
    "bound": "Supported: at every point the one-sided 99 % limit of the mean lies on the right side of the bound. Refuted: the "
    "smallest one-sided p-value, times the number of points, is below the budget.",
    "capacity": "The capacity is the largest {size} at which mean recall is at least {threshold:g}. Supported: its 98 % interval "
    "agrees with the law within {margin} at every setting. Refuted: an interval at the level of the budget excludes the law.",
    "order": "Supported: the order holds in every run, in at least seven runs at every point. Refuted: a share of one half is "
    "rejected downwards by a binomial test at the level of the budget.",
}
EXPONENT = (
    "The capacity (the largest {size} at which mean recall is at least {threshold:g}) is fitted by a power of {variable}. "
    "Supported: the 98 % interval of the exponent lies within {margin} of the law's. Refuted: an interval at the level of the "
    "budget excludes it."
)


def rule(part: Part, verdict: PartVerdict) -> str:
    """The rule by which a part was judged, and the p-value and budget that entered it."""
    absolute = part.kind == "rate" or bool(part.variable)
    unit = " (of the declared scale)" if part.scale is not None else ""
    words = EXPONENT if part.kind == "capacity" and part.variable else RULES[part.kind]
    told = words.format(
        variable=part.variable,
        against="a mean within that margin" if part.law.relation == "~" else "equality",
        families=", ".join(part.families),
        margin=f"{part.margin:g}" if absolute else f"{percent(part.margin)}{unit}",
        size=part.size,
        threshold=part.threshold,
    )
    return (
        f"{told} The p-value against the statement is {verdict.judgement.p_value:.2g}; this part's share of the budget of false "
        f"refutations is {verdict.budget:.2g} (shared among the claim's parts by Holm's rule)."
    )
