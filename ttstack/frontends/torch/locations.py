"""MLIR locations of imported ops: the model's source line, under the path of the module that ran it."""

from torch import fx

from ttstack.frontends.torch.source_lines import Line, line_of_node, module_of_node, short
from ttstack.mlir import fx_importer, ir


class LocatedTypes(fx_importer.ContextCache):
    """The importer's types with custom locations: `loc("encoder.layer.0"("modeling_bert.py":100:0))`."""

    def __init__(self, context: ir.Context) -> None:
        super().__init__(context)
        self._locations: dict[tuple[str, Line | None], ir.Location] = {}

    def get_node_location(self, node: fx.Node) -> ir.Location:
        """Return the location of `node`; nodes of one line in one module share it."""
        key = module_of_node(node), line_of_node(node)
        if key not in self._locations:
            self._locations[key] = self._location(*key)
        return self._locations[key]

    def _location(self, module: str, line: Line | None) -> ir.Location:
        location = ir.Location.unknown(self._c)
        if line:
            location = ir.Location.file(short(line[0]), line[1], 0, context=self._c)
        return ir.Location.name(module, location, context=self._c) if module else location
