"""Assignment of dimension orders and shapes for a whole function, by predicted time."""
