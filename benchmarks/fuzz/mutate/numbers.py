"""Values at the edges of what fields can hold."""

WHOLE = (0, 1, -1, 2, 3, 7, 64, 255, 65536, 2**31 - 1, -(2**31), 2**31, 2**32, 2**40, 2**62, 2**63 - 1, -(2**63), 2**64)
REAL = (0.0, -0.0, 1e-45, 1e308, -1e308, float("inf"), float("-inf"), float("nan"), 0.1, -1.5)
TEXT = ("", "x", "../../etc/passwd", "/etc/passwd", "a\0b", "é" * 300, "%s%n", "*", "'; import os", "\ud800", "\x1b[2J")
