"""The options of a compilation.

| to add an option | file |
|---|---|
| its name, help, type and default, for Python and the command line | `choices.py`, which imports nothing heavy |
| what it becomes: read, checked, saved with the program | `model.py` |
| the same for an option of placement | `ttstack/placement/options.py` |
| settings of compressed tables | `tensor_train.py` |

Options of single commands, and those that several commands share, are in `ttstack/cli`.
"""
