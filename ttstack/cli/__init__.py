"""The command line, one command a file; what a command needs is imported when it runs."""

import sys

INTERRUPTED = 130


def main() -> None:
    """The `ttstack` command. It can be interrupted from here on: nothing is imported before."""
    try:
        from ttstack.cli.exit_codes import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        code = INTERRUPTED
    sys.exit(code)
