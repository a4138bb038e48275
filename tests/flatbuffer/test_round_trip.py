"""Encoding, then decoding, is the identity: on drawn programs of real ops, and on drawn attribute values."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ttstack.device.device_op import Fidelity, Spread
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace, storage
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.escape import name_fault
from ttstack.flatbuffer import encode_values, enums
from ttstack.flatbuffer._generated import binary_generated as schema
from ttstack.flatbuffer.decode import decode
from ttstack.flatbuffer.decode_values import attributes as decoded_attributes
from ttstack.flatbuffer.encode import encode
from ttstack.flatbuffer.reader import Reader
from ttstack.flatbuffer.writer import Writer
from ttstack.ops import OPS
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import Access, IndexExpr, IndexingMap, Iterator
from ttstack.ops.tile_ops import TILE_OPS
from ttstack.ops.types import DType, TensorType
from ttstack.program.records import Binary, Function, Operation, Output, Tensor, TensorKind, Weight
from ttstack.program.validate import validate_binary
from ttstack.system_desc import load

SYSTEM = load("wormhole")
CHIP = SYSTEM.chips[0]
INT64 = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False)
NAMES = st.text(min_size=1, max_size=8).filter(lambda text: not name_fault(text))
SHAPES = st.lists(st.integers(1, 70), max_size=4).map(tuple)

small = st.integers(1, 9)
terms = st.builds(IndexExpr, small, st.none() | small, st.integers(-3, 3), st.integers(0, 9))
maps = st.builds(
    IndexingMap,
    st.lists(st.none() | st.integers(0, 9), max_size=4).map(tuple),
    st.sampled_from(Access),
    terms=st.lists(terms, max_size=4).map(tuple),
)
dispatches = st.deferred(
    lambda: st.builds(
        LoopNest,
        domain=st.lists(INT64, max_size=4).map(tuple),
        iterators=st.lists(st.sampled_from(Iterator), max_size=4).map(tuple),
        inputs=st.lists(maps, max_size=3).map(tuple),
        outputs=st.lists(maps, max_size=2).map(tuple),
        body=st.lists(tile_ops, max_size=3).map(tuple),
    )
)
scalars = st.one_of(st.none(), st.booleans(), INT64, FLOATS, st.text(max_size=8), st.sampled_from(DType))
tile_ops = st.builds(
    TileOp,
    name=st.sampled_from(sorted(TILE_OPS)),
    args=st.lists(st.integers(0, 99), max_size=3).map(tuple),
    attributes=st.lists(st.tuples(NAMES, scalars), max_size=2).map(tuple),
)
configs = st.builds(
    MatmulConfig,
    st.sampled_from(MatmulProgram),
    **dict.fromkeys(("in0_block_w", "per_core_M", "out_block_h", "out_subblock_w"), st.none() | st.just(1)),
)
values = st.recursive(
    scalars | dispatches | st.lists(INT64).map(tuple) | st.lists(FLOATS).map(tuple),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def _same(a: Any, b: Any) -> bool:
    """Equal, and of equal types all the way down; zeros have the same sign."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(_same(v, b[k]) for k, v in a.items())
    return a == b and (not isinstance(a, float) or math.copysign(1, a) == math.copysign(1, b))


@given(st.dictionaries(NAMES, values, max_size=4))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_attribute_values(given_values):
    writer = Writer()
    vector = encode_values.attributes(writer, given_values)
    buffer = writer.finish(writer.table("TileOp", attributes=vector))
    found = dict(decoded_attributes(Reader(), schema.TileOp.GetRootAs(buffer)))
    assert _same(found, given_values)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, [0, 2**63], (-(2**63) - 1,)])
def test_numbers_that_64_bits_do_not_hold_are_refused(value):
    with pytest.raises(ValueError, match=r"attribute 'n' is -?922337203685477580., which 64 bits do not hold"):
        encode_values.attributes(Writer(), {"n": value})


