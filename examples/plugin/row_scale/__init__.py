"""A plug-in for ttstack: an op that scales each row, from its definition to a fusion that finds it."""
