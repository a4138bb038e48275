"""Modules of one op each, in every form that its definition allows: accepted, and equal to it; or refused."""

from collections.abc import Sequence
from types import ModuleType

import pytest

import ttstack
from tests.forms.form import Form, assert_is, function
from ttstack.diagnostics import TTStackError
from ttstack.dialects.context import new_context
from ttstack.frontends.text import parse
from ttstack.ops import OPS

pytest.importorskip("torch")

from tests.forms import (
    attention,
    cache,
    convolution,
    creation,
    decode,
    eltwise,
    fourier,
    lookup,
    matmul,
    mesh,
    movement,
    normalization,
    pool,
    quantization,
    reduction,
    rotary,
)

FAMILIES: Sequence[ModuleType] = (
    attention,
    cache,
    convolution,
    creation,
    decode,
    eltwise,
    fourier,
    lookup,
    matmul,
    mesh,
    movement,
    normalization,
    pool,
    quantization,
    reduction,
    rotary,
)
NOT_ALONE = {
    **dict.fromkeys(("rand", "empty", "alloc", "dealloc"), "has no values that its definition says"),
    **dict.fromkeys(("block_sparse_attention",), "against dense attention: tests/masks/test_fold_masks.py"),
    **dict.fromkeys(("linear_bias_attention",), "against dense attention: tests/masks/test_linear_biases.py"),
    **dict.fromkeys(("assign",), "gives nothing, and writes: tests/frontends/test_torch_updates.py"),
    **dict.fromkeys(
        ("moe_gpt", "moe_compute", "selective_reduce_combine", "tt_lang_op"), "only the device's own kernels compute it"
    ),
    **dict.fromkeys(
        ("all_to_all_dispatch", "all_to_all_dispatch_metadata", "all_to_all_combine", "moe_expert_token_remap"),
        "against a loop over tokens: tests/ops/test_moe.py, tests/mesh/test_experts.py",
    ),
    "while": "tests/loops/test_stablehlo.py",
    **dict.fromkeys((name for name in OPS if name.startswith("tensor_train_")), "tests/ops/test_tensor_train.py"),
}
"""Ops without a form here, and why."""

every_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__.rpartition(".")[2])


@every_family
def test_forms_give_what_their_definitions_say(family: ModuleType):
    """One program for all forms of a family that can be read, each a function."""
    faults: dict[str, str] = {}
    with new_context():
        texts = {i: text for i, form in enumerate(family.FORMS) if (text := _readable(form, f"f{i}", faults))}
    program = ttstack.compile("".join(texts.values()))
    for i in texts:
        form: Form = family.FORMS[i]
        given = {f"arg{k}": array for k, array in enumerate(form.arrays())}
        try:
            outputs = program.run(given, function=f"f{i}").outputs
            for got, want, t in zip(outputs.values(), form.expected(), form.returned, strict=True):
                assert_is(got, want, t)
        except (TTStackError, AssertionError) as e:
            faults[str(form)] = str(e)
    assert not faults, "\n\n".join(f"{form}:\n{why}" for form, why in faults.items())


def _readable(form: Form, name: str, faults: dict[str, str]) -> str:
    text = form.function(name)
    try:
        parse(text)
    except TTStackError as e:
        faults[str(form)] = str(e)
        return ""
    return text


@every_family
def test_what_no_op_means_is_refused(family: ModuleType):
    faults: dict[str, str] = {}
    with new_context():
        for op, operands, results, attributes, says in family.INVALID:
            try:
                parse(function("f", op, operands.split(), results.split(), attributes))
                said = "is accepted"
            except TTStackError as e:
                said = str(e)
            if says not in said:
                faults[f"{op}({operands}) {attributes}"] = f"{said}, and not: {says}"
    assert not faults, "\n\n".join(f"{form}:\n{why}" for form, why in faults.items())


def test_every_op_has_a_form():
    named = {name for name, spec in OPS.items() if spec.family != "generic"} | {"to_layout"}
    formed = {form.op for family in FAMILIES for form in family.FORMS}
    left = named - NOT_ALONE.keys() - formed
    assert not left, "add forms of each to the file of its family in tests/forms, or to NOT_ALONE why it has none"
    assert formed <= named - NOT_ALONE.keys()


def test_there_are_hundreds_of_both():
    assert sum(len(family.FORMS) for family in FAMILIES) >= 1000
    assert sum(len(family.INVALID) for family in FAMILIES) >= 200
