"""`python -m ttstack.cli`."""

from ttstack.cli import main

main()
