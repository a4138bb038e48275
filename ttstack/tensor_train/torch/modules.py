"""`torch.nn.Embedding` and `torch.nn.EmbeddingBag` with tables in Tensor-Train form."""
# Not all of PyTorch says its types.
# pyright: reportUnknownMemberType=false

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train import bags
from ttstack.tensor_train.arguments import whole
from ttstack.tensor_train.decomposition import decompose
from ttstack.tensor_train.planner import plan as new_plan
from ttstack.tensor_train.shape import TensorTrainPlan
from ttstack.tensor_train.tensor_train import TensorTrain
from ttstack.tensor_train.torch.checkpoints import FBTT, TENSORLY, read_checkpoint
from ttstack.tensor_train.torch.initial import sampled_gaussian_
from ttstack.tensor_train.torch.ops import tensor_train_embedding, tensor_train_embedding_bag


class TensorTrainTable(nn.Module):
    """The parameters of a table in Tensor-Train form; `cores` are index-major, as in `plan.core_shapes`.

    Saved state of FBTT-Embedding or tensorly-torch for a table of the same plan can be loaded.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        refused: dict[str, bool],
        padding_idx: int | None,
        ranks: int | Sequence[int],
        plan: TensorTrainPlan | None,
        device: torch.device | str | None,
        dtype: object,
    ) -> None:
        super().__init__()
        for name in (name for name, given in refused.items() if given):
            raise TensorTrainError(
                f"{name} has no meaning for a table in Tensor-Train form, whose rows share their numbers",
                hint=f"leave out {name}",
            )
        element = _trainable(dtype)
        self.plan = plan = new_plan(num_embeddings, embedding_dim, ranks=ranks) if plan is None else plan
        if (plan.rows, plan.cols) != (num_embeddings, embedding_dim):
            raise TensorTrainError(
                f"the plan is for {plan.rows} x {plan.cols}, the module for {num_embeddings} x {embedding_dim}",
                hint="plan for the size of the module's table",
            )
        if padding_idx is not None and not (whole(padding_idx, -num_embeddings) and padding_idx < num_embeddings):
            raise TensorTrainError(
                f"padding_idx {padding_idx!r} is outside of a table of {num_embeddings} rows",
                hint="give one of its rows",
            )
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        shapes = self.plan.core_shapes
        self.cores = nn.ParameterList(nn.Parameter(torch.empty(s, device=device, dtype=element)) for s in shapes)
        self.register_load_state_dict_pre_hook(_translate)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize the cores, as TT-Rec does."""
        if not self.cores[0].is_meta:
            sampled_gaussian_(self.cores, self.plan)

    @classmethod
    def from_tensor_train(cls, train: TensorTrain, freeze: bool = False, **arguments: Any) -> Self:
        """Create a module with the cores of a table, in their type; other arguments are those of the class."""
        cores = [torch.from_numpy(core) for core in train.cores]
        given: dict[str, Any] = {"dtype": cores[0].dtype, **arguments}
        module = cls(train.plan.rows, train.plan.cols, plan=train.plan, **given)
        with torch.no_grad():
            for parameter, core in zip(module.cores, cores, strict=True):
                parameter.copy_(core)
        return module.requires_grad_(not freeze)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, *, plan: TensorTrainPlan, **arguments: Any
    ) -> Self:
        """Create a module from the decomposition of a dense table by `plan`; other arguments are those of the class.

        Raises:
            TensorTrainError: as for `decompose`.
        """
        values = torch.as_tensor(embeddings).detach().cpu()
        return cls.from_tensor_train(decompose(_as_numpy(values), plan), freeze, **arguments)

    def tensor_train(self) -> TensorTrain:
        """Return a NumPy copy of the table, to inspect, round, or save."""
        return TensorTrain(self.plan, tuple(_as_numpy(core.detach().cpu()).copy() for core in self.cores))

    def extra_repr(self) -> str:
        """Return size, factors and ranks."""
        factors = f"row_factors={self.plan.row_factors}, col_factors={self.plan.col_factors}, ranks={self.plan.ranks}"
        return f"{self.num_embeddings}, {self.embedding_dim}, {factors}"


class TensorTrainEmbedding(TensorTrainTable):
    """`torch.nn.Embedding` of `ranks` or by `plan`; the row of `padding_idx` is 0 and is not trained.

    Raises:
        TensorTrainError: `max_norm`, `scale_grad_by_freq` or `sparse` are set, or the plan is for another size.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        *,
        ranks: int | Sequence[int] = 16,
        plan: TensorTrainPlan | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        refused = {"max_norm": max_norm is not None, "scale_grad_by_freq": scale_grad_by_freq, "sparse": sparse}
        super().__init__(num_embeddings, embedding_dim, refused, padding_idx, ranks, plan, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Return rows of the table, `(*input.shape, embedding_dim)`."""
        rows = tensor_train_embedding(input, list(self.cores), self.num_embeddings, list(self.plan.col_factors))
        if self.padding_idx is None:
            return rows
        return rows.masked_fill((input == self.padding_idx).unsqueeze(-1), 0)


class TensorTrainEmbeddingBag(TensorTrainTable):
    """`torch.nn.EmbeddingBag` of `ranks` or by `plan`.

    Raises:
        TensorTrainError: the mode is unknown, `max_norm`, `scale_grad_by_freq` or `sparse` are set, or the plan is for
        another size.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        *,
        ranks: int | Sequence[int] = 16,
        plan: TensorTrainPlan | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        refused = {"max_norm": max_norm is not None, "scale_grad_by_freq": scale_grad_by_freq, "sparse": sparse}
        super().__init__(num_embeddings, embedding_dim, refused, padding_idx, ranks, plan, device, dtype)
        if mode not in bags.MODES:
            raise TensorTrainError(f"mode is {mode!r}", hint=f"use one of {', '.join(bags.MODES)}")
        self.mode, self.include_last_offset = mode, include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """Return pooled rows, `(bags, embedding_dim)`."""
        return tensor_train_embedding_bag(
            input,
            list(self.cores),
            self.num_embeddings,
            list(self.plan.col_factors),
            offsets,
            per_sample_weights,
            self.mode,
            self.include_last_offset,
            self.padding_idx,
        )


def _trainable(dtype: object) -> torch.dtype | None:
    """Return the type of parameters; raise `TensorTrainError` unless it is one of real numbers."""
    if dtype is None or (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        return dtype
    raise TensorTrainError(f"parameters of {dtype!r} cannot be trained", hint="use torch.float32")


def _as_numpy(values: Tensor) -> np.ndarray:
    return (values.float() if values.dtype == torch.bfloat16 else values).numpy()


def _translate(module: TensorTrainTable, state_dict: dict[str, Any], prefix: str, *_: object) -> None:
    """Replace entries of other implementations by this module's."""
    if f"{prefix}{FBTT}0" not in state_dict and f"{prefix}{TENSORLY}0" not in state_dict:
        return
    plan = module.plan
    train = read_checkpoint(state_dict, prefix=prefix, rows=plan.rows, col_factors=plan.col_factors)
    for name in [name for name in state_dict if name.startswith(prefix)]:
        del state_dict[name]
    state_dict |= {f"{prefix}cores.{k}": torch.from_numpy(core) for k, core in enumerate(train.cores)}
