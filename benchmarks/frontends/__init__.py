"""The same networks through PyTorch and both ONNX exporters: `python -m benchmarks.frontends`."""
