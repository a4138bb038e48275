"""`ttstack perf`: the predicted time of every op."""

from ttstack.cli.console import write_json
from ttstack.cli.options import (
    CsvOption,
    FunctionName,
    HtmlOption,
    JsonOption,
    ProgramFile,
    Sort,
    SortOption,
    TopOption,
)


def perf(
    file: ProgramFile,
    sort: SortOption = Sort.ORDER,
    top: TopOption = None,
    function: FunctionName = None,
    as_json: JsonOption = False,
    csv: CsvOption = None,
    html: HtmlOption = None,
) -> None:
    """Predict the time of every op; nothing is executed."""
    from ttstack.api import load
    from ttstack.cli.outputs import check_targets
    from ttstack.cli.report import print_table, write_files

    check_targets(csv, html, source=file)
    report = load(file).cost(function)
    write_files(report, csv, html)
    if as_json:
        write_json(report.to_dict())
    else:
        print_table(report, sort, top)
