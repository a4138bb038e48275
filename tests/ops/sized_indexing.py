"""One case of any size of each op that picks, orders or draws elements."""

from tests.ops.case import Case
from tests.ops.sized import size_as
from ttstack.ops import creation, indexing, shape, sort
from ttstack.ops.types import DType, TensorType


def _t(*extents: int, dtype: DType = DType.BF16) -> TensorType:
    return TensorType(extents, dtype)


def _ids(*extents: int) -> TensorType:
    return _t(*extents, dtype=DType.UI32)


def _sampling(m: str, n: int) -> Case:
    operands = (_t(n, n), _ids(n, n), _ids(n), _t(n), _t(n))
    return Case(m, operands, {}, _ids(n))


size_as(
    {
        shape.Rearrange: lambda m, n: Case(m, (_t(2, n, n),), {"pattern": "a b c -> b (a c)"}),
        shape.RepeatInterleave: lambda m, n: Case(m, (_t(n, n),), {"repeats": 2, "dim": 0}),
        indexing.SliceDynamic: lambda m, n: Case(m, (_t(n, n), _ids(2), _ids(2)), {}, _t(n // 2, n)),
        indexing.IndexSelect: lambda m, n: Case(
            m, (_t(n, n),), {"dim": 0, "begin": 0, "length": n // 4, "stride": n // 2}
        ),
        indexing.Scatter: lambda m, n: Case(m, (_t(n, n), _ids(n, n), _t(n, n)), {"dim": 0}),
        sort.Sort: lambda m, n: Case(m, (_t(n, n),), {}, (_t(n, n), _ids(n, n))),
        sort.Topk: lambda m, n: Case(m, (_t(n, n),), {"k": 32}, (_t(n, 32), _ids(n, 32))),
        sort.Sampling: _sampling,
        creation.Rand: lambda m, n: Case(m, (), {"size": (n, n)}, _t(n, n)),
        creation.Dropout: lambda m, n: Case(m, (_t(n, n),), {"prob": 0.5}),
    }
)
