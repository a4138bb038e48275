"""The packages whose lines are changed, and the tests of each, those first that tell most in little time."""

SUITES = {
    "ttstack/cost": ("tests/golden", "tests/cost", "tests/mesh/test_cost.py", "tests/report"),
    "ttstack/placement": ("tests/golden", "tests/placement", "tests/filecheck", "tests/cli/test_explain.py"),
    "ttstack/program": (
        "tests/golden",
        "tests/program",
        "tests/flatbuffer",
        "tests/cost",
        "tests/runtime",
        "tests/cli/test_explain.py",
        "tests/mesh/test_cost.py",
    ),
    "ttstack/ops": ("tests/golden", "tests/forms", "tests/ops", "tests/cost", "tests/mesh", "tests/dialects"),
    "ttstack/system_desc": ("tests/golden", "tests/system_desc", "tests/cost", "tests/mesh/test_cost.py"),
    "ttstack/passes": (
        "tests/golden",
        "tests/filecheck",
        "tests/passes",
        "tests/placement",
        "tests/mesh",
        "tests/frontends",
    ),
    "ttstack/frontends": ("tests/frontends", "tests/filecheck"),
    "ttstack/flatbuffer": ("tests/flatbuffer",),
    "ttstack/report": ("tests/golden", "tests/report"),
    "runtime/ttstack_runtime": (
        "tests/kernels",
        "tests/numerics",
        "tests/forms",
        "tests/runtime",
        "tests/ops",
        "tests/mesh",
        "tests/tensor_train",
    ),
}
