"""From a list of claims to verdicts: planned, measured, judged, kept."""
