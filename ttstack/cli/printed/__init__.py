"""Types of the `--json` output: the documentation is derived from them, and tests check commands against them."""

from typing import Any

from ttstack.cli.printed import answers, checks, definitions, devices, environment, files, programs
from ttstack.report.printed import ComparisonJson, FiguresJson, ReportJson, UpgradeJson

PRINTED: dict[str, Any] = {
    "compile": files.ProgramFileJson,
    "compile --compile-to PHASE": files.PhaseFileJson,
    "compile --target cpu": files.NativeFilesJson,
    "inspect": programs.ProgramSummary,
    "inspect --section system-desc": dict[str, Any],
    "inspect --section ops": list[programs.OperationRow],
    "inspect --section tensors": list[programs.TensorRow],
    "inspect --section memory": list[programs.MemoryRow],
    "inspect --section training": list[programs.TrainingRow],
    "inspect --section weights": list[programs.WeightRow],
    "inspect --section ir": dict[str, str],
    "explain": list[answers.AlternativeJson],
    "run": answers.RunJson,
    "perf": ReportJson,
    "perf --what-if": ComparisonJson,
    "perf --calibrate": checks.RefittedJson,
    "advise": list[answers.AdviceJson],
    "compare": ComparisonJson,
    "compare --ttnn": UpgradeJson,
    "compare PROFILE": checks.ProfileJson,
    "explore": files.ServedJson,
    "explore --graphs": files.GraphsJson,
    "emit": files.EmittedJson,
    "check": checks.JudgementJson,
    "opt": files.ModuleJson,
    "opt --list": files.KnownPassesJson,
    "filecheck": checks.TestsJson,
    "passes": files.KnownPassesJson,
    "passes NAME": definitions.PassDescriptionJson,
    "ops": list[definitions.OpDescriptionJson],
    "ops NAME": definitions.OpDescriptionJson,
    "bisect": files.CulpritJson | files.SlowerJson,
    "reduce": files.ReducedJson,
    "examples": dict[str, str],
    "examples NAME": files.ExampleFileJson,
    "env": environment.EnvironmentJson,
    "system-desc list": list[devices.PresetJson],
    "system-desc show": dict[str, Any],
    "system-desc check": devices.CheckedDeviceJson,
}
"""Types by the words of the command line."""

EXTENDED: dict[str, Any] = {
    "CheckedDeviceJson": devices.DeviceFiguresJson,
    "FunctionFiguresJson": FiguresJson,
    "PresetJson": devices.DeviceFiguresJson,
    "ReportJson": FiguresJson,
}
"""By the name of a type, the type that it extends."""
