"""An adapter that opens models and programs in standard Model Explorer, and their overlays."""

from pathlib import Path
from typing import Any

from dacite import Config, from_dict  # pyright: ignore[reportMissingImports]
from model_explorer import (  # pyright: ignore[reportMissingImports]
    Adapter,
    AdapterMetadata,
    GetConfigEditorsResult,
    NodeDataProvider,
    NodeDataProviderFilter,
    NodeDataProviderMetadata,
    NodeDataProviderResult,
)
from model_explorer.graph_builder import Graph  # pyright: ignore[reportMissingImports]
from model_explorer.node_data_builder import GraphNodeData  # pyright: ignore[reportMissingImports]

from ttstack.explore.commands import ADAPTER
from ttstack.explore.session import Session, open_session
from ttstack.report.graphs.overlays import Overlay

_opened: dict[str, dict[str, tuple[Overlay, ...]]] = {}
"""Overlays of the graphs of each path; the server creates an object of these classes for each request."""


class TTStackAdapter(Adapter):
    """Every level of a model, or a saved program."""

    metadata = AdapterMetadata(
        id=ADAPTER,
        name="ttstack",
        description="Every level of a compiled model, with predicted times",
        source_repo="",
        fileExts=["ttb", "mlir", "onnx", "pt2"],
    )

    def convert(self, model_path: str, _settings: dict[str, Any]) -> dict[str, Any]:
        """Return the graphs of a file, the program first; raise `TTStackError` if it cannot be compiled."""
        with open_session(model_path, Path(model_path).stem, None, {}) as session:
            _opened[model_path] = _overlays(session)
            return {"graphs": [_record(Graph, graph.values()) for graph in session.graphs]}


class TTStackOverlays(NodeDataProvider):
    """The predictions of `ttstack perf` for each op, as colours of the program's graph."""

    metadata = NodeDataProviderMetadata(
        id="ttstack_overlays",
        name="Predicted times, memory and bounds",
        description="Colour the ops of the program by what ttstack predicts of them",
        source_repo="",
        icon="speed",
        filter=NodeDataProviderFilter(adapterIds=[ADAPTER]),
    )

    def get_config_editors(self, **_: object) -> GetConfigEditorsResult:
        """Return no settings."""
        return GetConfigEditorsResult(configEditors=[])

    def run(self, *, model_path: str, graph_id: str, **_: object) -> NodeDataProviderResult:
        """Return the overlays of an open graph."""
        graphs = _opened.get(model_path, {})
        if graph_id not in graphs:
            what = f"nothing is predicted of the ops of the graph '{graph_id}'"
            where = f"choose {' or '.join(graphs)}" if graphs else "open the model with ttstack's adapter"
            return NodeDataProviderResult(error=f"{what}: {where}")
        return NodeDataProviderResult(result=[_record(GraphNodeData, each.node_data()) for each in graphs[graph_id]])


def _overlays(session: Session) -> dict[str, tuple[Overlay, ...]]:
    (version,) = session.versions
    return {version.graph_id(function): version.overlays(function) for function in version.binary.functions}


def _record(kind: Any, values: dict[str, Any]) -> Any:
    """Return a record of Model Explorer with these values; node values may be text, contrary to its types."""
    return from_dict(kind, values, Config(check_types=False))
