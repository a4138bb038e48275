"""Modules import one another downwards: no circle, whether a module imports at its top or inside a function."""

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

Imports = dict[str, set[str]]


@pytest.fixture(scope="module")
def imports() -> Imports:
    """What each module imports, inside functions and for type checkers too."""
    graph = grimp.build_graph("ttstack", "ttstack_runtime", cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def test_no_modules_import_each_other(imports: Imports) -> None:
    TopologicalSorter(imports).prepare()


def test_imports_inside_functions_count(imports: Imports) -> None:
    writer, report = "ttstack.report.html.page", "ttstack.report.report"
    assert writer in imports[report]
    with pytest.raises(CycleError):
        TopologicalSorter(imports | {writer: {report}}).prepare()


def test_the_conversion_to_ttnn_alone_asks_which_op_a_dispatch_is(imports: Imports) -> None:
    """Grids, placement and cost read the nest, or the estimate."""
    users = {module for module, imported in imports.items() if "ttstack.ops.raising" in imported}
    assert users == {"ttstack.passes.ttir_to_ttnn"}
