"""Embedding tables to Tensor-Train form: found in every spelling, replaced where it pays, values kept."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import ttstack
from tests.ops.test_tensor_train import CORES, train
from tests.placement.test_overrides import ALIASES
from ttstack.compiler import compile_module
from ttstack.diagnostics import InvalidIRError, PassOptionError
from ttstack.dialects.context import new_context
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.options.model import CompileOptions
from ttstack.options.tensor_train import load_rules
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.records import Binary
from ttstack_runtime.executor import execute

ROWS, WIDTH = 2000, 16
TABLE = f"tensor<{ROWS}x{WIDTH}xf32>"
OUT = f"tensor<6x{WIDTH}xf32>"
SETTINGS = "rel_error=0.01,min_rows=100,max_slowdown=100"


def smooth(rows: int = ROWS, width: int = WIDTH) -> np.ndarray:
    """A sine along rows, with a phase for each column: ranks of 2."""
    return np.sin(0.01 * np.arange(rows)[:, None] + np.arange(width)).astype(np.float32)


def noise(rows: int = ROWS, width: int = WIDTH) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((rows, width)).astype(np.float32)


def parameter(name: str, argument: str = "%t", kind: str = TABLE) -> str:
    return f'{argument}: {kind} {{tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "{name}"}}'


def function(arguments: str, body: str, result: str = OUT) -> str:
    return f"func.func @f({arguments}, {parameter('table')}) -> {result} {{\n{body}\n  return %y : {result}\n}}"


def compiled(text: str, weights: Mapping[str, np.ndarray], settings: str = SETTINGS, **options: object) -> Binary:
    with new_context(), ir.Location.unknown():
        return compile_module(
            parse(text), CompileOptions.of({"tensor_train": settings or None, **options}), weights=weights
        ).binary


def record(binary: Binary, name: str = "table") -> EmbeddingTableReport:
    return next(r for r in binary.tables if r.table == name)


IDS = np.array([0, 7, 1999, 7, 1234, 5])
PLAIN = function("%i: tensor<6xi64>", f'%y = "ttir.embedding"(%i, %t) : (tensor<6xi64>, {TABLE}) -> {OUT}')
LOOKUPS = {
    "embedding": (PLAIN, {"arg0": IDS}),
    "bags by offsets": (
        function(
            "%i: tensor<9xi64>, %o: tensor<6xi64>",
            f'%y = "ttir.embedding_bag"(%i, %t, %o) {{mode = "mean", padding_idx = 7 : i64}} '
            f": (tensor<9xi64>, {TABLE}, tensor<6xi64>) -> {OUT}",
        ),
        {"arg0": np.array([3, 7, 8, 7, 7, 1, 2, 3, 4]), "arg1": np.array([0, 2, 2, 3, 5, 6])},
    ),
    "bags in rows, weighted": (
        function(
            "%i: tensor<6x3xi64>, %w: tensor<6x3xf32>",
            f'%y = "ttir.embedding_bag"(%i, %t, %w) {{operandSegmentSizes = array<i32: 1, 1, 0, 1>}} '
            f": (tensor<6x3xi64>, {TABLE}, tensor<6x3xf32>) -> {OUT}",
        ),
        {"arg0": np.arange(18).reshape(6, 3), "arg1": np.linspace(-1, 1, 18, dtype=np.float32).reshape(6, 3)},
    ),
    "largest in bags": (
        function(
            "%i: tensor<6x3xi64>",
            f'%y = "ttir.embedding_bag"(%i, %t) {{mode = "max"}} : (tensor<6x3xi64>, {TABLE}) -> {OUT}',
        ),
        {"arg0": np.arange(18).reshape(6, 3)},
    ),
    "one-hot product": (
        function(
            "%i: tensor<6x1xi32>",
            f'%c = "ttir.arange"() {{start = 0 : si64, end = {ROWS} : si64, step = 1 : si64, '
            f"arange_dimension = 1 : i64}} : () -> tensor<1x{ROWS}xi32>\n"
            f'%h = "ttir.eq"(%i, %c) : (tensor<6x1xi32>, tensor<1x{ROWS}xi32>) -> tensor<6x{ROWS}xi1>\n'
            f'%k = "ttir.typecast"(%h) : (tensor<6x{ROWS}xi1>) -> tensor<6x{ROWS}xf32>\n'
            f'%y = "ttir.matmul"(%k, %t) : (tensor<6x{ROWS}xf32>, {TABLE}) -> {OUT}',
        ),
        {"arg0": IDS[:, None].astype(np.int32)},
    ),
    "gather of rows": (
        function(
            "%i: tensor<6x1xi64>",
            f'%b = "ttir.broadcast"(%i) {{broadcast_dimensions = array<i64: 1, {WIDTH}>}} '
            f": (tensor<6x1xi64>) -> tensor<6x{WIDTH}xi64>\n"
            f'%y = "ttir.gather"(%t, %b) {{dim = 0 : i32}} : ({TABLE}, tensor<6x{WIDTH}xi64>) -> {OUT}',
        ),
        {"arg0": IDS[:, None]},
    ),
}


@pytest.mark.parametrize("spelling", LOOKUPS)
def test_a_table_that_compresses_is_replaced_however_it_is_read(spelling: str):
    text, inputs = LOOKUPS[spelling]
    dense, compressed = compiled(text, {"table": smooth()}, ""), compiled(text, {"table": smooth()})
    found = record(compressed)
    assert found.replaced, found.reason
    assert found.rel_error is not None
    assert found.rel_error <= 0.01
    assert "table" not in compressed.weights
    assert sum(w.type.nbytes for n, w in compressed.weights.items() if "core" in n) == found.bytes_after
    (y,), (expected,) = execute(compressed, inputs).values(), execute(dense, inputs).values()
    assert np.linalg.norm(y - expected) <= 0.03 * np.linalg.norm(expected)


def test_a_program_says_in_files_and_reports_what_became_of_its_tables(tmp_path: Path):
    program = ttstack.Program(compiled(PLAIN, {"table": smooth()}))
    program.save(tmp_path / "f.ttb")
    loaded = ttstack.load(tmp_path / "f.ttb")
    assert loaded.cost().tables == program.binary.tables
    (table,) = loaded.cost().to_dict()["tables"]
    assert table["bytes_before"] == ROWS * WIDTH * 4
    assert table["bytes_after"] < table["bytes_before"] / 2
    assert table["ns_before"] > 0
    assert "2,000 x 16" in str(loaded.cost())


KEPT = [
    ("noise", SETTINGS, "more than half of the 40,000 of int8 rows"),
    ("smooth", "rel_error=0.01", "has 2,000 rows, fewer than min_rows 100,000"),
    ("smooth", "min_rows=100,max_slowdown=0.01", "times as long, more than max_slowdown 0.01"),
    ("smooth", "min_rows=100,max_bytes=64", "has no Tensor-Train form in 64 bytes"),
    ("noise", "min_rows=100,ranks=2,max_slowdown=100", "of the table, more than 0.05"),
    ("described", SETTINGS, "was only described: without values it can be planned by ranks or max_bytes alone"),
]


@pytest.mark.parametrize(("values", "settings", "reason"), KEPT)
def test_a_table_that_does_not_pass_stays_and_says_why(values: str, settings: str, reason: str):
    weights = {} if values == "described" else {"table": {"noise": noise, "smooth": smooth}[values]()}
    binary = compiled(PLAIN, weights, settings, without="split-float32-tables")
    assert not record(binary).replaced
    assert reason in record(binary).reason
    assert "table" in binary.weights
    assert [op.name for op in binary.functions[0].operations] == ["embedding"]


def test_a_table_that_was_only_described_is_planned_by_its_ranks():
    binary = compiled(PLAIN, {}, "ranks=4x4,min_rows=100,max_slowdown=100")
    assert record(binary).replaced
    assert record(binary).rel_error is None
    assert "its error is unknown" in record(binary).reason
    assert all(w.data is None for n, w in binary.weights.items() if "core" in n)


@pytest.mark.parametrize(("rank", "padded"), [(4, True), (32, False)])
def test_columns_are_factored_for_tiles_and_padding_of_ranks_counts(rank: int, padded: bool):
    text = PLAIN.replace(TABLE, "tensor<32768x64xf32>").replace(OUT, "tensor<6x64xf32>")
    found = record(compiled(text, {}, f"ranks={rank}x{rank},min_rows=100,max_slowdown=100"))
    assert found.column_factors is not None
    assert found.column_factors[-1] == 32
    assert ((found.device_bytes or 0) > (found.bytes_after or 0)) is padded


TIED = f"""func.func @f(%i: tensor<6xi64>, %x: {OUT}, {parameter("table")}) -> ({OUT}, tensor<6x{ROWS}xf32>) {{
  %a = "ttir.embedding"(%i, %t) : (tensor<6xi64>, {TABLE}) -> {OUT}
  %b = "ttir.matmul"(%x, %t) {{transpose_b = true}} : ({OUT}, {TABLE}) -> tensor<6x{ROWS}xf32>
  return %a, %b : {OUT}, tensor<6x{ROWS}xf32>
}}"""


def test_a_table_that_something_else_reads_stays():
    assert "is also read by 'ttir.matmul'" in record(compiled(TIED, {"table": smooth()})).reason


def test_functions_that_share_a_table_share_its_cores():
    other = PLAIN.replace("@f", "@g").replace("6x", "6x")
    binary = compiled(f"{PLAIN}\n{other}", {"table": smooth()})
    assert [len(f.arguments) for f in binary.functions] == [1, 1]
    assert sorted(binary.weights) == [f"table.core{k}" for k in range(len(record(binary).row_factors or ()))]
    assert record(binary).lookups == 2


YAML = """
rel_error: 0.01
min_rows: 100
max_slowdown: 100
tables:
  keep*: false
  t?ble: {ranks: [4, 4], rel_error: 0.5}
