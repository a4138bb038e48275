"""One function for the step of a recurrence, called at each step."""

import re
from collections.abc import Sequence

import pytest

import ttstack
from tests.models.repeated import MODELS, PROGRAMS
from tests.ttnn_python.values import compare
from ttstack.compiled_program import Program
from ttstack.program.repeated_steps import repeated_steps
from ttstack.ttnn_python.counters import Counters
from ttstack.ttnn_python.expression import Name


@pytest.mark.parametrize("name", MODELS)
def test_each_step_is_one_function_that_gives_what_the_program_gives(name: str):
    program = PROGRAMS[name]()
    text = program.to_python()
    found = repeated_steps(program.function())
    assert len(found) == MODELS[name][1]
    defined = re.findall(r"^def (run_step\w*)\(", text, re.MULTILINE)
    assert len(defined) == len(found)
    loops = re.findall(r"^    for .* in (.*):\n        .* = (run_step\w*)\(device, t, ", text, re.MULTILINE)
    assert {step: len(list(eval(values))) for values, step in loops} == dict(
        zip(defined, [step.count for step in found], strict=True)
    )
    compared = compare(program)
    assert (compared.refused, compared.differences) == (0, [])


@pytest.mark.parametrize("name", MODELS)
def test_comments_number_all_ops_once(name: str):
    program = PROGRAMS[name]()
    text, ops = program.to_python(), program.cost().ops
    apart = {int(n) for line in re.findall(r"^    # ([\d, ]+) \w+: ", text, re.MULTILINE) for n in line.split(", ")}
    called = [(int(a), int(b)) for a, b in re.findall(r"^    # (\d+) to (\d+): ", text, re.MULTILINE)]
    within = {n for a, b in called for n in range(a, b + 1)}
    assert apart | within == set(range(len(ops)))
    for first, last, time in re.findall(r"^    # (\d+) to (\d+): ([\d.]+) µs", text, re.MULTILINE):
        total = sum(op.elapsed_ns for op in ops[int(first) : int(last) + 1])
        assert float(time) == pytest.approx(total / 1000, abs=0.06)


def test_where_a_step_cuts_its_input_is_what_the_loop_counts():
    text = PROGRAMS["lstm"]().to_python()
    (step,) = re.findall(r"^def run_step\(.*, n0\):\n(?:    .*\n)+", text, re.MULTILINE)
    assert len(re.findall(r"ttnn.slice\(\w+, \[n0, 0, 0\], \[n0 \+ 1, 2, 128\]", step)) == 1
    assert re.findall(
        r"^    for n0 in range\((\d, \d)\):\n.* = run_step\(device, t, .*, n0\)$", text, re.MULTILINE
    ) == ["1, 7"]


def test_the_state_goes_from_call_to_call_and_other_results_into_lists():
    text = PROGRAMS["linear attention"]().to_python()
    (loop,) = re.findall(
        r"^    (.*) = .*\n    (\w+) = \[\]\n    for n0 in .*:\n        (.*) = (.*)\n        (.*)\n", text, re.MULTILINE
    )
    state, listed, made, call, append = loop
    assert set(state.split(", ")) < set(made.split(", "))
    assert set(state.split(", ")) < set(re.findall(r"\w+", call))
    assert append == f"{listed}.append({listed.removeprefix('each_')})"
    assert [
        int(n)
        for n in re.findall(
            rf"{listed}\[(\d+)\]", text.partition(append)[2].partition("ttnn.concat")[2].partition(")")[0]
        )
    ]


def steps_on_inputs(names: Sequence[str]) -> Program:
    """A recurrence that takes an input of its own at each step."""
    t = "tensor<32x32xbf16>"
    lines, state = list[str](), "%h"
    for i, name in enumerate(names):
        lines += [
            f'%a{i} = "ttir.multiply"(%{name}, %w) : ({t}, {t}) -> {t} loc("step")',
            f'%b{i} = "ttir.cos"(%a{i}) : ({t}) -> {t} loc("step")',
            f'%c{i} = "ttir.subtract"({state}, %b{i}) : ({t}, {t}) -> {t} loc("step")',
        ]
        state = f"%c{i}"
    arguments = ", ".join(f'%{name}: {t} {{ttir.name = "{name}"}}' for name in ("h", "w", *names))
    body = "\n".join(lines)
    return ttstack.compile(f"func.func @f({arguments}) -> {t} {{\n{body}\nreturn {state} : {t}\n}}")


