"""Tables with known structure, and the error of an approximation in float64."""

import numpy as np

from ttstack.tensor_train import TensorTrain, TensorTrainPlan, plan


def planted(rows, cols, ranks, rng, order=3, dtype=np.float32):
    """A table that is exactly a product of random cores."""
    return random_train(plan(rows, cols, ranks=ranks, order=order), rng, dtype).to_dense()


def random_train(made: TensorTrainPlan, rng, dtype: type[np.floating] = np.float32):
    return TensorTrain(made, tuple(rng.standard_normal(shape).astype(dtype) for shape in made.core_shapes))


def rel_error(table, near):
    exact = table.astype(np.float64)
    return np.linalg.norm(exact - near) / (np.linalg.norm(exact) or 1)
