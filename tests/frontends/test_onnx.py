"""ONNX files as a user has them: names, shapes, external data, control flow, and files that are wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, numpy_helper, parser

import ttstack
from ttstack.diagnostics import SourceError, UnsupportedOpError
from ttstack.frontends.onnx.load import OPSETS
from ttstack.frontends.source import import_model

WEIGHT = np.random.default_rng(0).normal(size=(64, 32)).astype(np.float32)


def parsed(inputs: str, nodes: str, *, initialisers: str = "", opset: int = 17, domains: str = "") -> ModelProto:
    header = f'<ir_version: 8, opset_import: ["" : {opset}{domains}]>'
    return parser.parse_model(f"{header} g ({inputs}) => (y) <{initialisers}> {{ {nodes} }}")


def linear(opset: int = 17) -> ModelProto:
    model = parsed("float[4,64] x", "h = MatMul(x, weight) \n y = Relu(h)", opset=opset)
    model.graph.initializer.append(numpy_helper.from_array(WEIGHT, "weight"))
    return model


def saved(model: ModelProto, path: Path, **external: Any) -> Path:
    onnx.save(model, path / "model.onnx", **external)
    return path / "model.onnx"


def run(path: Path, inputs: Any = None, **values: Any) -> np.ndarray[Any, Any]:
    (output,) = ttstack.compile(path, inputs).run({name: np.asarray(v) for name, v in values.items()}).outputs.values()
    return output


class TestModels:
    @pytest.mark.parametrize("opset", OPSETS)
    def test_every_operator_set(self, tmp_path: Path, opset: int):
        x = np.ones((4, 64), np.float32)
        np.testing.assert_allclose(run(saved(linear(opset), tmp_path), x=x), np.maximum(x @ WEIGHT, 0), rtol=1e-5)

    def test_names(self, tmp_path: Path):
        model = linear()
        model.graph.node[0].name = "layer/product"
        program = ttstack.compile(saved(model, tmp_path))
        assert list(program.inputs()) == ["x"]
        assert list(program.outputs()) == ["y"]
        assert "weight" in program.function().parameters
        assert "layer/product" in [op.location for op in program.cost().ops]

    def test_external_data(self, tmp_path: Path):
        path = saved(linear(), tmp_path, save_as_external_data=True, size_threshold=0, location="model.data")
        assert "model.data" in {p.name for p in tmp_path.iterdir()}
        x = np.ones((4, 64), np.float32)
        np.testing.assert_allclose(run(path, x=x), np.maximum(x @ WEIGHT, 0), rtol=1e-5)

    def test_weights_are_mapped_and_not_read(self, tmp_path: Path):
        with import_model(saved(linear(), tmp_path)) as found:
            (weight,) = found.weights.values()
            base: Any = weight
            while base is not None and not isinstance(base, np.memmap):
                base = base.base
            assert isinstance(base, np.memmap)
            np.testing.assert_array_equal(weight, WEIGHT)

    def test_a_shape_that_the_user_fixes(self, tmp_path: Path):
        path = saved(parsed("float[N,3] x", "y = Relu(x)"), tmp_path)
        assert run(path, {"x": (2, 3)}, x=-np.ones((2, 3), np.float32)).shape == (2, 3)
        with pytest.raises(SourceError, match="cannot be compiled as they are") as e:
            ttstack.compile(path)
        assert e.value.diagnostic.notes == ("input 'x' is Nx3",)

    @pytest.mark.parametrize(
        ("inputs", "note"),
        [
            ({"z": (2, 3)}, "there is no input 'z'"),
            ({"x": (2, 4)}, "input 'x' is Nx3 in the model, and given as 2x4"),
            ({"x": 3.5}, "input 'x' is given as 3.5, which is not a shape"),
        ],
    )
    def test_a_shape_that_does_not_fit(self, tmp_path: Path, inputs: Any, note: str):
        path = saved(parsed("float[N,3] x", "y = Relu(x)"), tmp_path)
        with pytest.raises(SourceError) as e:
            ttstack.compile(path, inputs)
        assert note in e.value.diagnostic.notes

    def test_functions_of_the_model(self, tmp_path: Path):
        text = """<ir_version: 8, opset_import: ["" : 17, "mine" : 1]> g (float[2,3] x) => (y) { y = mine.twice(x) }
                  <domain: "mine", opset_import: ["" : 17]> twice (a) => (b) { b = Add(a, a) }"""
        x = np.ones((2, 3), np.float32)
        np.testing.assert_array_equal(run(saved(parser.parse_model(text), tmp_path), x=x), x + x)


class TestControlFlow:
    IF = "y = If(c) <then_branch = a () => (p) { p = Add(x, x) }, else_branch = b () => (q) { q = Neg(x) }>"
    LOOP = """y, all = Loop(n, c, x) <body = b (int64 i, bool go, float[3] s) => (go2, s2, t)
              { go2 = Identity(go) \n f = Cast<to=1>(i) \n s2 = Add(s, f) \n t = Neg(s2) }>"""

    @pytest.mark.parametrize(("condition", "expected"), [(1, 2.0), (0, -1.0)])
    def test_a_branch_that_is_known(self, tmp_path: Path, condition: int, expected: float):
        model = parsed("float[3] x", self.IF, initialisers=f"bool c = {{{condition}}}")
        assert (run(saved(model, tmp_path), x=np.ones(3, np.float32)) == expected).all()

    @pytest.mark.parametrize(("condition", "expected"), [(True, 2.0), (False, -1.0)])
    def test_a_branch_that_depends_on_values(self, tmp_path: Path, condition: bool, expected: float):
        path = saved(parsed("float[3] x, bool c", self.IF), tmp_path)
        assert (run(path, x=np.ones(3, np.float32), c=np.array(condition)) == expected).all()

    @pytest.mark.parametrize(("output", "expected"), [("y", [4, 4, 4]), ("all", [[-1] * 3, [-2] * 3, [-4] * 3])])
    def test_a_loop_that_is_counted(self, tmp_path: Path, output: str, expected: list[Any]):
        model = parsed("float[3] x", self.LOOP, initialisers="int64 n = {3}, bool c = {1}")
        model.graph.output[0].name = output
        np.testing.assert_array_equal(run(saved(model, tmp_path), x=np.ones(3, np.float32)), expected)

    def test_a_loop_that_depends_on_values(self, tmp_path: Path):
        model = parsed("float[3] x, int64 n", self.LOOP, initialisers="bool c = {1}")
        with pytest.raises(UnsupportedOpError, match="`Loop` cannot be compiled: its trip count depends on the values"):
            ttstack.compile(saved(model, tmp_path))

    def test_sequences(self, tmp_path: Path):
        nodes = """s = SplitToSequence<axis=0>(x, k) \n p = SequenceAt(s, m) \n e = SequenceEmpty() \n
                   f = SequenceInsert(e, p) \n g = SequenceInsert(f, p) \n y = ConcatFromSequence<axis=0>(g)"""
        model = parsed("float[4,2] x", nodes, initialisers="int64 k = {3}, int64 m = {-1}")
        x = np.arange(8, dtype=np.float32).reshape(4, 2)
        np.testing.assert_array_equal(run(saved(model, tmp_path), x=x), np.concatenate([x[3:], x[3:]]))


class TestWrongFiles:
    def check(self, path: Path, error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            ttstack.compile(path)

    @pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
    def test_truncated(self, tmp_path: Path, share: float):
        path = saved(linear(), tmp_path)
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
        self.check(path, SourceError, "cannot be read as an ONNX model: it is cut off")

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "is empty"),
            (b"PK\x03\x04\x00\xff\xff", "is not an ONNX model; it looks like"),
            (b"func.func @f() { return }", "is not an ONNX model; it looks like MLIR text"),
            (b"\x08\x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "begins no"),
            (b"\x08\x08", "holds no graph"),
        ],
    )
    def test_no_onnx(self, tmp_path: Path, content: bytes, message: str):
        (tmp_path / "model.onnx").write_bytes(content)
        self.check(tmp_path / "model.onnx", SourceError, message)

    @pytest.mark.parametrize("opset", [7, 12, OPSETS.stop])
    def test_operator_set(self, tmp_path: Path, opset: int):
        self.check(
            saved(linear(opset), tmp_path),
            SourceError,
            f"is of ONNX operator set {opset}; sets 13 to {OPSETS.stop - 1} are read",
        )

    def external(self, tmp_path: Path) -> Path:
        return saved(linear(), tmp_path, save_as_external_data=True, location="model.data")

    def test_external_data_missing(self, tmp_path: Path):
        path = self.external(tmp_path)
        (tmp_path / "model.data").unlink()
        self.check(path, SourceError, "the data of 'weight' is in 'model.data', which does not exist")

    def test_external_data_too_short(self, tmp_path: Path):
        path = self.external(tmp_path)
        (tmp_path / "model.data").write_bytes(bytes(100))
        self.check(path, SourceError, "'weight' ends at byte 8,192 of 'model.data', which has 100")

    @pytest.mark.parametrize("location", ["../model.data", "/etc/passwd", "a/../../b", "link/model.data"])
    def test_external_data_elsewhere(self, tmp_path: Path, location: str):
        folder = tmp_path / "folder"
        folder.mkdir()
        (folder / "link").symlink_to(tmp_path)
        path = self.external(folder)
        (folder / "model.data").rename(tmp_path / "model.data")
        model = onnx.load(path, load_external_data=False)
        next(e for e in model.graph.initializer[0].external_data if e.key == "location").value = location
        path.write_bytes(model.SerializeToString())
        self.check(path, SourceError, "is not inside of the model's folder")

    def test_unknown_ops_are_all_listed(self, tmp_path: Path):
        nodes = "a = com.microsoft.NoSuchOp(x) \n b = com.microsoft.NoSuchOp(a) \n c = Det(b) \n y = Sofmax(c)"
        model = parsed("float[3,3] x", nodes, domains=', "com.microsoft" : 1')
        model.graph.node[0].name = "first"
        with pytest.raises(UnsupportedOpError, match="4 ops of 3 kinds cannot be compiled") as e:
            ttstack.compile(saved(model, tmp_path))
        notes = e.value.diagnostic.notes
        why = "it is of the domain com.microsoft: only ONNX's own ops can be compiled"
        assert notes[0] == f"com.microsoft.NoSuchOp: 2, first at first; {why}"
        assert [note.partition(":")[0] for note in notes[1:]] == ["onnx.Det", "onnx.Sofmax"]
        assert "the nearest supported op is onnx.Softmax" in notes[2]

    def test_a_shape_that_depends_on_values(self, tmp_path: Path):
        self.check(saved(parsed("float[3] x", "y = NonZero(x)"), tmp_path), SourceError, "has a shape that depends on")

    def test_operands_that_do_not_fit(self, tmp_path: Path):
        model = parsed("float[3,4] x, float[3,4] w", "y = MatMul(x, w)")
        self.check(saved(model, tmp_path), SourceError, "`MatMul` does not fit its operands")

    @pytest.mark.parametrize(
        ("nodes", "message"),
        [
            ("y = Relu<alpha = 3>(x)", "`Relu` is not as ONNX defines it: Unrecognized attribute: alpha"),
            ("y = Add(x)", "`Add` is not as ONNX defines it: .*input size 1"),
            ("y = Cast(x)", "`Cast` is not as ONNX defines it: Required attribute 'to' is missing"),
            ("y = Flatten<axis = 4294967297>(x)", "'axis' is 4294967297, which has more than 32 bits"),
            ("y = LpNormalization<p = 4294967298>(x)", "'p' is 4294967298, which has more than 32 bits"),
            ("y = Transpose<perm = [-4294967296]>(x)", "'perm' is -4294967296, which has more than 32 bits"),
            ("y = Relu(nothing)", "`Relu` takes 'nothing', which is not an input and no result of a node before it"),
            ("y = Relu(z) \n z = Relu(x)", "`Relu` takes 'z'"),
            ("z = Relu(x)", "no node gives the output 'y' of the graph"),
        ],
    )
    def test_a_graph_that_is_not_well_formed(self, tmp_path: Path, nodes: str, message: str):
        self.check(saved(parsed("float[3] x", nodes), tmp_path), SourceError, message)

    @pytest.mark.parametrize(
        ("tensor", "message"),
        [
            ({"data_type": 77}, "the data of 'ids' are of type 77, which ONNX does not have"),
            ({"dims": [9]}, "the data of 'ids' cannot be read: .*reshape"),
        ],
    )
    def test_a_tensor_that_is_not_well_formed(self, tmp_path: Path, tensor: dict[str, Any], message: str):
        model = parsed("float[3] x", "y = Gather(x, ids)")
        ids = {"name": "ids", "data_type": onnx.TensorProto.INT64, "dims": [2], "int64_data": [0, 1]} | tensor
        model.graph.initializer.append(onnx.TensorProto(**ids))
        self.check(saved(model, tmp_path), SourceError, message)

    def test_an_input_of_strings(self, tmp_path: Path):
        path = saved(parsed("string[3] x", "y = Identity(x)"), tmp_path)
        with pytest.raises(SourceError, match="'x' has an element type that no device has") as e:
            ttstack.compile(path)
        assert e.value.diagnostic.hint is None

    def test_names_that_are_not_text(self, tmp_path: Path):
        path = saved(parsed("float[3] x", "middle = Relu(x) \n y = Abs(middle)"), tmp_path)
        path.write_bytes(path.read_bytes().replace(b"middle", b"mi\xff\xffle"))
        self.check(path, SourceError, "is damaged: it has names that are not UTF-8")

    def test_two_results_of_one_name(self, tmp_path: Path):
        path = saved(parsed("float[3] x", "y = Relu(x) \n y = Abs(x)"), tmp_path)
        self.check(path, SourceError, "'y' is the name of 2 values")
