"""Composites that models write out as smaller ops: activations, norms, softmax, rotary embeddings, attention.

A file here finds the composite and builds the named op. Which kernel runs it is decided by `legalize`, `attention` and
`images`.
"""
