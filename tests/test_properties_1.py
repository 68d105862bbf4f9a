"""Theory against simulation at settings that Hypothesis draws, for the claims of section 1."""

from property_checks import test_no_drawn_setting_refutes_the_law  # noqa: F401

SECTION = 1
