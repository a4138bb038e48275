"""The only module that imports the host package of the MLIR bindings.

All other modules use `from ttstack.mlir import ir, ext, func`, so the host package can be replaced here. Imported on
first use are dialects that only CPU code needs, `fx_importer`, which needs PyTorch, `onnx_importer`, which needs onnx,
`execution_engine`, and `stablehlo` and the torch dialect, which take 3 MiB of memory.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from torch_mlir import ir, rewrite
from torch_mlir.dialects import ext, func, irdl, quant
from torch_mlir.passmanager import PassManager

if TYPE_CHECKING:
    from torch_mlir._mlir_libs import _stablehlo as stablehlo

__all__ = [
    "PassManager",
    "ext",
    "func",
    "ir",
    "irdl",
    "load_libraries",
    "quant",
    "register_stablehlo_dialects",
    "register_torch_dialect",
    "rewrite",
    "stablehlo",
]

# The bindings look for a Python module of each dialect whenever they meet one of its ops or types, and remember
# only those that they found: without this, every access would search the file system for `torch_mlir.dialects.ttir`.
ext._cext.globals.append_dialect_search_prefix("ttstack.dialects")


_LOAD_CHLO_AND_VHLO = "builtin.module(func.func(convert-torch-to-stablehlo),stablehlo-legalize-to-vhlo)"
_LATE = {
    **{name: f"torch_mlir.dialects.{name}" for name in ("arith", "bufferization", "linalg", "llvm", "math", "memref")},
    **{name: f"torch_mlir.dialects.{name}" for name in ("scf", "tensor", "transform", "vector")},
    "execution_engine": "torch_mlir.execution_engine",
    "fx_importer": "torch_mlir.extras.fx_importer",
    "onnx_importer": "torch_mlir.extras.onnx_importer",
    "stablehlo": "torch_mlir._mlir_libs._stablehlo",
    "torch_dialect": "torch_mlir._mlir_libs._torchMlir",
}


def load_libraries() -> None:
    """Import the libraries of the two functions below, before a process is forked."""
    for name in ("stablehlo", "torch_dialect"):
        import_module(_LATE[name])


def register_torch_dialect(context: ir.Context) -> None:
    """Register the torch dialect in `context`; a second call does nothing."""
    import_module(_LATE["torch_dialect"]).register_dialect(context)


def register_stablehlo_dialects(context: ir.Context) -> None:
    """Register `stablehlo`, `chlo`, `vhlo` and StableHLO's passes in `context`; a second call does nothing."""
    library = import_module(_LATE["stablehlo"])
    library.register_stablehlo_passes()
    library.register_dialect(context, True)
    register_torch_dialect(context)
    # The bindings register no other dialect of the family: a pass that makes its ops loads it.
    with context:
        PassManager.parse(_LOAD_CHLO_AND_VHLO).run(ir.Module.parse("func.func private @none()").operation)


def __getattr__(name: str) -> ModuleType:
    if name in _LATE:
        return import_module(_LATE[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
