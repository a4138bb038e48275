"""Modules as text: what is named, what is at the end, and that it parses to the same module."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.context import new_context
from ttstack.dialects.text import print_module
from ttstack.dialects.tt.system_desc import SYSTEM_DESC, system_desc_attribute
from ttstack.frontends.readers.text import read_string
from ttstack.frontends.source import import_model
from ttstack.mlir import ir
from ttstack.options.model import CompileOptions
from ttstack.passes.base import PassRun
from ttstack.passes.pipelines import ttir_to_ttnn
from ttstack.system_desc import load
from ttstack.system_desc.at_release import at_release
from ttstack.system_desc.what_if import what_if

ROOT = Path(__file__).parents[2]
MODEL = (ROOT / "docs/mlp.mlir").read_text()
CONSTANT = """func.func @f(%x: tensor<200xbf16>) -> tensor<200xbf16> {
  %c = "ttir.constant"() {value = dense<"0xDIGITS"> : tensor<200xbf16>} : () -> tensor<200xbf16>
  %0 = "ttir.add"(%x, %c) : (tensor<200xbf16>, tensor<200xbf16>) -> tensor<200xbf16>
  return %0 : tensor<200xbf16>
}"""


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with new_context(), ir.Location.unknown():
        yield


def parsed(text: str) -> ir.Module:
    return read_string(text, "<text>").module


def verbatim(module: ir.Module) -> str:
    return str(module.operation.get_asm(enable_debug_info=True))


@pytest.mark.parametrize("model", sorted((ROOT / "examples").glob("*.mlir")), ids=lambda path: path.stem)
@pytest.mark.parametrize("value_names", [True, False])
def test_the_text_after_each_pass_parses_to_the_same_module(model: Path, value_names: bool):
    texts: dict[str, str] = {}

    def check(step: PassRun, module: ir.Module) -> None:
        text = print_module(module, locations=True, value_names=value_names)
        if text not in texts.values():
            assert verbatim(parsed(text)) == verbatim(module), step.step.title
            texts[step.step.title] = text

    with import_model(str(model)) as found:
        ttir_to_ttnn(CompileOptions()).run(found.module, after=[check])
    assert len(texts) > 5
    assert print_module(parsed(texts["place"]), locations=True, value_names=value_names) == texts["place"]


def test_a_device_is_a_reference():
    module = parsed(MODEL)
    description = system_desc_attribute(load("wormhole"))
    module.operation.attributes[SYSTEM_DESC] = description
    text = print_module(module)
    assert len(text) < 1500
    assert re.search(r"tt\.system_desc = @n150_[\d.]+_\w{8}", text)
    assert module.operation.attributes[SYSTEM_DESC] == description
    assert parsed(text).operation.attributes[SYSTEM_DESC] == description
    whole = print_module(module, device=True)
    assert len(whole) > 50_000
    assert whole.startswith(text.rstrip())
    assert parsed(whole).operation.attributes[SYSTEM_DESC] == description


def test_an_older_release_is_a_preset_too():
    module = parsed(MODEL)
    module.operation.attributes[SYSTEM_DESC] = system_desc_attribute(at_release(load("wormhole"), "0.60"))
    text = print_module(module)
    assert "@n150_0.60_" in text
    assert "{-#" not in text
    assert verbatim(parsed(text)) != ""


def test_a_device_of_ones_own_is_at_the_end():
    module = parsed(MODEL)
    changed, _ = what_if(load("wormhole"), ["clock=1.2GHz"])
    module.operation.attributes[SYSTEM_DESC] = system_desc_attribute(changed)
    text = print_module(module)
    assert max(map(len, text.partition("{-#")[0].splitlines())) < 400
    assert parsed(text).operation.attributes[SYSTEM_DESC] == system_desc_attribute(changed)


def test_a_device_that_nobody_knows():
    text = f"module attributes {{tt.system_desc = @n150_0.81_00000000}} {{\n{MODEL}\n}}"
    with pytest.raises(InvalidIRError, match=r"refers to the device 'n150_0\.81_00000000'") as e:
        parsed(text)
    assert "n150_0.81_" in e.value.diagnostic.notes[0]


def test_large_constants_are_at_the_end():
    digits = "".join(f"{i:02X}3F" for i in range(200))
    module = parsed(CONSTANT.replace("DIGITS", digits))
    text = print_module(module)
    assert re.search(r"dense_resource<c_\w{8}> : tensor<200xbf16>", text)
    assert text.index(digits) > text.index("{-#")
    assert str(parsed(text)) == str(module)
    assert "{-#" not in print_module(module, constants=False)


def test_long_attributes_are_at_the_end():
    module = parsed(MODEL)
    said = 'a "quoted" \\ text\n' * 30
    module.operation.attributes["tt.options"] = ir.StringAttr.get(said)
    text = print_module(module)
    assert "tt.options = @options_" in text
    assert ir.StringAttr(parsed(text).operation.attributes["tt.options"]).value == said


def test_names_do_not_depend_on_what_else_is_there():
    first = MODEL.replace("return %2", "return %0").replace("-> tensor<64x96xbf16> {", "-> tensor<64x96xbf16> {", 1)
    texts = [print_module(parsed(text), value_names=True) for text in (MODEL, first)]
    added = set(texts[0].splitlines()) - set(texts[1].splitlines())
    assert all("return" in line for line in added)
