"""ONNX models: made static, then converted through the torch dialect to TTIR."""

from ttstack.frontends.onnx.model import import_onnx

__all__ = ["import_onnx"]
