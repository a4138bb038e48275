"""This machine's CPU as a target: object files with a C interface, and fast execution.

program = cpu.compile("mlp.mlir")
program.save("mlp.o")                   # and mlp.h, and mlp.safetensors if there are weights
cpu.load("mlp.so").run({"x": x})
"""

from ttstack.targets.cpu.compile import NativeProgram, compile  # noqa: A004  (as `ttstack.compile`)
from ttstack.targets.cpu.loader import LoadedProgram, load

__all__ = ["LoadedProgram", "NativeProgram", "compile", "load"]
