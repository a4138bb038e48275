"""A model compiled up to placement, which can be placed repeatedly."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ttstack.compiler import to_binary
from ttstack.dialects.bytecode import bytecode
from ttstack.dialects.equal_ops import Answers, shared_answers
from ttstack.explore.module_graph import module_graphs
from ttstack.frontends.source import import_model
from ttstack.mlir import ir
from ttstack.options.model import CompileOptions
from ttstack.passes.base import Pipeline
from ttstack.passes.check_supported import check_supported
from ttstack.passes.pipelines import check_left_out, ttir_to_ttnn
from ttstack.passes.ttir.placement.dispatch import Dispatch
from ttstack.passes.ttir.placement.place import Place
from ttstack.passes.weights import Weights
from ttstack.program.records import Binary
from ttstack.report.graphs.model import ModelGraph

Progress = Callable[[str], None]


@dataclass(frozen=True)
class UnplacedModel:
    """A model before placement, and the graphs of its levels."""

    graphs: tuple[ModelGraph, ...]
    """`source` as imported, `ttir` simplified, `dispatched` as loops over tiles."""
    options: CompileOptions
    pipeline: Pipeline
    """All passes, from the input model to the program."""
    weights: Mapping[str, np.ndarray[Any, Any]]
    context: ir.Context
    bytecode: bytes
    answers: Answers = field(default_factory=Answers)
    """The cached answers of its context."""

    def place(self, options: CompileOptions) -> Binary:
        """Return the program with other placement options; not thread-safe.

        Raises:
            TTStackError: the placement is impossible.
        """
        place = Place.from_options(options)
        with shared_answers(self.answers), self.context, ir.Location.unknown():
            module = ir.Module.parse(self.bytecode)
            _, rest = _split(self.pipeline, Place)
            Pipeline((place, *rest.passes[1:])).run(module)
            return to_binary(module, self.weights, str(self.pipeline), options)


@contextmanager
def open_model(
    source: Any, inputs: Any, options: CompileOptions, progress: Progress | None = None
) -> Iterator[UnplacedModel]:
    """Yield a model that is imported, simplified and dispatched; `inputs` as for `ttstack.compile`.

    Raises:
        TTStackError: the source or the options are invalid.
    """
    check_left_out(options)
    with import_model(source, inputs, options.function) as found, shared_answers() as answers:
        check_supported(found.module)
        values = Weights.of(found.weights)
        pipeline = ttir_to_ttnn(options).with_weights(values)
        simplified, rest = _split(pipeline, Dispatch)
        dispatched, _ = _split(rest, Place)
        graphs = module_graphs(found.module, "source")
        for name, steps in (("ttir", simplified), ("dispatched", dispatched)):
            steps.run(found.module, before=progress)
            graphs += module_graphs(found.module, name)
        yield UnplacedModel(
            graphs=tuple(graphs),
            options=options,
            pipeline=pipeline,
            weights=values.arrays,
            context=found.module.context,
            bytecode=bytecode(found.module),
            answers=answers,
        )


def stage_graphs(binary: Binary) -> tuple[ModelGraph, ...]:
    """Return the graph of the program's stored IR, if compiled with `keep_ir`."""
    if "ttir" not in binary.stages:
        return ()
    with import_model(binary.stages["ttir"]) as found:
        return tuple(module_graphs(found.module, "source"))


def _split(pipeline: Pipeline, at: type) -> tuple[Pipeline, Pipeline]:
    """Split the passes before the first one of a kind."""
    first = next(i for i, step in enumerate(pipeline.passes) if isinstance(step, at))
    return Pipeline(pipeline.passes[:first]), Pipeline(pipeline.passes[first:])
