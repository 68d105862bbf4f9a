"""Dense memories of degree k that store N patterns of d fair signs, started at one of their patterns.

Measured are the share of bits that change in one step, the share of patterns of which no bit changes, and the number of
patterns at which half of those asked have one of their first bits changed.
"""

from asymp.montecarlo.samplers.sign_patterns import (
    bit_capacity_experiment,
    bit_error_experiment,
    fixed_patterns_experiment,
)

__all__ = ["bit_capacity_experiment", "bit_error_experiment", "fixed_patterns_experiment"]
