"""The reference runtime of ttstack: executes `.ttb` programs with NumPy, without MLIR and without torch."""
