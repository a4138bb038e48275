"""Reshapes, permutations, slices and concatenations: cancelled, hoisted, merged, or replaced by cheaper ones."""
