"""Tables in Tensor-Train form: recognized, planned, replaced, computed at compile time, lowered to linalg."""
