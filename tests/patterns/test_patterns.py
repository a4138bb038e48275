"""Rewrites of a user's own: what they do, under which conditions, and what is said of those that cannot be applied."""

from pathlib import Path

import pytest

import ttstack
from ttstack.diagnostics import BinaryFormatError, InvalidIRError, PassOptionError, PatternError
from ttstack.dialects.context import new_context
from ttstack.dialects.text import print_module
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.rewriting.apply_patterns import ApplyPatterns

HEAD = "from ttstack.patterns import pattern, read_type, scalar, ttir, views\n\n\n"
DOUBLE_NEGATION = (
    HEAD
    + """@pattern(keeps_values=True)
def double_negation(op: views.Neg):
    inner = views.Neg.of(op.input)
    return inner and inner.input
"""
)
PDL = """pdl.pattern @{name} : benefit(1) attributes {{{attributes}}} {{
  %t = pdl.type
  %x = pdl.operand
  %inner = pdl.operation "ttir.{inner}"(%x : !pdl.value) -> (%t : !pdl.type)
  %r = pdl.result 0 of %inner
  %outer = pdl.operation "ttir.{outer}"(%r : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %outer {{ pdl.replace %outer with (%x : !pdl.value) }}
}}
"""


LOOP = """pdl.pattern @again : benefit(1) {
  %t = pdl.type
  %a = pdl.attribute = "word"
  %x = pdl.operand
  %op = pdl.operation "ttir.abs"(%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %op { %new = pdl.operation "ttir.abs"(%x : !pdl.value) -> (%t : !pdl.type)
    pdl.replace %op with %new }
}
"""
"""A pattern that matches what it makes."""


def chain(*ops: str, dtype: str = "f32") -> str:
    """A function of unary ops, one after the other."""
    t = f"tensor<32x64x{dtype}>"
    lines = [f'  %{i + 1} = "ttir.{op}"(%{i}) : ({t}) -> {t}' for i, op in enumerate(ops)]
    return "\n".join([f"func.func @f(%0: {t}) -> {t} {{", *lines, f"  return %{len(ops)} : {t}", "}"])


def apply(folder: Path, name: str, text: str, model: str, *, verify: bool = False, device: str | None = None) -> str:
    """The model's text after the patterns of a file."""
    file = folder / name
    file.write_text(text)
    with new_context(), ir.Location.unknown():
        module = parse(model)
        if device is not None:
            AttachSystemDesc(system_desc=device).run(module)
        ApplyPatterns(file=file, verify=verify).run(module)
        module.operation.verify()
        return print_module(module)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.py", DOUBLE_NEGATION),
        ("p.mlir", PDL.format(name="p", attributes="ttstack.keeps_values", inner="neg", outer="neg")),
    ],
)
@pytest.mark.parametrize("verify", [False, True])
def test_a_pattern_is_applied_until_it_matches_no_more(tmp_path: Path, name: str, text: str, verify: bool):
    left = apply(tmp_path, name, text, chain("neg", "neg", "abs", "neg", "neg", "neg"), verify=verify)
    assert left.count("ttir.neg") == 1
    assert left.count("ttir.abs") == 1