"""


def test_a_file_says_it_table_by_table(tmp_path: Path):
    (tmp_path / "tables.yaml").write_text(YAML)
    text = PLAIN.replace(") ->", f", {parameter('keep.me', '%k')}) ->", 1).replace(
        "  return", f'  %z = "ttir.embedding"(%i, %k) : (tensor<6xi64>, {TABLE}) -> {OUT}\n  return'
    )
    text = (
        text.replace("return %y", "return %y, %z")
        .replace(f"-> {OUT} {{", f"-> ({OUT}, {OUT}) {{")
        .replace(f"return %y, %z : {OUT}", f"return %y, %z : {OUT}, {OUT}")
    )
    binary = compiled(text, {"table": smooth(), "keep.me": smooth()}, str(tmp_path / "tables.yaml"))
    assert record(binary).ranks == (4, 4)
    assert record(binary, "keep.me").reason == "the settings leave it alone"


def test_rows_that_stand_for_pairs_compress_by_their_factors():
    rng = np.random.default_rng(0)
    pairs = rng.standard_normal((25, 1, 1)) + rng.standard_normal((1, ROWS // 25, WIDTH))
    weights = {"table": pairs.reshape(ROWS, WIDTH).astype(np.float32)}
    found = record(compiled(PLAIN, weights, f"{SETTINGS},row_factors=25x{ROWS // 25}"))
    assert found.replaced, found.reason
    assert found.row_factors == (25, ROWS // 25)


FAULTS = [
    (
        "rel_error: 2\ntables: {a: {rank: 3}, b: 7}",
        [
            "tables.yaml:1: rel_error: Input should be less than 1",
            "tables.yaml:2: tables.a.rank: no such setting",
            "tables.yaml:2: tables.b: 7 is neither",
        ],
    ),
    ("tables: {nothing*: false}", ["no table is called 'nothing*'"]),
    ("- 1", []),
    ("a: [", []),
]


@pytest.mark.parametrize(("content", "notes"), FAULTS)
def test_faults_of_a_file_come_together(tmp_path: Path, content: str, notes: list[str]):
    (tmp_path / "tables.yaml").write_text(content)
    with pytest.raises(PassOptionError) as refused:
        compiled(PLAIN, {}, str(tmp_path / "tables.yaml"))
    for note in notes:
        assert any(note in n for n in refused.value.diagnostic.notes), refused.value


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"tables":' * 100_000, "nested too deeply"),
        (b"min_rows: " + b"9" * 5000, "cannot read"),
        (b"min_rows: !!int ''", "cannot read"),
        (b"\xff", "cannot read"),
        (b"!!python/object/apply:os.getcwd []", "cannot read"),
        (ALIASES.encode(), "values are repeated"),
    ],
)
def test_files_of_strangers_are_refused(tmp_path: Path, content: bytes, why: str):
    (tmp_path / "tables.yaml").write_bytes(content)
    with pytest.raises(PassOptionError, match=why):
        load_rules(tmp_path / "tables.yaml")


OPTIONS = [
    "rel_error=x",
    "rank=3",
    "ranks=4y",
    "min_rows=0",
    "row_factors=7",
    "max_bytes=4,ranks=4",
    "nowhere.yaml",
    "max_bytes=4 gallons",
    "",
    " ",
]


@pytest.mark.parametrize("text", OPTIONS)
def test_wrong_options_are_refused(text: str):
    with pytest.raises(PassOptionError):
        ttstack.compile(PLAIN, tensor_train=text)


DECOMPOSED = (
    '%c:3 = "ttir.tensor_train_decompose"(%t) {{{0}}} : (tensor<499x16xf32>) -> ({1})\n'
    '  %y = "ttir.tensor_train_embedding"(%i, %c#0, %c#1, %c#2) {{{0}}} : (tensor<6xi64>, {1}) -> tensor<6x16xf32>'
).format(train(), ", ".join(f"tensor<{core}>" for core in CORES))


def _decomposing(argument: str) -> str:
    return f"func.func @f(%i: tensor<6xi64>, {argument}) -> {OUT} {{\n  {DECOMPOSED}\n  return %y : {OUT}\n}}"


def test_a_decomposition_in_the_source_is_computed_by_the_compiler():
    table = smooth(499)
    text = _decomposing(parameter("table", kind="tensor<499x16xf32>"))
    binary = compiled(text, {"table": table}, "")
    assert sorted(binary.weights) == ["table.core0", "table.core1", "table.core2"]
    (y,) = execute(binary, {"arg0": IDS % 499}).values()
    np.testing.assert_allclose(y, table[IDS % 499], atol=0.05)
    assert all(w.data is None for w in compiled(text, {}, "").weights.values())


def test_a_decomposition_of_what_only_a_run_knows_is_refused():
    with pytest.raises(InvalidIRError, match="not known when the model is compiled"):
        compiled(_decomposing("%t: tensor<499x16xf32>"), {}, "")
