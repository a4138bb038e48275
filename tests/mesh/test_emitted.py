"""Emitted programs on a mesh give what the runtime gives, on a stand-in for `ttnn` with several chips."""

import re

import numpy as np
import pytest

import ttstack
from benchmarks.library_campaign import meshes
from tests.mesh.conftest import System
from tests.mesh.test_shard_map import EXPORTS
from tests.mesh.test_shard_map import SYSTEMS as SHARD_MAPS
from tests.ttnn_python import stand_in
from tests.ttnn_python.stand_in.mesh import MeshLibrary
from tests.ttnn_python.values import Array, loaded
from ttstack.compiled_program import Program
from ttstack_runtime.inputs import random_inputs, random_weights


def assert_same(program: Program, inputs: dict[str, Array] | None = None) -> None:
    """All outputs of `prepare` and `forward`, on tensors that the file's own `put` makes."""
    program = Program(random_weights(program.binary, 0))
    values = random_inputs(program.function(), 0) if inputs is None else inputs
    held = values | {name: weight.data for name, weight in program.binary.weights.items()}
    rows, cols = program.binary.system_desc.mesh_shape
    module = loaded(program.to_python())
    assert (rows, cols) == module.MESH
    library = MeshLibrary(stand_in, (rows, cols))
    vars(module)["ttnn"] = library
    tensors = {k: module.put(None, tensor, held[k]) for k, tensor in (module.WEIGHTS | module.INPUTS).items()}
    module.prepare(None, tensors)
    outputs = module.forward(None, tensors)
    want = program.run(values).outputs
    assert list(outputs) == list(want)
    for name, tensor in outputs.items():
        (got, *_) = library.get_device_tensors(tensor)
        np.testing.assert_allclose(got.values, want[name], rtol=1e-3, atol=1e-3 * np.abs(want[name]).max())


@pytest.mark.parametrize("model", meshes.MODELS)
def test_programs_on_a_mesh(model: str, system: System):
    assert_same(system.compile(meshes.text(model, "small", system.mesh)))


@pytest.mark.parametrize("name", ["summed", "gathered", "tensor_parallel", "everywhere"])
def test_what_jax_divides(name: str):
    with np.load(EXPORTS / f"{name}.npz") as stored:
        arrays = [stored[key] for key in stored if key != "output"]
    program = ttstack.compile(EXPORTS / f"{name}.mlir", system_desc=SHARD_MAPS[name])
    assert_same(program, dict(zip(program.inputs(), arrays, strict=True)))


def test_rows_of_chips_exchange_parts_and_get_what_their_first_has(system: System):
    t, rows = system.text(), table(system)
    x = t.shard(t.argument(256, 512), (-1, 1))
    count = system.mesh[1]
    attributes = f"concat_dim = 1 : si32, split_dim = 0 : si32, split_count = {count} : si32, {rows}"
    parts = t.op("all_to_all", [x], (256 // count, 512), attributes)
    first = t.op("collective_broadcast", [parts], t.shapes[parts], rows)
    assert_same(system.compile(t.module(t.join(parts, (-1, 0)), t.join(first, (-1, 0)))))


def table(system: System) -> str:
    """The rows of the mesh."""
    rows, cols = system.mesh
    groups = np.arange(system.devices).reshape(rows, cols).tolist()
    return f"replica_groups = dense<{groups}> : tensor<{rows}x{cols}xi64>"


def test_weights_go_to_the_chips_once(system: System):
    """Before all passes, whoever reads them; what is not a weight goes in each."""
    text = meshes.text("mlp", "small", system.mesh)
    weight = " {ttcore.argument_type = #ttcore.argument_type<parameter>}"
    program = system.compile(re.sub(r"(%arg[1-9]\d*: tensor<\w+>)", rf"\1{weight}", text))
    assert_same(program)
    before, forward = program.to_python().split("def forward")
    assert before.count("ttnn.distribute_tensor") == 3
    assert forward.count("ttnn.distribute_tensor") == 1
    assert 't["arg1 on the mesh_0"]' in forward


def test_a_tensor_on_one_chip_alone_has_no_call(system: System):
    t = system.text()
    x = t.shard(t.argument(32, 32), (-1, -1), kind="maximal")
    with pytest.raises(ttstack.TTStackError, match="1 of 3 ops of 'main' have no ttnn call") as caught:
        system.compile(t.module(t.join(t.elementwise("relu", x)))).to_python()
    assert "a tensor on only one chip of a mesh" in str(caught.value)