def test_ops_of_optional_operands_and_attributes_have_views(tmp_path: Path):
    text = (
        HEAD
        + """@pattern()
def scale(op: views.Matmul):
    if op.transpose_b or not op.is_read_once or op.result_type.rank != 2:
        return None
    return ttir.linear(op.a, ttir.transpose(op.b, dim0=0, dim1=1), transpose_b=True)
"""
    )
    model = """func.func @f(%0: tensor<32x64xf32>, %1: tensor<64x96xf32>) -> tensor<32x96xf32> {
  %2 = "ttir.matmul"(%0, %1) : (tensor<32x64xf32>, tensor<64x96xf32>) -> tensor<32x96xf32>
  return %2 : tensor<32x96xf32>
}"""
    left = apply(tmp_path, "p.py", text, model)
    assert "ttir.matmul" not in left
    assert "transpose_b = true" in left


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize(("op", "other"), [("sigmoid", "tanh"), ("gelu", "relu"), ("sqrt", "abs")])
def test_a_pattern_that_changes_values_is_caught(tmp_path: Path, dtype: str, op: str, other: str):
    text = (
        HEAD
        + f"@pattern(keeps_values=True)\ndef wrong(op: views.{op.capitalize()}):\n    return ttir.{other}(op.input)\n"
    )
    with pytest.raises(PatternError, match=f"'wrong' changes values of ttir.{op}") as caught:
        apply(tmp_path, "p.py", text, chain("exp", op, dtype=dtype), verify=True)
    assert f"{tmp_path / 'p.py'}:4" in str(caught.value)
    assert f"ttir.{other}" in apply(tmp_path, "p.py", text, chain(op, dtype=dtype))


def test_a_wrong_pattern_in_pdl_is_caught(tmp_path: Path):
    text = PDL.format(name="no_inverse", attributes="ttstack.keeps_values", inner="abs", outer="neg")
    with pytest.raises(PatternError, match="'no_inverse' changes values"):
        apply(tmp_path, "p.mlir", text, chain("abs", "neg"), verify=True)


def test_values_that_come_from_constants_are_tested_with_them(tmp_path: Path):
    """`x / 2` is `x * 0.5` for this constant alone."""
    text = (
        HEAD
        + """@pattern(keeps_values=True)
def halve(op: views.Div):
    if scalar(op.rhs) == 2.0:
        type = read_type(op.rhs.type)
        return ttir.multiply(op.lhs, ttir.full(shape=type.shape, fill_value=0.5, result=type))
"""
    )
    model = """func.func @f(%0: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %1 = "ttir.full"() <{shape = array<i32: 1, 1>, fill_value = 2.0 : f32}> : () -> tensor<1x1xf32>
  %2 = "ttir.div"(%0, %1) : (tensor<32x64xf32>, tensor<1x1xf32>) -> tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}"""
    assert "ttir.multiply" in apply(tmp_path, "p.py", text, model, verify=True)


def test_a_pattern_that_is_not_faster_is_not_used(tmp_path: Path):
    slower = (
        HEAD
        + """@pattern(if_faster=True)
def twice(op: views.Relu):
    return ttir.relu(ttir.abs(ttir.exp(op.input)))
"""
    )
    model = chain("relu")
    assert "ttir.exp" not in apply(tmp_path, "p.py", slower, model, device="wormhole")
    faster = PDL.format(name="p", attributes="ttstack.if_faster", inner="neg", outer="neg")
    assert "ttir.neg" not in apply(tmp_path, "p.mlir", faster, chain("neg", "neg"), device="wormhole")


def test_a_pattern_for_where_it_is_faster_needs_a_device(tmp_path: Path):
    text = PDL.format(name="p", attributes="ttstack.if_faster", inner="neg", outer="neg")
    with pytest.raises(PatternError, match="needs a device"):
        apply(tmp_path, "p.mlir", text, chain("neg", "neg"))


def test_invalid_ir_names_the_pattern(tmp_path: Path):
    text = LOOP.replace('%new = pdl.operation "ttir.abs"(%x :', '%new = pdl.operation "ttir.transpose"(%x :')
    with pytest.raises(InvalidIRError, match=r"pattern 'again' \(.*p.mlir:1\) left invalid IR"):
        apply(tmp_path, "p.mlir", text, chain("abs"))


