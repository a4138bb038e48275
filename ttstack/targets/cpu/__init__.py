"""The processor of this machine as a target: object files that C calls, and a fast way to values.

program = cpu.compile("mlp.mlir")
program.save("mlp.o")                   # and mlp.h, and mlp.safetensors where there are weights
cpu.load("mlp.so").run({"x": x})
"""

from ttstack.targets.cpu.compile import NativeProgram, compile  # noqa: A004  (as `ttstack.compile`)
from ttstack.targets.cpu.loader import LoadedProgram, load

__all__ = ["LoadedProgram", "NativeProgram", "compile", "load"]
