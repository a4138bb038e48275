"""Reshapes, permutes, slices and concats: cancelled, hoisted, merged, or replaced by cheaper ones."""