def test_what_others_read_does_not_count_as_gone(tmp_path: Path):
    """The inner op stays, so that nothing is gained: two ops before, two ops after."""
    text = (
        HEAD
        + """@pattern(if_faster=True)
def merge(op: views.Exp):
    inner = views.Neg.of(op.input)
    return inner and ttir.reciprocal(ttir.exp(inner.input))
"""
    )
    t = "tensor<32x64xf32>"
    model = f"""func.func @f(%0: {t}) -> ({t}, {t}) {{
  %1 = "ttir.neg"(%0) : ({t}) -> {t}
  %2 = "ttir.exp"(%1) : ({t}) -> {t}
  return %1, %2 : {t}, {t}
}}"""
    assert "ttir.reciprocal" not in apply(tmp_path, "p.py", text, model, device="wormhole")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("p.py", "", "has no patterns"),
        ("p.mlir", "", "has no patterns"),
        ("p.txt", "", "is not a file of patterns"),
        ("p.py", "import nothing_of_this_name", r"does not run: ModuleNotFoundError.*\n  --> .*p.py:1"),
        ("p.py", "def f(:", r"does not run: SyntaxError.*\n  --> .*p.py:1"),
        ("p.py", HEAD + "@pattern()\ndef f(op: views.Ngg):\n    return None", "there is no op Ngg"),
        ("p.py", HEAD + "@pattern()\ndef f(op):\n    return None", "does not name the op that it replaces"),
        ("p.py", HEAD + "@pattern()\ndef f(op: views.Abs):\n    return op.inptu", "did you mean 'input'.*\n  --> .*:6"),
        ("p.py", HEAD + "@pattern()\ndef f(op: views.Abs):\n    return ttir.absolute(op.input)", "no op 'absolute'"),
        (
            "p.py",
            HEAD + "@pattern()\ndef f(op: views.Abs):\n    return ttir.transpose(op.input, dim0=0, dim1=1)",
            "replaces tensor<32x64xf32> by tensor<64x32xf32>",
        ),
        ("p.py", HEAD + "@pattern()\ndef f(op: views.Abs):\n    return ttir.abs(op.input)", "without end"),
        ("p.py", HEAD + "@pattern\ndef f(op: views.Abs):\n    return 42", "returns a int"),
        ("p.py", HEAD + "@pattern\ndef f(op: views.Abs):\n    return op", "returns a Abs"),
        ("p.py", HEAD + "@pattern\ndef f(op: views.Abs):\n    raise SystemExit", "failed: SystemExit"),
        ("p.py", HEAD + "@pattern(benefit=-3)\ndef f(op: views.Abs):\n    return None", "has benefit -3"),
        (
            "p.py",
            HEAD + "@pattern\ndef f(op: views.Abs):\n    return ttir.negg(op.input)",
            "no op 'negg'; did you mean 'neg'",
        ),
        (
            "p.py",
            HEAD
            + "@pattern\ndef f(op: views.Abs):\n    return None\n\n\n@pattern\ndef f(op: views.Exp):\n    return None",
            "patterns of one name",
        ),
        ("p.mlir", LOOP, "matches what it makes, without end"),
        (
            "p.mlir",
            LOOP.replace("{ ", 'with "mine"(%x : !pdl.value) #', 1).partition("#")[0] + "}",
            "pdl.rewrite cannot call functions",
        ),
        (
            "p.mlir",
            LOOP.replace("benefit(1)", "benefit(1) attributes {ttstack.keep_values}"),
            "did you mean 'ttstack.keeps_values'",
        ),
        (
            "p.mlir",
            LOOP.replace('abs"(%x : !pdl.value)', 'abs"(%x : !pdl.value) {"fast" = %a}', 1),
            "no attribute 'fast'",
        ),
        (
            "p.mlir",
            LOOP.replace(
                "%x = pdl.operand",
                '%x = pdl.operand\n  pdl.apply_native_constraint "has_rank"(%x, %a : !pdl.value, !pdl.attribute)',
            ),
            "asks has_rank wrongly",
        ),
        ("p.mlir", "pdl.pattern", "cannot read the patterns"),
        (
            "p.mlir",
            PDL.format(name="p", attributes="", inner="negg", outer="abs"),
            "no op 'ttir.negg'; did you mean 'neg'",
        ),
        ("p.mlir", "func.func private @f()", "func.func is not a pdl.pattern"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, name: str, text: str, said: str):
    with pytest.raises((PatternError, InvalidIRError), match=said):
        apply(tmp_path, name, text, chain("abs"))


