"""Calibration: do the intervals cover as often as they say?"""
