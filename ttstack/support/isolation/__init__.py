"""Work that native code may not survive, in a child of the process with limits of time and memory."""

from ttstack.support.isolation.child import run_isolated
from ttstack.support.isolation.limits import Limits, isolates, limits_for

__all__ = ["Limits", "isolates", "limits_for", "run_isolated"]
