"""Passes on upstream dialects, from `linalg` on tensors to LLVM for a CPU."""
