"""Models to compile."""
