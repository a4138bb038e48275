"""All kinds of file that are read."""

from benchmarks.fuzz.kinds import documents, modules, onnx, programs, surfaces, torch, values

KINDS = {
    kind.name: kind for family in (modules, onnx, torch, programs, values, documents, surfaces) for kind in family.KINDS
}
"""By name. That factories are not among them: they are code."""
