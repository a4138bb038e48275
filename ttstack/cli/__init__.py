"""The command line, one command per file; each imports its dependencies when it runs."""

import sys

INTERRUPTED = 130


def main() -> None:
    """Run the `ttstack` command; the first import is inside, so that interrupts are handled."""
    try:
        import gc

        from ttstack.cli.exit_codes import run

        code = run(sys.argv[1:])
        gc.freeze()  # what is left goes with the process: Python need not take it apart first
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        code = INTERRUPTED
    sys.exit(code)
