"""Checks the mesh of a module against the devices of the system."""

import re
from collections.abc import Iterator
from itertools import pairwise

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.base import definition, definition_of
from ttstack.dialects.location import read_location
from ttstack.mlir import ir
from ttstack.ops.devices import AXES, Mesh, MeshOp
from ttstack.passes.base import Pass
from ttstack.passes.functions import system_desc
from ttstack.system_desc import SystemDesc
from ttstack.system_desc.network import Network

_DECLARED = ("tt.meshes", "ttcore.meshes")
_SHAPE = re.compile(r"=\s*(\d+(?:\s*x\s*\d+)*)")


class CheckMesh(Pass, name="check-mesh"):
    """Check that the mesh of the module matches the system, and that every op fits the mesh."""

    def run(self, module: ir.Module) -> None:
        """Check the module's attributes, then each op."""
        desc = system_desc(module)
        mesh, network = Mesh(desc.mesh_shape), Network(desc.chips, desc.links)
        ops = list(_spanning(module))
        _check_declared(module, desc, spans=bool(ops))
        for op in ops:
            described = definition_of(op)
            assert isinstance(described, MeshOp)
            try:
                described.check_mesh(mesh)
                _check_links(described, mesh, network)
            except ValueError as e:
                note = f"system '{desc.name}' is a mesh of {mesh} devices"
                raise InvalidIRError(f"'{op.name}' op {e}", loc=read_location(op.location), notes=(note,)) from e


def _spanning(module: ir.Module) -> Iterator[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        spec = definition(op)
        if spec is not None and spec.spans_mesh:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return iter(found)


def _check_declared(module: ir.Module, desc: SystemDesc, *, spans: bool) -> None:
    """Raise an error if the declared mesh differs from the system; a 1x1 mesh matters only if the mesh is used."""
    attributes = module.operation.attributes
    for name in _DECLARED:
        text = str(attributes[name]) if name in attributes else ""
        for match in _SHAPE.findall(text):
            shape = tuple(int(n) for n in match.split("x"))
            shape = (1,) * (AXES - len(shape)) + shape
            if shape != desc.mesh_shape and (spans or max(shape) > 1):
                raise InvalidIRError(
                    f"the module's '{name}' is {Mesh(shape)}, system '{desc.name}' is {Mesh(desc.mesh_shape)}",
                    hint=f"compile for a system with a mesh_shape of {list(shape)} (--system-desc)",
                )


def _check_links(op: MeshOp, mesh: Mesh, network: Network) -> None:
    """Raise an error if devices that exchange values are not connected."""
    neighbours = [pair for group in op.groups(mesh) for pair in pairwise(group)]
    for source, target in (*neighbours, *op.sent_shares(mesh)):
        if network.path(source, target) is None:
            raise ValueError(f"exchanges values between devices {source} and {target}, which no links join")
