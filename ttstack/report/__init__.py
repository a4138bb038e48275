"""What a program costs: one model of a report, and one writer for each format.

report = build_report(binary)       # from the cost model alone: nothing is allocated or executed
report.total_ns, report.ops[0].bound, report.shares()
report.to_csv("ops_perf_results.csv")
"""

from ttstack.report.build import build_report
from ttstack.report.model import MemoryUse, OpReport, TensorReport
from ttstack.report.report import Report

__all__ = ["MemoryUse", "OpReport", "Report", "TensorReport", "build_report"]