def test_all_faults_of_a_file_in_pdl_are_said_together(tmp_path: Path):
    text = PDL.format(name="p", attributes="", inner="negg", outer="abss").replace(
        "  pdl.rewrite %outer {", '  pdl.apply_native_constraint "has_one_user"(%x : !pdl.value)\n  pdl.rewrite {'
    )
    with pytest.raises(PatternError) as caught:
        apply(tmp_path, "p.mlir", text, chain("abs"))
    assert len(caught.value.diagnostic.notes) == 4
    assert "did you mean 'has_one_use'?" in str(caught.value)


def test_patterns_that_undo_each_other_are_refused(tmp_path: Path):
    text = (
        HEAD
        + """@pattern()
def there(op: views.Sqrt):
    return ttir.exp(op.input)


@pattern()
def back(op: views.Exp):
    return ttir.sqrt(op.input)
"""
    )
    with pytest.raises(PatternError, match="there, back"):
        apply(tmp_path, "p.py", text, chain("sqrt"))


def test_a_program_says_that_it_was_compiled_with_patterns(tmp_path: Path):
    file = tmp_path / "p.py"
    file.write_text(DOUBLE_NEGATION)
    model = chain("neg", "neg", "abs")
    program = ttstack.compile(model, patterns=file)
    assert [op.name for op in program.cost().ops] == ["abs"]
    program.save(tmp_path / "p.ttb")
    loaded = ttstack.load(tmp_path / "p.ttb")
    with pytest.raises(BinaryFormatError, match="compiled with patterns of a user's own"):
        loaded.recompile(model)
    assert [op.name for op in loaded.recompile(model, patterns=[file]).cost().ops] == ["abs"]


def test_passes_go_where_they_are_put(tmp_path: Path):
    file = tmp_path / "p.py"
    file.write_text(DOUBLE_NEGATION)
    own = f"apply-patterns{{file={file}}}"
    program = ttstack.compile(
        chain("neg", "neg", "abs"), passes={"after:fuse": [own, "cse"], "before:dispatch": ApplyPatterns(file=file)}
    )
    assert f"fuse,{own},cse," in program.binary.pipeline
    assert f"{own},dispatch" in program.binary.pipeline
    with pytest.raises(PassOptionError, match="did you mean 'fuse'") as caught:
        ttstack.compile(chain("abs"), passes=["after:fusee=cse", "fuse=cse"])
    assert len(caught.value.diagnostic.notes) == 2


def test_a_pipeline_replaces_all_passes():
    with pytest.raises(InvalidIRError, match="no addresses after the pipeline"):
        ttstack.compile(chain("abs"), pipeline="canonicalize")
    whole = ttstack.compile(chain("abs"), pipeline="lower")
    assert [op.name for op in whole.cost().ops] == ["abs"]
    assert "simplify" not in whole.binary.pipeline


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("op.input.owner.erase()", "may not erase an op"),
        ("op.operation.erase()", "may not erase an op"),
        ("op.operation.detach_from_parent()", "may not detach an op"),
        ("op.operation.move_before(op.input.owner)", "may not move an op"),
        ("return ttir.clamp_scalar(op.input, minimum=0.0)", "has no attribute 'minimum'; it has min, max, result"),
        ("return ttir.clamp_scalar(op.input, mn=0.0)", "has no attribute 'mn'; did you mean 'min'?"),
    ],
)
def test_what_a_pattern_may_not_do_is_said_at_its_line(tmp_path: Path, change: str, said: str):
    text = f"{HEAD}@pattern\ndef own(op: views.Neg):\n    {change}\n"
    with pytest.raises(PatternError, match=said) as caught:
        apply(tmp_path, "own.py", text, chain("neg", "neg"))
    assert caught.value.diagnostic.loc == f"{tmp_path / 'own.py'}:6"


