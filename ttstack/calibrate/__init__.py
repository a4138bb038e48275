"""Fitting of a device's parameters to a user's profile of a program."""

from ttstack.calibrate.refit import Refit, Refitted, refit

__all__ = ["Refit", "Refitted", "refit"]
