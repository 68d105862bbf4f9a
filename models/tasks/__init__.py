"""The tasks that transformers are shown: sequences drawn on the device, without a loop over sequences or tokens."""
