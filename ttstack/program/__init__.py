"""Compiled programs as plain records: what the compiler writes and everything below it reads."""