@pytest.mark.parametrize("returned", ["None", "op.input"])
def test_what_a_pattern_builds_in_vain_goes(tmp_path: Path, returned: str):
    text = f"{HEAD}@pattern\ndef own(op: views.Neg):\n    ttir.abs(ttir.exp(op.input))\n    return {returned}\n"
    found = apply(tmp_path, "own.py", text, chain("neg", "tanh"))
    assert "ttir.exp" not in found
    assert "ttir.abs" not in found
    assert ("ttir.neg" in found) == (returned == "None")


@pytest.mark.parametrize("dtype", ["bf16", "f16", "f32"])
def test_what_rounding_would_hide_is_caught(tmp_path: Path, dtype: str):
    text = f"""{HEAD}@pattern(keeps_values=True)
def scaled(op: views.Neg):
    type = read_type(op.input.type)
    return ttir.multiply(op.input, ttir.full(shape=type.shape, fill_value=-1.02, result=type))
"""
    with pytest.raises(PatternError, match=r"changes values of ttir\.neg"):
        apply(tmp_path, "own.py", text, chain("exp", "neg", dtype=dtype), verify=True)
    exact = text.replace("-1.02", "-1.0")
    assert "ttir.neg" not in apply(tmp_path, "own.py", exact, chain("exp", "neg", dtype=dtype), verify=True)


def test_a_cast_that_rounds_is_still_compared_in_its_own_format(tmp_path: Path):
    """Widened, both casts are none: that they round shows in the model's own types alone."""
    text = f"{HEAD}@pattern(keeps_values=True)\ndef no_cast(op: views.Typecast):\n    inner = views.Typecast.of(op.input)\n"
    text += "    return inner and inner.input\n"
    f, b = "tensor<32x64xf32>", "tensor<32x64xbf16>"
    model = f"""func.func @f(%0: {f}) -> {f} {{
  %1 = "ttir.typecast"(%0) : ({f}) -> {b}
  %2 = "ttir.typecast"(%1) : ({b}) -> {f}
  return %2 : {f}
}}"""
    with pytest.raises(PatternError, match=r"changes values of ttir\.typecast"):
        apply(tmp_path, "own.py", text, model, verify=True)


@pytest.mark.parametrize("right", [True, False])
def test_integers_are_compared_exactly(tmp_path: Path, right: bool):
    text = DOUBLE_NEGATION if right else DOUBLE_NEGATION.replace("inner.input", "ttir.neg(inner.input)")
    if right:
        assert "ttir.neg" not in apply(tmp_path, "p.py", text, chain("neg", "neg", dtype="i32"), verify=True)
        return
    with pytest.raises(PatternError, match=r"changes values of ttir\.neg"):
        apply(tmp_path, "p.py", text, chain("neg", "neg", dtype="i32"), verify=True)


def test_values_that_differ_are_said_with_their_inputs(tmp_path: Path):
    text = HEAD + "@pattern(keeps_values=True)\ndef half(op: views.Exp):\n    return ttir.expm1(op.input)\n"
    with pytest.raises(PatternError, match=r"standard deviation [\d.]+, \S+ became \S+"):
        apply(tmp_path, "p.py", text, chain("exp"), verify=True)


KEEPS = (
    HEAD
    + """KEPT = []


@pattern
def keep(op: views.Neg):
    KEPT.append(op.first_result)
    print("kept")
    return ttir.abs(op.input)


@pattern
def use(op: views.Relu):
    return ttir.gelu(KEPT[0]) if KEPT else None
"""
)


@pytest.mark.usefixtures("as_users_read")
def test_a_pattern_that_ends_its_process_is_named(tmp_path: Path):
    with pytest.raises(PatternError, match=r"patterns of '.*p.py' ended the process.*\n.*note: pattern 'use' at"):
        apply(tmp_path, "p.py", KEEPS, chain("neg", "relu"))


