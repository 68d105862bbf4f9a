"""The claims of section 1 come out as they should, their errata too, and wrong laws in their place are refuted."""

from ledger_checks import (  # noqa: F401
    test_each_claim_owns_a_fixed_share_of_the_budget,
    test_every_part_comes_out_as_expected_or_open,
    test_negative_controls_are_refuted,
    test_the_corrected_law_in_the_place_of_the_erratum_is_supported,
    test_the_index_and_the_claim_say_the_same,
)

SECTION = 1
