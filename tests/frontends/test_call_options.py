"""Options of custom calls that nothing reads are refused by name: they may change what the call gives."""

import json
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

import ttstack
from tests.frontends.call_text import call, composite, converted, ffi, results_of, words
from ttstack.diagnostics import UnsupportedOpError

X = np.random.default_rng(5).standard_normal((3, 7)).astype(np.float32)
W = np.arange(1, 8, dtype=np.float32)

SPELLED = {
    "words": words,
    "ffi": ffi,
    "converted": converted,
    "json": lambda options: f"backend_config = {json.dumps(json.dumps(options))}",
}
every_spelling = pytest.mark.parametrize("spell", SPELLED.values(), ids=SPELLED)


def refusal(target: str, options: str) -> str:
    with pytest.raises(UnsupportedOpError) as caught:
        ttstack.compile(call(target, [X], [X], options))
    return str(caught.value)


@every_spelling
def test_a_misspelt_option_is_refused_with_the_one_that_was_meant(spell: Any):
    said = refusal("tenstorrent.rms_norm", spell({"normalized_shape": [7], "epsilonn": 3.0}))
    assert "`@tenstorrent.rms_norm` has the option 'epsilonn' (meant 'epsilon'?), which is unknown" in said
    assert "known options: epsilon, has_bias, has_weight, normalized_shape" in said


def test_all_unknown_options_are_named_together():
    said = refusal("tenstorrent.rms_norm", words({"normalized_shape": 7, "epsilo": 1, "swirl": 2}))
    assert "has the options 'epsilo' (meant 'epsilon'?), 'swirl', which are unknown" in said


def test_calls_with_unknown_options_are_reported_together():
    text = """func.func @main(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
      %a = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {one = 1 : i64}} : (tensor<3x7xf32>) -> tensor<3x7xf32>
      %b = stablehlo.custom_call @mhlo.tan(%a) {mhlo.attributes = {two = 2 : i64}} : (tensor<3x7xf32>) -> tensor<3x7xf32>
      %c = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {one = 1 : i64}} : (tensor<3x7xf32>) -> tensor<3x7xf32>
      %d = stablehlo.add %b, %c : tensor<3x7xf32>
      return %d : tensor<3x7xf32>
    }"""
    with pytest.raises(UnsupportedOpError, match="2 ops") as caught:
        ttstack.compile(text)
    assert "a call of that name has no options" in str(caught.value)


@pytest.mark.parametrize("given", ['"epsilon: 3"', '"[1, 2]"', '"{"', "[1, 2]", "unit", f'"{"[" * 200_000}"'])
def test_options_that_are_no_dictionary_are_refused(given: str):
    assert "expected a dictionary, or JSON of one" in refusal("tenstorrent.gelu", f"mhlo.backend_config = {given}")


def test_no_options_at_all():
    (got,) = results_of(call("tenstorrent.gelu", [X], [X], 'backend_config = ""'), [X])
    np.testing.assert_allclose(got, functional.gelu(torch.from_numpy(X)), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("said", ["none", "tanh"])
def test_gelu_is_approximate_as_it_says(said: str):
    (got,) = results_of(call("tenstorrent.gelu", [X], [X], words({"approximate": said})), [X])
    np.testing.assert_allclose(got, functional.gelu(torch.from_numpy(X), approximate=said), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize(("name", "said"), [("gelu", "quick"), ("gelu_tanh", "none")])
def test_gelu_of_another_form_is_refused(name: str, said: str):
    assert f"is approximate = '{said}', expected" in refusal(f"tenstorrent.{name}", words({"approximate": said}))


def test_what_exporters_add_is_left():
    added = 'num_batch_dims = "0", xla.sdy.sharding = "#sdy", mhlo.sharding = "{manual}", _xla_compute_type = "dense"'
    options = f'mhlo.frontend_attributes = {{{added}, normalized_shape = "7", has_residual = "False"}}'
    (got,) = results_of(call("tenstorrent.rms_norm", [X, W], [X], options), [X, W])
    np.testing.assert_allclose(
        got, functional.rms_norm(torch.from_numpy(X), (7,), torch.from_numpy(W), 1e-5), rtol=2e-5
    )


def test_an_operand_that_the_op_does_not_have_is_no_other_one():
    """tt-xla's norm of a sum has its second summand where a weight could stand."""
    said = {"normalized_shape": [7], "has_residual": True}
    assert "'has_residual'" in refusal("tenstorrent.rms_norm", converted(said))
    doubled = "%d = stablehlo.add %0, %0 : tensor<3x7xf32>\nreturn %d : tensor<3x7xf32>"
    (got,) = results_of(composite("tenstorrent.rms_norm", [X, W], [X], said, doubled), [X, W])
    np.testing.assert_array_equal(got, 2 * X)


def test_a_composite_with_an_unknown_option_is_what_it_is_made_of():
    doubled = "%d = stablehlo.add %0, %0 : tensor<3x7xf32>\nreturn %d : tensor<3x7xf32>"
    (got,) = results_of(composite("tenstorrent.gelu", [X], [X], {"sharpness": 2}, doubled), [X])
    np.testing.assert_array_equal(got, 2 * X)


def test_how_many_are_best_is_what_the_result_holds():
    best, places = X[:, :4], np.zeros((3, 4), np.int32)
    text = call("mhlo.topk", [X], [best, places], "mhlo.attributes = {k = 5 : i64, largest = true}")
    with pytest.raises(UnsupportedOpError, match="has a k of 5, and 4 results"):
        ttstack.compile(text)