@st.composite
def functions(draw: st.DrawFn) -> tuple[Function, dict[str, Weight]]:
    """A line of elementwise ops, products and changes of shape, all in DRAM, one buffer after the other."""
    tensors: list[Tensor] = []
    operations: list[Operation] = []
    address = CHIP.dram_base

    def tensor(t: TensorType, kind: TensorKind = TensorKind.INTERMEDIATE) -> int:
        nonlocal address
        layout = Layout(storage(t.dtype), tiled=draw(st.booleans()))
        tensors.append(Tensor(len(tensors), draw(NAMES) + str(len(tensors)), t, layout, kind, address))
        address += -(-layout.bank_bytes(t, CHIP.dram_banks) // 32) * 32
        return tensors[-1].id

    def apply(name: str, operands: list[int], attributes: dict[str, Any]) -> int:
        types = [tensors[i].type for i in operands]
        (inferred,) = OPS[name].on(types, attributes, types[0]).results
        result = tensor(inferred)
        grid = Grid(draw(st.integers(1, 8)), draw(st.integers(1, 8)))
        spread, fidelity = draw(st.sampled_from(Spread)), draw(st.sampled_from(Fidelity))
        config = draw(st.none() | configs) if name == "linear" else None
        operation = Operation(
            name,
            tuple(operands),
            (result,),
            attributes,
            grid,
            spread,
            fidelity,
            config,
            draw(st.integers(2**19, 2**20)),
            draw(NAMES),
        )
        operations.append(operation)
        return result

    last = tensor(TensorType(draw(SHAPES), draw(st.sampled_from([DType.F32, DType.BF16]))), TensorKind.INPUT)
    for _ in range(draw(st.integers(0, 6))):
        t = tensors[last].type
        match draw(st.sampled_from(["unary", "binary", "linear", "reshape", "leaky_relu", "sum"])):
            case "unary":
                last = apply(draw(st.sampled_from(["gelu", "exp", "isfinite", "typecast"])), [last], {})
            case "binary":
                last = apply(draw(st.sampled_from(["add", "eq", "pow"])), [last, last], {})
            case "linear" if t.rank > 1:
                weight = tensor(TensorType((t.shape[-1], 5), t.dtype), TensorKind.PARAMETER)
                last = apply("linear", [last, weight], {"activation": draw(st.sampled_from(["", "relu"]))})
            case "reshape":
                last = apply("reshape", [last], {"shape": (t.size,)})
            case "leaky_relu":
                last = apply("leaky_relu", [last], {"parameter": draw(FLOATS)})
            case _ if t.rank > 0:
                last = apply("sum", [last], {"dim_arg": (0,), "keep_dim": draw(st.booleans())})
            case _:
                pass
    given_tensors = [t for t in tensors if t.kind is not TensorKind.INTERMEDIATE]
    weights = {t.name: Weight(t.name, t.type) for t in given_tensors if t.kind is TensorKind.PARAMETER}
    inputs = tuple(t.id for t in given_tensors)
    outputs = (Output(draw(NAMES), last),)
    return Function(draw(NAMES), tuple(tensors), tuple(operations), inputs, outputs), weights


@given(functions(), st.text(max_size=20), st.dictionaries(NAMES, st.text(), max_size=2))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_programs(drawn, pipeline, stages):
    function, weights = drawn
    binary = Binary((function,), SYSTEM, weights, pipeline, "1.2.3", stages)
    validate_binary(binary)
    assert decode(encode(binary)) == binary


_RECORDS = (DType, MemorySpace, MemoryLayout, Iterator, Access, TensorKind, Spread, Fidelity)


@pytest.mark.parametrize("members", _RECORDS, ids=lambda e: e.__name__)
def test_the_schema_has_exactly_the_members_of_the_records(members):
    table = getattr(schema, members.__name__)
    assert {n for n in vars(table) if not n.startswith("_")} == {m.name for m in members}
    numbers = enums.Numbers(members)
    assert [numbers.member(numbers.number[m]) for m in members] == list(members)


def test_equal_parts_are_written_once(binary):
    function = binary.functions[0]
    twice = replace(function, name="again", tensors=function.tensors * 20)
    more = len(encode(replace(binary, functions=(function, twice)))) - len(encode(binary))
    assert more < 20 * len(function.tensors) * 60
