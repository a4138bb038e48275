"""Write the golden file of the current schema version, and what the version has, once, when it is released.

Run from the top of the repository: `python tests/flatbuffer/golden/update.py`. Files of older versions are
never written again: they show that today's reader still takes them.
"""

import runpy
from pathlib import Path

from ttstack.flatbuffer import SCHEMA_VERSION, save
from ttstack.system_desc import load

HERE = Path(__file__).parent


def main() -> None:
    """Save the program of the tests' `conftest.py`, and the numbers of all fields and members."""
    name = f"schema_{SCHEMA_VERSION[0]}_{SCHEMA_VERSION[1]}"
    made = runpy.run_path(str(HERE.parent / "conftest.py"))
    save(made["with_scan"](made["make_binary"](load("wormhole"))), HERE / f"{name}.ttb")
    schema = runpy.run_path(str(HERE.parent / "test_schema.py"))
    found = schema["numbers"]((schema["ROOT"] / "_generated" / schema["GENERATED"]).read_text())
    (HERE / f"{name}.txt").write_text("".join(f"{' '.join(entry)}\n" for entry in sorted(found)))


if __name__ == "__main__":
    main()
