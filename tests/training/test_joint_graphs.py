"""Graphs of forward and backward pass that PyTorch's own tools have made: the loss and gradients as PyTorch has them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch._functorch.aot_autograd import aot_export_joint_simple
from torch.export.experimental import _export_forward_backward
from torch.nn import functional as F  # noqa: N812

import ttstack

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")  # of torch, which makes them


class Classifier(nn.Module):
    """Gives the loss, and what it is of."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first, self.norm, self.last = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Linear(64, 3)

    def forward(self, image: torch.Tensor, label: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scores = self.last(F.gelu(self.norm(self.first(image))).flatten(1))
        return F.cross_entropy(scores, label), scores.detach()


@pytest.mark.parametrize("wanted", [False, True])
def test_loss_and_gradients_have_names(wanted: bool):
    model, label = Classifier(), torch.tensor([0, 2])
    image = torch.randn(2, 3, 6, 6, requires_grad=wanted)
    program = ttstack.compile(_export_forward_backward(torch.export.export(model, (image, label))))
    done = program.run({"image": image.detach().numpy(), "label": label.numpy()})
    loss, scores = model(image, label)
    loss.backward()
    gradients = {f"gradient.{name}": p.grad for name, p in model.named_parameters()}
    expected: dict[str, Any] = {"loss": loss.detach(), "output.1": scores, **gradients}
    expected |= {"gradient.image": image.grad} if wanted else {}
    assert done.outputs.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(done.outputs[name], value.numpy(), atol=2e-6, err_msg=name)
    np.testing.assert_allclose(done.updated["norm.running_mean"], model.state_dict()["norm.running_mean"], atol=1e-6)


def test_one_that_was_saved_is_the_same(tmp_path: Path):
    exported = torch.export.export(Classifier(), (torch.randn(2, 3, 6, 6), torch.tensor([0, 2])))
    joint = _export_forward_backward(exported)
    torch.export.save(joint, tmp_path / "step.pt2")
    saved, straight = ttstack.compile(tmp_path / "step.pt2"), ttstack.compile(joint)
    assert saved.outputs() == straight.outputs()
    assert "gradient.first.weight" in saved.outputs()


def test_a_joint_graph_of_functions_is_a_module():
    def loss(weight: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor]:
        return ((x @ weight).tanh().square().mean(),)

    weight, x = torch.randn(4, 3, requires_grad=True), torch.randn(2, 4)
    graph = aot_export_joint_simple(loss, (weight, x), trace_joint=True)
    program = ttstack.compile(graph, ([weight.detach(), x], [torch.ones(())]))
    given = {"primals.0": weight.detach().numpy(), "primals.1": x.numpy(), "tangents.0": np.float32(1)}
    done = program.run(given)
    (found,) = loss(weight, x)
    found.backward()
    assert weight.grad is not None
    np.testing.assert_allclose(done.outputs["output.0.0"], found.item(), rtol=1e-6)
    np.testing.assert_allclose(done.outputs["output.1.0"], weight.grad.numpy(), atol=1e-6)