def test_a_loop_counts_inputs_that_have_numbers():
    program = steps_on_inputs([f"x{i}" for i in range(6)])
    text = program.to_python()
    assert re.findall(r"^    for layer in (.*):\n        \w+ = run_x\(device, t, layer, ", text, re.MULTILINE) == [
        "range(1, 6)"
    ]
    assert compare(program).differences == []


def test_numbers_with_zeros_before_them_are_part_of_a_name():
    program = steps_on_inputs([f"x{i:02}" for i in range(6)])
    assert "for layer in" not in program.to_python()
    assert compare(program).differences == []


def test_calls_that_take_other_tensors_each_stand_one_by_one():
    program = steps_on_inputs(["one", "two", "three", "four", "five", "six"])
    (step,) = repeated_steps(program.function())
    text = program.to_python()
    assert len(re.findall(r"^    \w+ = run_step\(device, t, ", text, re.MULTILINE)) == step.count
    assert "    for " not in text.partition("def forward(")[2].partition("\n\n\n")[0]
    assert compare(program).differences == []


def test_what_a_step_ends_is_not_used_after_it():
    """Names that are deallocated, in the function or after it, are named no more."""
    for name in MODELS:
        for body in re.findall(r"^def \w+\(device, t.*\n(?:    .*\n)+", PROGRAMS[name]().to_python(), re.MULTILINE):
            for ended in re.finditer(r"ttnn\.deallocate\((\w+)\)\n", body):
                assert not re.search(rf"\b{ended.group(1)}\b", body[ended.end() :]), (name, ended.group(1))


def test_integers_that_grow_alike_are_one_argument():
    counters = Counters([(7, 0, 32, 5), (7, 1, 33, 3), (7, 2, 34, 9)])
    assert counters.parameters == ("n0", "n1")
    assert counters.spelled == (7, Name("n0"), Name("n0 + 32"), Name("n1"))
    assert [counters.arguments(call) for call in range(3)] == [("0", "5"), ("1", "3"), ("2", "9")]
    assert Counters([(4, 9), (3, 8)]).spelled == (Name("n0"), Name("n0 + 5"))
    assert Counters([(9, 4), (8, 3)]).spelled == (Name("n0"), Name("n0 - 5"))
    assert Counters([(), ()]).parameters == ()


def test_weights_that_are_put_on_a_mesh_are_no_calls_of_a_step():
    """They are put there once, before all passes, though they repeat as calls of a step do."""
    kind = "ttcore.argument_type = #ttcore.argument_type<parameter>"
    way = "shard_direction = #ttcore.shard_direction<full_to_shard>, shard_type = #ttcore.shard_type<devices>"
    widths, arguments, loads, sums = (32, 64, 96), list[str](), list[str](), list[str]()
    for i in range(12):
        whole, part = f"tensor<64x{widths[i % 3]}xbf16>", f"tensor<32x{widths[i % 3]}xbf16>"
        arguments.append(f'%w{i}: {whole} {{{kind}, ttir.name = "w{i}"}}')
        dims = "shard_shape = array<i64: 2, 1>, shard_dims = array<i64: -1, 0>"
        loads.append(f'%s{i} = "ttir.mesh_shard"(%w{i}) <{{{dims}, {way}}}> : ({whole}) -> {part} loc("here")')
        sums.append(f'%r{i} = "ttir.sum"(%s{i}) <{{keep_dim = false}}> : ({part}) -> tensor<bf16> loc("there")')
    results = ", ".join(f"%r{i}" for i in range(12))
    types = ", ".join(["tensor<bf16>"] * 12)
    body = "\n".join([*loads, *sums])
    program = ttstack.compile(
        f"func.func @f({', '.join(arguments)}) -> ({types}) {{\n{body}\nreturn {results} : {types}\n}}",
        system_desc="n300",
    )
    found = repeated_steps(program.function())
    assert ["mesh_shard"] * 3 in [[op.name for op in program.function().operations[s.start :][:3]] for s in found]
    text = program.to_python()
    assert text.count("distribute_tensor(") == 12
    compile(text, "emitted.py", "exec")
