"""The imports of a Python pattern file: `from ttstack.patterns import pattern, ttir, views`.

`views.Matmul` is a view of an op, `ttir.matmul(a, b)` builds one, `scalar(value)` is the number in all elements of a
constant.
"""

from ttstack.dialects.ttir import views
from ttstack.dialects.types import read_type
from ttstack.passes.rewriting.guard import GuardedBuilders
from ttstack.passes.rewriting.python_file import pattern
from ttstack.passes.ttir.queries.producers import scalar

ttir = GuardedBuilders()

__all__ = ["pattern", "read_type", "scalar", "ttir", "views"]
