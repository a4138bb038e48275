"""The MLIR dialects: `tt` (types and attributes), `ttir` (tensor ops and dispatches), `ttnn` (device ops)."""
