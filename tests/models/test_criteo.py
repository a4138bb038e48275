"""DLRM with Criteo's tables in Tensor-Train form: values, memory, and the dense model that fits no card."""

from typing import Any

import numpy as np
import pytest

import ttstack
from examples import criteo
from ttstack.diagnostics import CapacityError


def test_a_model_with_34_million_rows_gives_pytorchs_values():
    made: Any = criteo.kaggle(batch=32)
    model, (dense, ids, offsets) = made
    program = ttstack.compile(model, (dense, ids, offsets), without="split-float32-tables")
    given = [t.numpy() for t in (dense, *ids, offsets)]
    (found,) = program.run(dict(zip(program.inputs(), given, strict=True))).outputs.values()
    np.testing.assert_allclose(found, model(dense, ids, offsets).detach().numpy(), atol=1e-5)
    ops = [op.name for op in program.cost().ops]
    assert (ops.count("tensor_train_embedding_bag"), ops.count("embedding_bag")) == (7, 0)
    assert ops.count("embedding") == 2, "the rows of 19 tables in one, and the rows of the weights that sum bags"
    assert sum(w.type.nbytes for w in program.binary.weights.values()) < 21 * 2**20
    trains = program.cost().tables
    assert [t.rows for t in trains] == [rows for rows in criteo.KAGGLE if rows > criteo.LARGE]
    assert all(t.bytes_before > 15 * (t.bytes_after or 0) > 0 for t in trains)
    assert all((t.ns_before or 0) > (t.ns_after or 0) > 0 for t in trains)


def test_dense_tables_beyond_dram_are_one_error_and_fit_in_tensor_train_form():
    with pytest.raises(
        CapacityError, match=r"need 104,\d{3},\d{3},\d{3} bytes of DRAM, programs may use 12,854,394,240"
    ):
        ttstack.compile(*criteo.terabyte_dense(batch=32))
    report = ttstack.compile(*criteo.terabyte(batch=32)).cost()
    assert report.memory["dram"].peak < 2**30
    lookups = [op for op in report.ops if op.name == "tensor_train_embedding_bag"]
    assert len(lookups) == 8
    assert any(t.layout.in_l1 for op in lookups for t in op.operands)
