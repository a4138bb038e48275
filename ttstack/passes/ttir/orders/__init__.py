"""Which order and shape the dimensions of each value have: decided for a whole function, by predicted time."""
