"""The pass `tensor-train`: compresses embedding tables if profitable, and records the decision for each."""

from functools import cached_property
from pathlib import Path

from pydantic import model_validator

from ttstack.diagnostics import PassOptionError
from ttstack.dialects.base import create
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.python_attributes import plain_attribute
from ttstack.dialects.signature import erase_unused_parameters
from ttstack.mlir import ir
from ttstack.ops.types import DType
from ttstack.options.tensor_train import Rules, TableSettings, load_rules
from ttstack.passes.base import ParameterPass
from ttstack.passes.functions import TABLES, defined_functions, system_desc
from ttstack.passes.target import target_chip
from ttstack.passes.ttir.tensor_train.decisions import TableDecision, decide
from ttstack.passes.ttir.tensor_train.fold import add_cores
from ttstack.passes.ttir.tensor_train.prices import in_train
from ttstack.passes.ttir.tensor_train.tables import find_tables
from ttstack.passes.weights import Weights


class CompressTables(TableSettings, ParameterPass, name="tensor-train"):
    """Compress embedding tables to Tensor-Train form if error, size and predicted time allow it."""

    config: Rules | Path | None = None
    """Rules with settings for single tables, or a YAML file of them; replaces all other settings."""
    dtype: DType | None = None
    """Format of real numbers on the device, for predicted times; the model's own by default."""

    @model_validator(mode="after")
    def _read(self) -> "CompressTables":
        others = self.model_fields_set.intersection(TableSettings.model_fields)
        if self.config is not None and others:
            raise PassOptionError(f"{', '.join(sorted(others))} and config", hint="write it into the file")
        _ = self.rules
        return self

    @cached_property
    def rules(self) -> Rules:
        """Settings by table."""
        if self.config is not None:
            return self.config if isinstance(self.config, Rules) else load_rules(self.config)
        return Rules(default=TableSettings(**{name: getattr(self, name) for name in TableSettings.model_fields}))

    def run(self, module: ir.Module) -> None:
        """Decide on every table, replace those that qualify, and record all decisions in the module."""
        desc, tables = system_desc(module), find_tables(module)
        self.rules.check_names(table.name for table in tables)
        decisions: list[TableDecision] = []
        for table in tables:
            chip = target_chip(table.lookups[0].function, desc)
            data = self._weights.arrays.get(table.name)
            decisions.append(decide(table, self.rules.of(table.name), data, chip, self.dtype))
        for decision in decisions:
            if decision.record.replaced:
                _replace(decision, self._weights)
        gone = {decision.table.name for decision in decisions if decision.record.replaced}
        for function in defined_functions(module) if gone else ():
            erase_unused_parameters(function, gone)
            refresh_signature(function)
        module.operation.attributes[TABLES] = plain_attribute(
            [decision.record.known_fields() for decision in decisions]
        )


def _replace(decision: TableDecision, weights: Weights) -> None:
    """Let all lookups of the table read the cores, which become parameters of each function once."""
    assert decision.train is not None
    cores: dict[str, list[ir.Value]] = {}
    for lookup in decision.table.lookups:
        name = lookup.function.name.value
        if name not in cores:
            cores[name] = add_cores(lookup.function, decision.table.name, decision.train, decision.cores, weights)
        op, (indices, _, *vectors) = lookup.op, lookup.op.operands
        definition = in_train(op, decision.train)
        with insert_before(op):
            new = create("ttir", definition.mnemonic, [indices, *cores[name], *vectors], definition.attributes())
        op.results[0].replace_all_uses_with(new.results[0])
        op.erase()
