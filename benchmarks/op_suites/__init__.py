"""Op suites of ONNX and PyTorch, run through ttstack and compared with their own expected values."""
