"""Tables in Tensor-Train form: recognition, planning, compression, compile-time decomposition, lowering to linalg."""
