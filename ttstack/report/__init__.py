"""Reports of a program's predicted cost: one model, and one writer for each format.

report = build_report(binary)       # from the cost model alone: nothing is allocated or executed
report.total_ns, report.ops[0].bound, report.shares()
report.to_csv("ops_perf_results.csv")
"""
