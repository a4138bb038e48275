"""The command line, one command a file; what a command needs is imported when it runs."""

import sys

INTERRUPTED = 130


def main() -> None:
    """The `ttstack` command. It can be interrupted from here on: nothing is imported before."""
    try:
        import gc

        from ttstack.cli.exit_codes import run

        code = run(sys.argv[1:])
        gc.freeze()  # what is left goes with the process: Python need not take it apart first
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        code = INTERRUPTED
    sys.exit(code)
