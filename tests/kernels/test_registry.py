"""The table of kernels: what is found, and that nothing else is."""

import numpy as np
import pytest

from tests.kernels.kernel_of import kernel_of
from ttstack.ops import OPS
from ttstack_runtime import kernels
from ttstack_runtime.kernels.table import KernelTable


def test_an_unknown_mnemonic_has_no_kernel():
    assert kernels.find("no_such_op") is None


@pytest.mark.parametrize("name", ["np", "Array", "KERNELS", "Visibility", "_axes", "attend", "prod_"])
def test_what_a_module_imports_or_defines_for_itself_is_no_kernel(name):
    assert kernels.find(name) is None


def test_every_listed_mnemonic_is_found():
    assert {"add", "sum", "pow", "matmul", "reshape", "layer_norm", "softmax"} <= kernels.mnemonics()
    assert all(callable(kernels.find(name)) for name in kernels.mnemonics())


def test_every_kernel_stands_in_the_family_of_its_op():
    placed = {(family, name) for family in kernels.FAMILIES for name in kernels.of_family(family)}
    assert placed == {(OPS[name].family, name) for _, name in placed}


def test_a_builtin_mnemonic_loses_the_underscore_of_its_function():
    table = KernelTable()

    def any_(x):
        return x

    table(any_)
    assert list(table.by_name) == ["any"]


def test_kernels_raise_no_floating_point_warning():
    zero = np.zeros(1, np.float32)
    with np.errstate(all="raise"):
        assert np.isnan(kernel_of("div")(zero, zero))


def test_kernels_leave_the_callers_error_state():
    with np.errstate(divide="raise"):
        kernel_of("exp")(np.full(1, 1000.0))
        assert np.geterr()["divide"] == "raise"


@pytest.mark.parametrize("name", ["add", "exp", "sigmoid", "eq"])
def test_options_of_numpy_functions_are_no_attributes(name):
    with pytest.raises(TypeError):
        kernel_of(name)(np.ones(2), np.ones(2), dtype=np.float32)


@pytest.mark.parametrize("name", ["neg", "exp", "gelu", "sigmoid", "sign", "logical_not", "signbit", "relu6"])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_a_scalar_tensor_gives_a_scalar_tensor(name, dtype):
    out = kernel_of(name)(np.array(1, dtype))
    assert isinstance(out, np.ndarray)
    assert out.shape == ()


@pytest.mark.parametrize("name", ["add", "div", "remainder", "pow", "maximum", "eq", "logical_right_shift"])
def test_two_scalar_tensors_give_a_scalar_tensor(name):
    out = kernel_of(name)(np.array(7, np.int32), np.array(2, np.int32))
    assert isinstance(out, np.ndarray)
    assert out.shape == ()
