"""Ways to change files, by what they are made of."""