@pytest.mark.usefixtures("as_users_read")
def test_patterns_in_a_child_rewrite_and_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text = DOUBLE_NEGATION.replace("    return", "    print('seen')\n    return")
    assert "ttir.neg" not in apply(tmp_path, "p.py", text, chain("neg", "abs", "neg", "neg").replace("abs", "neg"))
    assert "seen" in capsys.readouterr().out


RELUS = PDL.format(name="p", attributes="ttstack.keeps_values", inner="relu", outer="relu")
REPLACE = "pdl.replace %outer with (%x : !pdl.value)"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"ttir.relu"(%x', '"relu"(%x', "there is no op 'relu'; write ttir.relu"),
        ("(%x : !pdl.value) ->", "(%x, %x : !pdl.value, !pdl.value) ->", "ttir.relu is given 2 operands, and takes 1"),
        (REPLACE, "pdl.replace %outer with (%x, %x : !pdl.value, !pdl.value)", "2 values replace an op of 1 result"),
        (REPLACE, f"{REPLACE}\n pdl.erase %outer", "replaced or erased twice"),
        (REPLACE, "pdl.erase %outer", "write `pdl.replace`"),
        (
            "%inner =",
            '%n = pdl.attribute = 1.5 : f32\n pdl.apply_native_constraint "has_rank"(%x, %n : !pdl.value, !pdl.attribute)\n %inner =',
            "asks has_rank wrongly",
        ),
    ],
)
def test_what_would_never_match_in_pdl_is_said(tmp_path: Path, old: str, new: str, said: str):
    assert old in RELUS
    with pytest.raises(PatternError, match=said):
        apply(tmp_path, "p.mlir", RELUS.replace(old, new, 1), chain("relu", "relu"))


def test_an_op_that_others_read_cannot_be_erased(tmp_path: Path):
    model = chain("relu", "relu").replace(
        "return %2 : tensor<32x64xf32>", "return %2, %1 : tensor<32x64xf32>, tensor<32x64xf32>"
    )
    model = model.replace("-> tensor<32x64xf32> {", "-> (tensor<32x64xf32>, tensor<32x64xf32>) {")
    text = RELUS.replace(REPLACE, f"pdl.erase %inner\n {REPLACE}")
    with pytest.raises(InvalidIRError, match=r"pattern 'p' \(.*p.mlir:1\) left invalid IR"):
        apply(tmp_path, "p.mlir", text, model, verify=True)


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("op.first_result", "returns a result of the op that it replaces"),
        ("ttir.neg(op.first_result)", "builds ttir.neg of a result of the op that it replaces"),
        ("ttir.neg(op)", "operand 0 of ttir.neg is a Abs, no value such as"),
        ("ttir.multiply(op.input, 2.0)", "operand 1 of ttir.multiply is a float, no value such as"),
        ("ttir.multiply(op.input)", r"ttir.multiply\(\) on 1 operands: requires operand 'rhs'"),
        ("ttir.typecast(op.input, result='f32')", "result='f32' of ttir.typecast is not a type such as"),
        ("ttir.softmax(op.input, dimension='last')", r"ttir.softmax\(dimension='last'\) on 1 operands: '<='"),
        ("ttir.full(shape=(32, 64), fill_value=1.0)", "needs the type of result 0; result= gives its type"),
        ("op.first_reslt", "has no operand or attribute 'first_reslt'; did you mean 'first_result'"),
        ("op.nothing", r"it has input, as all views .*\bfirst_result\b.*\bresults\b"),
    ],
)
def test_what_a_function_does_wrong_is_said_of_its_op(tmp_path: Path, returned: str, said: str):
    text = f"{HEAD}@pattern\ndef p(op: views.Abs):\n    return {returned}\n"
    with pytest.raises(PatternError, match=said) as caught:
        apply(tmp_path, "p.py", text, chain("exp", "abs"))
    assert str(tmp_path / "p.py") in str(caught.value.diagnostic.loc)
