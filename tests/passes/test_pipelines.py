"""Pipelines as text, and what runs around their passes."""

from functools import partial
from pathlib import Path

import pytest

import ttstack
from tests.every import for_every
from ttstack import passes
from ttstack.diagnostics import InvalidIRError, OutputError, PassOptionError
from ttstack.dialects.context import new_context
from ttstack.mlir import ir
from ttstack.options.model import CompileOptions
from ttstack.passes.base import PASSES, Builtin, Pass, PassRun, Pipeline, parse_pipeline
from ttstack.passes.dump import dump_hook
from ttstack.passes.pipelines import PIPELINES, optional_passes, ttir_to_ttnn
from ttstack.passes.printing import Printing
from ttstack.passes.ttir.fusion import fuse
from ttstack_runtime.evaluate import KERNEL_FAULTS

CONTEXT = new_context()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fuse",
        "fuse,cse,fuse",
        "fold-constants{max-bytes=8}",
        "place{dtype=bfp8_b placement=dram}",
        "canonicalize{max-iterations=2},place{dtype=f32}",
        "attach-system-desc{system-desc=blackhole_p150}",
    ],
)
def test_text_comes_back(text: str):
    with CONTEXT:
        assert str(parse_pipeline(text, PIPELINES)) == text


@pytest.mark.parametrize("name", sorted(PIPELINES))
def test_a_pipeline_spelled_out_is_the_same_pipeline(name: str):
    with CONTEXT:
        found = parse_pipeline(name, PIPELINES)
        assert found == PIPELINES[name]()
        assert str(parse_pipeline(str(found), PIPELINES)) == str(found)


def test_options_of_a_pipeline_go_to_its_passes():
    with CONTEXT:
        text = str(parse_pipeline("ttir-to-ttnn{system-desc=blackhole_p150 placement=dram dtype=bf16}", PIPELINES))
    assert "system-desc=blackhole_p150" in text
    assert "place{dtype=bf16 placement=dram}" in text


def test_tables_are_compressed_for_the_format_of_the_program():
    with CONTEXT:
        chosen = CompileOptions.of({"dtype": "bfp8_b", "tensor_train": {"rel_error": 0.05}})
        passes = str(ttir_to_ttnn(chosen)).split("recognize-lookups,")[1]
    assert passes.startswith("tensor-train{")
    assert "dtype=bfp8_b" in passes.split("}")[0]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("lower{placement=best}", "placement: Input should be 'greedy', 'optimal' or 'dram'"),
        ("lower{dtype=f7}", "dtype: 'f7' is not one of f32"),
        ("ttir-to-ttnn{device=x}", "device: no such option"),
        ("fuse{a}", "a: no such option"),
    ],
)
def test_a_bad_option_is_named(text: str, note: str):
    with CONTEXT, pytest.raises(PassOptionError) as refused:
        parse_pipeline(text, PIPELINES)
    assert any(n.startswith(note) for n in refused.value.diagnostic.notes), refused.value


@for_every("name", sorted(PASSES))
def test_every_pass_says_what_it_does(name: str):
    assert PASSES[name].__doc__
    assert name == name.lower().replace("_", "-")


FILES = {path: path.read_text() for path in Path(passes.__file__ or "").parent.rglob("*.py")}


BY_OPTIONS = {
    "apply-patterns",
    "approximate",
    "attach-formats",
    "bound-loops",
    "divide-loops",
    "recognize-lookups",
    "tensor-train",
    "use-blas",
}
"""Passes that options of a compilation add to pipelines."""


def test_every_pass_is_in_a_pipeline():
    own = {name for name, spec in PASSES.items() if spec.__module__.startswith("ttstack.")}
    left = own - {step.title for make in PIPELINES.values() for step in make().passes}
    assert left == BY_OPTIONS, "give it a stage"


def test_every_list_of_fusion_patterns_is_applied():
    lists = {path.stem for path, text in FILES.items() if path.stem.startswith("fuse_") and "\nPATTERNS" in text}
    left = lists - vars(fuse).keys()
    assert not left, "add the PATTERNS of each to those of the pass `fuse`, in ttstack/passes/ttir/fusion/fuse.py"
    assert len(lists) > 2


