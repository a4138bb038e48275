"""Values for the inputs of a program: from files, checked against its signature, or random."""

from ttstack_runtime.inputs.batches import load_batches
from ttstack_runtime.inputs.files import load_inputs
from ttstack_runtime.inputs.samples import random_inputs, random_weights
from ttstack_runtime.inputs.signature import check_inputs

__all__ = ["check_inputs", "load_batches", "load_inputs", "random_inputs", "random_weights"]
