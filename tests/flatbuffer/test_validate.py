"""Programs that contradict themselves: one fault each, named by function, op and tensor."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.program_config import MatmulConfig, MatmulProgram, RowwiseConfig
from ttstack.diagnostics import BinaryFormatError
from ttstack.flatbuffer import load, save
from ttstack.ops.loop_nest import TileOp
from ttstack.ops.types import DType, TensorType
from ttstack.program.buffers import buffers, live_bytes
from ttstack.program.records import Binary, Function, HeldWeight, Operation, Output, TensorKind
from ttstack.program.validate import validate, validate_binary
from ttstack.system_desc import load as load_system

L1 = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.INTERLEAVED)
_REUSE = MatmulProgram.REUSE
L1_BYTES = load_system("wormhole").chips[0].l1_usable_bytes
L1_END = load_system("wormhole").chips[0].l1_end


def _tensor(at: int, **changes: Any) -> Callable[[Function], Function]:
    def apply(f: Function) -> Function:
        changed = list(f.tensors)
        changed[at] = replace(changed[at], **changes)
        return replace(f, tensors=tuple(changed))

    return apply


def _op(at: int, **changes: Any) -> Callable[[Function], Function]:
    def apply(f: Function) -> Function:
        changed = list(f.operations)
        changed[at] = replace(changed[at], **changes)
        return replace(f, operations=tuple(changed))

    return apply


def _insert(at: int, op: Operation) -> Callable[[Function], Function]:
    return lambda f: replace(f, operations=(*f.operations[:at], op, *f.operations[at:]))


def _layout(at: int, **changes: Any) -> Callable[[Function], Function]:
    return lambda f: _tensor(at, layout=replace(f.tensors[at].layout, **changes))(f)


def _moved(at: int, by: int) -> Callable[[Function], Function]:
    return lambda f: _tensor(at, address=f.tensors[at].address + by)(f)


def _both(*changes: Callable[[Function], Function]) -> Callable[[Function], Function]:
    def apply(f: Function) -> Function:
        for change in changes:
            f = change(f)
        return f

    return apply


FAULTS: dict[str, tuple[Callable[[Function], Function], str]] = {
    "id": (_tensor(3, id=4), "tensor 4 '%3' is at position 3"),
    "operand out of range": (_op(1, operands=(9,)), "op 1 'reshape' takes tensor 9, which there is not"),
    "negative operand": (_op(1, operands=(-2,)), "op 1 'reshape' takes tensor -2, which there is not"),
    "result out of range": (_op(1, results=(9,)), "op 1 'reshape' defines tensor 9, which there is not"),
    "input out of range": (lambda f: replace(f, inputs=(0, 1, 2, 7)), "the inputs define tensor 7"),
    "complex numbers that are not pairs": (
        _tensor(0, is_complex=True),
        "is no input of pairs of reals, and recorded as complex",
    ),
    "complex output that is not pairs": (
        lambda f: replace(f, outputs=(Output("y", 6, is_complex=True),)),
        "not pairs of reals, and recorded as complex",
    ),
    "output out of range": (lambda f: replace(f, outputs=(Output("y", 7),)), "output 'y' is tensor 7"),
    "used before defined": (
        _op(1, operands=(5,)),
        "op 1 'reshape' takes tensor 5 '%5', which is not defined before",
    ),
    "defined twice": (_op(4, results=(5,)), "op 4 'to_layout' defines tensor 5 '%5' a second time"),
    "input twice": (lambda f: replace(f, inputs=(0, 1, 2, 2)), "two inputs have one name"),
    "never defined": (
        lambda f: replace(f, tensors=(*f.tensors, replace(f.tensors[6], id=7))),
        "tensor 7 '%6' is never defined",
    ),
    "output freed": (
        lambda f: replace(f, outputs=(Output("y", 5),)),
        "output 'y' is tensor 5 '%5', whose buffer is deallocated before",
    ),
    "used after its end": (
        _insert(4, Operation("gelu", (4,), (6,))),
        "op 4 'gelu' takes tensor 4 '%4', whose buffer is deallocated before",
    ),
    "deallocated twice": (
        _insert(4, Operation("deallocate", (3,), ())),
        "op 4 'deallocate' takes tensor 3 '%3', whose buffer is deallocated before",
    ),
    "alias deallocated": (
        _op(3, operands=(4,)),
        "op 3 'deallocate' ends tensor 4 '%4', whose buffer is that of tensor 3 '%3'",
    ),
    "alias of nothing": (_tensor(4, alias=12), "tensor 4 '%4' shares the buffer of tensor 12"),
    "alias of itself": (
        _tensor(4, alias=4),
        "op 1 'reshape' defines tensor 4 '%4' in the buffer of tensor 4 '%4', which is not defined before",
    ),
    "alias elsewhere": (
        _moved(4, -2048),
        "(tensor 4) is not in the buffer of the result of 'linear' at net.py:12 layer (tensor 3)",
    ),
    "input of wrong kind": (
        _tensor(0, kind=TensorKind.INTERMEDIATE),
        "tensor 0 'x' is an input, and recorded as intermediate",
    ),
    "result of wrong kind": (
        _tensor(5, kind=TensorKind.PARAMETER),
        "op 2 'generic' defines tensor 5 '%5', which is recorded as parameter",
    ),
    "two outputs": (
        lambda f: replace(f, outputs=(Output("y", 6), Output("y", 0))),
        "two outputs have one name among y, y",
    ),
    "unknown op": (_op(4, name="to_paradise"), "op 4 'to_paradise' is not an op that this ttstack knows"),
    "no device op": (
        _op(1, name="dot_general"),
        "op 1 'dot_general' is not an op of the device",
    ),
    "too many operands": (_op(4, operands=(5, 0)), "op 4 'to_layout' has 2 operands, the op takes input"),
    "too few operands": (_op(0, operands=(0,)), "op 0 'linear' has 1 operands, the op takes a, b, bias"),
    "absent operand": (_op(0, operands=(0, None, None)), "op 0 'linear' has no operand 'b'"),
    "variadic gap": (_op(2, operands=(4, None)), "op 2 'generic' has a gap among its operands"),
    "unknown attribute": (
        _op(1, attributes={"shape": (2, 32, 32), "dim": 1}),
        "op 1 'reshape' has an attribute 'dim', which the op does not have",
    ),
    "missing attribute": (_op(1, attributes={}), "op 1 'reshape' lacks the attribute 'shape'"),
    "attribute of wrong type": (
        _op(1, attributes={"shape": "2x32x32"}),
        "op 1 'reshape' has '2x32x32' as attribute 'shape'",
    ),
    "shape does not infer": (
        _op(1, attributes={"shape": (2, 32, 31)}),
        "op 1 'reshape' does not fit its operands: shape [2, 32, 31] has 1984 elements",
    ),
    "other result type": (
        _tensor(6, type=TensorType((2, 32, 32), DType.F32)),
        "op 4 'to_layout' gives tensor<2x32x32xbf16>, recorded is tensor<2x32x32xf32> as tensor 6 '%6'",
    ),
    "other number of results": (
        _both(_op(3, results=(6,)), _op(4, results=())),
        "op 3 'deallocate' gives nothing, recorded is tensor<2x32x32xbf16> as tensor 6 '%6'",
    ),
    "illegal layout": (
        _layout(3, grid=Grid(16, 1)),
        "cannot be laid out as bf16 tile l1/height_sharded@16x1: grid 16x1 is larger than the device's 8x8",
    ),
    "grid too large": (_op(2, grid=Grid(1, 9)), "op 2 'generic' runs on 1x9 cores, the device has 8x8"),
    "no cores": (_op(2, grid=Grid(0, 1)), "op 2 'generic' runs on 0x1 cores"),
    "below the memory": (_tensor(1, address=32), "tensor 1 'layer.weight' is at 32 to 2,080 of dram"),
    "above the memory": (
        _moved(5, 4096),
        f"the result of 'generic' at net.py:14 (tensor 5) is at {L1_END:,} to {L1_END + 2048:,} of l1; usable addresses are",
    ),
    "not aligned": (_moved(5, -8), "of l1, not a multiple of 16"),
    "overlap of inputs": (
        _moved(1, -32),
        "op 0 'linear': the buffers of tensor 0 'x' and tensor 1 'layer.weight' overlap in dram",
    ),
    "overlap in L1": (
        _moved(5, 1024),
        "op 2 'generic': the buffers of the result of 'linear' at net.py:12 layer (tensor 3) and the result of",
    ),
    "operand and result of one place": (
        _moved(5, 2048),
        "op 2 'generic': the buffers of the result of 'linear' at net.py:12 layer (tensor 3) and the result of",
    ),
    "configuration of another kernel": (
        _op(0, config=RowwiseConfig(1)),
        "op 0 'linear' has a RowwiseConfig, it takes a MatmulConfig",
    ),
    "configuration of no kernel": (
        _op(4, config=RowwiseConfig(1)),
        "op 4 'to_layout' has a RowwiseConfig, it takes none",
    ),
    "more tiles than K has": (
        _op(0, config=MatmulConfig(_REUSE, in0_block_w=2)),
        "op 0 'linear' has 2 as 'in0_block_w' of its configuration, there are 1 tiles",
    ),
    "more tiles than a core has": (
        _op(0, config=MatmulConfig(_REUSE, per_core_M=64)),
        "has 64 as 'per_core_M' of its configuration",
    ),
    "a subblock larger than its block": (
        _op(0, config=MatmulConfig(_REUSE, out_subblock_w=2)),
        "has 2 as 'out_subblock_w' of its",
    ),
    "an input that is a view": (
        _tensor(1, alias=0),
        "tensor 1 'layer.weight' is an input, and shares the buffer of tensor 0",
    ),
    "an op that is not a view": (
        _both(_tensor(6, alias=5), lambda f: replace(f, operations=f.operations[:-1])),
        "op 4 'to_layout' defines tensor 6 '%6' in the buffer of tensor 5, but makes no view of it",
    ),
    "a view of another tensor": (
        _tensor(4, alias=0),
        "op 1 'reshape' defines tensor 4 '%4' in the buffer of tensor 0, which is not that of its operand",
    ),
    "a view in another layout": (
        _tensor(4, layout=L1),
        "op 1 'reshape' defines tensor 4 '%4' in the buffer of tensor 3, but as bf16 tile l1/interleaved, not",
    ),
    "circular buffers too large": (
        _op(2, circular_buffer_bytes=2**21),
        f"op 2 'generic' needs 2,097,152 bytes of circular buffers on each core, L1 has {L1_BYTES:,}",
    ),
    "circular buffers in a tensor": (
        _op(1, circular_buffer_bytes=L1_BYTES - 2047),
        f"bytes of circular buffers on each core, the result of 'linear' at net.py:12 layer (tensor 3) is at {L1_BYTES - 2048:,}",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named(binary: Binary, name):
    change, message = FAULTS[name]
    with pytest.raises(BinaryFormatError, match=re.escape(message)) as caught:
        validate(change(binary.functions[0]), binary.system_desc.chips[0], origin="model.ttb")
    text = str(caught.value)
    assert "function 'forward', " in text
    assert "model.ttb" in text


NO_FAULTS: dict[str, Callable[[Function], Function]] = {
    "as it is": lambda f: f,
    "circular buffers up to a tensor": _op(1, circular_buffer_bytes=L1_BYTES - 2048),
    "in the place of a freed buffer": _both(
        _layout(6, memory_space=MemorySpace.L1), lambda f: _tensor(6, address=f.tensors[3].address)(f)
    ),
    "a freed input": _insert(3, Operation("deallocate", (0,), ())),
    "no ops": lambda f: replace(f, operations=(), tensors=f.tensors[:3], outputs=(Output("y", 0),)),
    "alias of an alias": _both(
        lambda f: replace(f, tensors=(*f.tensors, replace(f.tensors[4], id=7, alias=4))),
        _insert(2, Operation("reshape", (4,), (7,), {"shape": (2, 32, 32)})),
    ),
}


@pytest.mark.parametrize("name", NO_FAULTS)
def test_no_fault(binary: Binary, name):
    validate(NO_FAULTS[name](binary.functions[0]), binary.system_desc.chips[0])


def test_a_saved_program_is_checked_when_it_is_loaded(binary: Binary, tmp_path):
    wrong = replace(binary, functions=(_moved(5, 1024)(binary.functions[0]),))
    save(wrong, tmp_path / "model.ttb")
    with pytest.raises(BinaryFormatError, match="overlap in l1") as caught:
        load(tmp_path / "model.ttb")
    assert str(tmp_path / "model.ttb") in str(caught.value)


def test_a_weight_that_there_is_not(binary: Binary):
    with pytest.raises(BinaryFormatError, match=r"tensor 1 'layer\.weight' is a parameter, and the program has no"):
        validate_binary(replace(binary, weights={}))


def test_a_weight_of_another_type(binary: Binary):
    wrong = replace(binary.weights["layer.weight"], type=TensorType((32, 33), DType.BF16))
    with pytest.raises(BinaryFormatError, match="the weight of that name tensor<32x33xbf16>"):
        validate_binary(replace(binary, weights={**binary.weights, "layer.weight": wrong}))


@pytest.mark.parametrize("held", [{"part": 7}, {"order": (0, 0)}, {"order": (0, 1, 2)}, {"part": 0}])
def test_a_part_or_an_order_that_a_weight_has_not(binary: Binary, held: dict[str, Any]):
    function = binary.functions[0]
    (weight,) = (t for t in function.tensors if t.name == "layer.weight")
    wrong = _tensor(weight.id, held=HeldWeight("layer.weight", **held))(function)
    with pytest.raises(BinaryFormatError, match="the weight of that name tensor<32x32xbf16>; it stores"):
        validate_binary(replace(binary, functions=(wrong,)))


def test_two_functions_of_one_name(binary: Binary):
    with pytest.raises(BinaryFormatError, match="two functions have one name among forward, forward"):
        validate_binary(replace(binary, functions=binary.functions * 2))


def test_live_bytes_of_l1_are_buffers_and_circular_buffers(binary: Binary):
    function, chip = binary.functions[0], binary.system_desc.chips[0]
    assert live_bytes(function, chip) == [2048 + 12288, 2048, 4096 + 8192, 4096, 2048 + 8192, 2048]


def test_live_bytes_of_dram_start_with_the_inputs(binary: Binary):
    function, chip = binary.functions[0], binary.system_desc.chips[0]
    assert live_bytes(function, chip, MemorySpace.DRAM) == [4128] * 4 + [6176] * 2


def test_buffers_live_from_definition_to_deallocation(binary: Binary):
    found = {b.tensor: (b.life.first, b.life.last) for b in buffers(binary.functions[0], binary.system_desc.chips[0])}
    assert found == {0: (0, 5), 1: (0, 5), 2: (0, 5), 3: (0, 3), 5: (2, 5), 6: (4, 5)}


def test_a_tile_op_that_there_is_not_is_refused(binary: Binary, tmp_path: Path):
    tile_op = TileOp("relu", (0,))
    object.__setattr__(tile_op, "name", "rulu")
    (f,) = binary.functions
    at = next(i for i, op in enumerate(f.operations) if op.name == "generic")
    program = replace(f.operations[at].attributes["program"], body=(tile_op,))
    save(replace(binary, functions=(_op(at, attributes={"program": program})(f),)), tmp_path / "f.ttb")
    with pytest.raises(BinaryFormatError, match="there is no tile op 'rulu'"):
        load(tmp_path / "f.ttb")
