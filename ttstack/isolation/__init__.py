"""Work that native code may not survive, in a child of the process with limits of time and memory."""

from ttstack.isolation.child import run_isolated
from ttstack.isolation.limits import Limits, isolates, limits_for

__all__ = ["Limits", "isolates", "limits_for", "run_isolated"]
