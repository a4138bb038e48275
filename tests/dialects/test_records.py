"""Records as attributes of the `tt` dialect, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttstack.device.device_op import Fidelity, Spread
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.dialects.context import new_context
from ttstack.dialects.functions import all_functions
from ttstack.dialects.placement_attrs import PlacementAttrs, copy_placement, read_placement, write_placement
from ttstack.dialects.python_attributes import plain_attribute, read_plain
from ttstack.dialects.signature import ArgumentSignature, read_arguments, read_results, write_signature
from ttstack.dialects.tt import layout_attribute, read_layout
from ttstack.dialects.tt.system_desc import read_system_desc, system_desc_attribute
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType
from ttstack.program.records import TensorKind
from ttstack.system_desc import load, presets

CONTEXT = new_context()

grids = st.builds(Grid, st.integers(1, 10), st.integers(1, 13))
types = st.builds(
    TensorType,
    st.lists(st.integers(1, 70), max_size=5).map(tuple),
    st.sampled_from([d for d in DType if not d.is_block]),
)


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    dtype = draw(st.sampled_from((DType.F32, DType.BF16, DType.BFP8_B, DType.BFP4_B, DType.SI32, DType.UI16)))
    tiled = dtype.is_block or draw(st.booleans())
    spread = draw(st.sampled_from(MemoryLayout))
    grid = None if spread is MemoryLayout.INTERLEAVED else draw(grids)
    return Layout(dtype, tiled, draw(st.sampled_from(MemorySpace)), spread, grid)


@given(layouts(), types)
def test_layouts_come_back(layout: Layout, t: TensorType):
    with CONTEXT, ir.Location.unknown():
        attribute = layout_attribute(layout, t)
        assert read_layout(attribute) == layout
        assert ir.Attribute.parse(str(attribute)) == attribute


@pytest.mark.parametrize("text", ["42 : i32", '"dram"', "#tt.grid<[8, 8]>"])
def test_what_is_no_layout_is_refused(text: str):
    with CONTEXT, ir.Location.unknown(), pytest.raises(ValueError, match=r"is not a #tt\.layout"):
        read_layout(ir.Attribute.parse(text))


plain_values = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text('ab\n"\\ü', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3),
)


@given(plain_values)
def test_plain_values_come_back(value: object):
    with CONTEXT, ir.Location.unknown():
        found = read_plain(plain_attribute(value))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("name", presets())
def test_device_descriptions_come_back(name: str):
    desc = load(name)
    with CONTEXT, ir.Location.unknown():
        attribute = system_desc_attribute(desc)
        assert read_system_desc(attribute) == desc
        assert read_system_desc(ir.Attribute.parse(str(attribute))) == desc


def _two_ops() -> ir.Module:
    t = "tensor<4xf32>"
    return ir.Module.parse(f'%0 = "ttir.empty"() : () -> {t}\n%1 = "ttir.exp"(%0) : ({t}) -> {t}')


@pytest.mark.parametrize("view", [False, True])
def test_a_placement_comes_back_and_is_copied(view: bool):
    config = MatmulConfig(MatmulProgram.MULTICAST_2D, per_core_M=2)
    placed = PlacementAttrs(Grid(7, 8), Spread.BLOCKS, Fidelity.HIFI2, config, 4096, view)
    with CONTEXT, ir.Location.unknown():
        module = _two_ops()
        first, second = module.body.operations
        write_placement(first.operation, placed)
        assert read_placement(first.operation) == placed
        copy_placement(first.operation, second.operation)
        assert read_placement(second.operation) == placed


def test_an_op_without_placement_is_refused():
    with CONTEXT, ir.Location.unknown():
        module = _two_ops()
        with pytest.raises(
            ValueError, match=r"'ttir\.exp' has no placement; run the passes 'assign-grids' and 'place'"
        ):
            read_placement(module.body.operations[1].operation)


def test_signatures_come_back():
    arguments = [ArgumentSignature("x y", TensorKind.INPUT), ArgumentSignature('w"', TensorKind.PARAMETER)]
    with CONTEXT, ir.Location.unknown():
        module = ir.Module.parse("func.func @f(%a: i32, %b: i32) -> (i32, i32) { return %a, %b : i32, i32 }")
        (function,) = all_functions(module)
        assert [a.name for a in read_arguments(function)] == ["arg0", "arg1"]
        assert read_results(function, 2) == ["output.0", "output.1"]
        write_signature(function, arguments, ["p", "q"])
        assert read_arguments(function) == arguments
        assert read_results(function, 2) == ["p", "q"]
