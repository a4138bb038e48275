"""Networks that the repository does not name: how long their programs are predicted, and how much of it is moves."""
