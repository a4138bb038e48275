from dataclasses import replace

import pytest

import ttstack
from ttstack.cost import predict_calls
from ttstack.diagnostics import InputError
from ttstack.program.records import Binary
from ttstack.report.build import build_report
from ttstack.report.report import Report


def test_views_and_ends_of_buffers_are_no_device_ops(report: Report) -> None:
    assert [op.name for op in report.ops] == ["matmul", "to_layout", "softmax"]
    assert [op.index for op in report.ops] == [0, 1, 2]


def test_every_op_costs_what_the_cost_model_says(binary: Binary, report: Report) -> None:
    (function,) = binary.functions
    launched = [op for op in function.operations if op.name in {"matmul", "to_layout", "softmax"}]
    for op, operation in zip(report.ops, launched, strict=True):
        cost = predict_calls(function.device_op(operation), binary.system_desc.chips[0])
        assert (op.kernel_ns, op.gap_ns, op.cores) == (cost.total_ns, cost.gap_ns, cost.cores)
        assert (op.terms, op.flops, op.dram_bytes) == (cost.terms, cost.flops, cost.dram_bytes)
        assert 0 < op.roofline_ns <= op.kernel_ns or op.dram_bytes == 0


def test_totals_are_kernels_and_gaps(report: Report) -> None:
    assert report.kernel_ns == pytest.approx(sum(op.kernel_ns for op in report.ops), rel=1e-12)
    assert report.gap_ns == pytest.approx(sum(op.gap_ns for op in report.ops), rel=1e-12)
    assert report.total_ns == report.kernel_ns + report.gap_ns


def test_shares_by_class_add_up_and_fall(report: Report) -> None:
    shares = report.shares()
    assert set(shares) == {"matmul", "layout", "reduction"}
    assert sum(shares.values()) == pytest.approx(1)
    assert list(shares.values()) == sorted(shares.values(), reverse=True)


def test_order(report: Report) -> None:
    times = [op.elapsed_ns for op in report.ordered("time")]
    assert times == sorted(times, reverse=True)
    assert [op.name for op in report.ordered("op")] == ["matmul", "softmax", "to_layout"]
    assert report.ordered() == list(report.ops)


def test_memory_peaks_come_from_addresses_and_circular_buffers(report: Report) -> None:
    kib, tile = 1024, 2048
    interleaved = 64 // 64 * tile
    shard = 1 * 16 * tile
    assert [op.l1_bytes for op in report.ops] == [
        100 * kib + interleaved,
        8 * kib + interleaved + shard,
        200 * kib + shard,
    ]
    l1 = report.memory["l1"]
    assert (l1.peak, l1.banks) == (200 * kib + shard, 64)
    assert (l1.peak_op, l1.peak_location) == ("softmax", "<text>, 15")
    dram_tiles = {"x": -(-32 // 12) * tile, "w": -(-128 // 12) * 1088, "probabilities": -(-64 // 12) * tile}
    assert report.memory["dram"].peak == 12 * sum(dram_tiles.values())


def test_addresses_span_at_least_the_peak(binary: Binary, report: Report) -> None:
    chip, kib, tile = binary.system_desc.chips[0], 1024, 2048
    l1 = report.memory["l1"]
    lowest = 512 * kib  # of "y", while "to_layout" and "matmul" run
    assert l1.span == max(chip.l1_end - lowest + 100 * kib, chip.l1_end - lowest - 256 * kib + 200 * kib)
    assert l1.span > l1.peak == 200 * kib + 16 * tile


def test_the_share_that_stays_is_of_what_neither_itself_nor_a_copy_is_in_dram(binary: Binary, report: Report) -> None:
    assert report.staying == 0.5, "of 'y' and 'probabilities' alike in size, 'rows' is a copy"
    (function,) = binary.functions
    rows = replace(function.tensors[4], layout=function.tensors[5].layout, address=5 << 20)
    spilled = replace(function, tensors=(*function.tensors[:4], rows, function.tensors[5]))
    assert build_report(replace(binary, functions=(spilled,))).staying == 0


def test_a_function_without_ops(empty: Report) -> None:
    assert (empty.total_ns, empty.ops, empty.shares()) == (0, (), {})


def test_functions_are_found_by_name(binary: Binary) -> None:
    (function,) = binary.functions
    two = replace(binary, functions=(function, replace(function, name="other")))
    assert build_report(two, "other").function == "other"
    with pytest.raises(InputError, match="must be named"):
        build_report(two)
    with pytest.raises(InputError, match="there is no function 'third'") as error:
        build_report(two, "third")
    assert "the program has forward, other" in str(error.value)
    assert "--function NAME" in str(error.value)


def test_each_memory_spans_what_lies_in_it() -> None:
    """An input and a result in DRAM, and between them a value in L1, which takes no DRAM."""
    t = "tensor<1024x1024xf32>"
    lines = [f'%{r} = "ttir.{op}"(%{x}) : ({t}) -> {t}' for x, op, r in (("x", "exp", "y"), ("y", "sigmoid", "z"))]
    text = "\n".join([f"func.func @f(%x: {t}) -> {t} {{", *lines, f"return %z : {t}", "}"])
    memory = ttstack.compile(text).cost().memory
    assert memory["dram"].span == memory["dram"].peak
    assert 0 < memory["l1"].span < memory["dram"].span


def test_what_the_librarys_own_choices_would_take_stands_beside_the_total(report: Report):
    run = report.library_default
    assert run is not None
    assert run.unknown == 0
    assert run.saved_share(report.total_ns) == 1 - report.total_ns / run.elapsed_ns
    (line,) = (line for line in str(report).splitlines() if line.startswith("gain"))
    assert line.split()[1] == f"{run.saved_share(report.total_ns):.1%}".removesuffix("%")
    said = report.to_dict()["library_default"]
    assert said["elapsed_ns"] == run.elapsed_ns
