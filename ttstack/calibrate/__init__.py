"""Figures of a device from what a user measured: a profile of a program that ran, beside its prediction."""

from ttstack.calibrate.refit import Refit, Refitted, refit

__all__ = ["Refit", "Refitted", "refit"]
