"""Compiled programs as plain records: the output of the compiler and the input of the runtime and reports."""
