"""Recognition of composites that models decompose: activations, norms, softmax, rotary embeddings, attention.

Each file finds a composite and builds the named op. `legalize`, `attention` and `images` decide which kernel runs it.
"""
