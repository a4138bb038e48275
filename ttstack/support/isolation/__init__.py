"""Work in a child process with limits of time and memory, as native code may crash."""

from ttstack.support.isolation.child import run_isolated
from ttstack.support.isolation.limits import Limits, isolates, limits_for

__all__ = ["Limits", "isolates", "limits_for", "run_isolated"]