@pytest.mark.parametrize("name", optional_passes())
def test_a_rewrite_can_be_left_out(name: str):
    every = [step.title for step in ttir_to_ttnn().passes]
    left = [step.title for step in ttir_to_ttnn(CompileOptions.of({"without": f"{name},fuse"})).passes]
    assert name in every
    assert left == [title for title in every if title not in {name, "fuse"}]


def test_all_rewrites_are_left_out_together():
    all_left_out, each_left_out = (
        ttir_to_ttnn(CompileOptions.of({"without": given})) for given in ("all", optional_passes())
    )
    assert all_left_out == each_left_out
    assert not any(step.optional for step in all_left_out.passes)


def test_an_optional_pass_says_so_in_its_own_file():
    step = type("Mine", (Pass,), {"__doc__": "Mine."}, name="test-optional", optional=True)
    try:
        assert step.optional
        assert "test-optional" in optional_passes()
    finally:
        del PASSES["test-optional"]
    assert "test-optional" not in optional_passes()


def test_all_faults_of_passes_to_leave_out_are_told_before_a_model_is_read():
    for read in (ttstack.compile, partial(ttstack.compile_to, "simplified")):
        with pytest.raises(PassOptionError, match="passes cannot be left out") as caught:
            read("there_is_no_such_model.onnx", without="fuze,fuse,melt,decompose,cse")
        assert caught.value.diagnostic.notes == (
            "there is not a pass 'fuze'; did you mean 'fuse'?",
            "there is not a pass 'melt'",
            "'decompose' is not optional",
            "'cse' is not optional",
        )


def test_two_passes_cannot_have_one_name():
    with pytest.raises(ValueError, match="pass 'fuse' is already defined"):
        type("Again", (Pass,), {"__module__": __name__}, name="fuse")


class _Break(Pass):
    """Leaves a result of another type."""

    name = "break"

    def run(self, module: ir.Module) -> None:
        op = module.body.operations[0]
        op.results[0].set_type(ir.Type.parse("tensor<5xf32>"))


MODULE = '%0 = "ttir.zeros"() {shape = array<i32: 4>} : () -> tensor<4xf32>'


def test_a_pass_that_breaks_the_module_is_named():
    with CONTEXT, ir.Location.unknown():
        module = ir.Module.parse(MODULE)
        with pytest.raises(InvalidIRError, match=r"pass 'break' left invalid IR: 'ttir\.zeros' op shape"):
            Pipeline((_Break(),)).run(module)


@pytest.mark.parametrize("fault", [*KERNEL_FAULTS, ZeroDivisionError])
@pytest.mark.filterwarnings("ignore:ttir.zeros is left to the device")
def test_folding_leaves_what_no_kernel_can_compute(fault: type[Exception], monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr("ttstack_runtime.evaluate.evaluate", fail)
    with CONTEXT, ir.Location.unknown():
        module = ir.Module.parse(f"func.func @f() -> tensor<4xf32> {{\n{MODULE}\nreturn %0 : tensor<4xf32> }}")
        Pipeline((PASSES["fold-constants"].of({}),)).run(module)
    assert "ttir.zeros" in str(module)


def test_hooks_see_every_step():
    seen: list[tuple[int, str, bool]] = []

    def hook(step: PassRun, module: ir.Module) -> None:
        seen.append((step.index, step.step.title, "ttir.zeros" in str(module)))

    with CONTEXT, ir.Location.unknown():
        module = ir.Module.parse(MODULE)
        Pipeline((PASSES["attach-system-desc"].of({}), Builtin(pipeline="canonicalize"))).run(module, after=[hook])
    assert seen == [(0, "attach-system-desc", True), (1, "canonicalize", False)]


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path):
    (tmp_path / "x").write_text("")
    with CONTEXT, ir.Location.unknown(), pytest.raises(OutputError, match="cannot make the folder"):
        dump_hook(tmp_path / "x", ir.Module.parse(MODULE), Printing())
