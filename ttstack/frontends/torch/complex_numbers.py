"""Exported programs on complex numbers as programs on pairs of reals.

`torch._subclasses.complex_tensor` spells most ATen ops on complex tensors with real ones; this module traces a program
with it, and adds constructors and Fourier transforms. Complex parameters become two real ones, complex inputs and
outputs have one more dimension of 2, as `torch.view_as_real` gives it.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, cast

import torch
from torch import Tensor, fx, nn
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature, InputKind, InputSpec, OutputSpec, TensorArgument
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.traceback import preserve_node_meta
from torch.utils._python_dispatch import TorchDispatchMode

from ttstack.diagnostics import UnsupportedOpError
from ttstack.frontends.torch.alone import alone
from ttstack.frontends.torch.fourier import discrete_fourier, real_of_half
from ttstack.frontends.torch.source_lines import line_of_node, spell

_aten = torch.ops.aten
_DEAD = (_aten.is_pinned.default, _aten.detach.default, _aten.alias.default, _aten._conj.default)
_PARTS = ("real", "imag")


def _has_complex_numbers(program: ExportedProgram) -> bool:
    """Return True if a value of a program is complex."""
    return any(_is_complex(node.meta.get("val")) for node in program.graph.nodes)


def as_real_pairs(program: ExportedProgram) -> ExportedProgram:
    """Return a program on real numbers that computes the same; the same program if it has no complex numbers.

    Raises:
        UnsupportedOpError: an op has no form on pairs of reals.
    """
    if not _has_complex_numbers(program):
        return program
    with alone(), warnings.catch_warnings(), preserve_node_meta(), torch.no_grad():
        warnings.simplefilter("ignore")
        return _traced(program)


def _traced(program: ExportedProgram) -> ExportedProgram:
    program = program.run_decompositions({})  # no op writes to an operand any more
    specs = program.graph_signature.input_specs
    placeholders = program.graph.find_nodes(op="placeholder")
    layout = [_Placeholder(spec, node.meta["val"]) for spec, node in zip(specs, placeholders, strict=True)]

    def run(*given: Tensor) -> list[Any]:
        rest = iter(given)
        with _Complex():
            values = [p.assemble(rest) for p in layout]
            results = _PairInterpreter(program.graph_module).run(*values)
            return [_interleaved(value) for value in results]

    fakes = [fake for p in layout for fake in p.fakes()]
    traced = make_fx(run, tracing_mode="fake", _allow_non_fake_inputs=True)(*fakes)
    return _exported(program, traced, layout)


class _Placeholder:
    """A value that a program is given, and what it becomes: two parameters, or one input with one more dimension."""

    def __init__(self, spec: InputSpec, value: Any) -> None:
        self.spec, self.value = spec, value
        self.splits = _is_complex(value) and spec.kind is not InputKind.USER_INPUT

    def fakes(self) -> Iterator[Any]:
        if not _is_complex(self.value):
            yield self.value
        elif self.splits:
            yield from (_empty(self.value, self.value.shape) for _ in _PARTS)
        else:
            yield _empty(self.value, (*self.value.shape, 2))

    def assemble(self, rest: Iterator[Any]) -> Any:
        first = next(rest)
        if not _is_complex(self.value):
            return first
        return _pair(first, next(rest)) if self.splits else _view_as_complex(first)

    def specs(self) -> Iterator[InputSpec]:
        if not self.splits:
            yield self.spec
            return
        for part in _PARTS:
            argument = TensorArgument(name=f"{self.spec.arg.name}_{part}")
            yield replace(self.spec, arg=argument, target=f"{self.spec.target}.{part}")


def _empty(like: Tensor, shape: Sequence[int]) -> Tensor:
    dtype = like.dtype.to_real()
    mode = getattr(like, "fake_mode", None)
    if mode is None:
        return torch.empty(tuple(shape), dtype=dtype, device="meta")
    with mode:
        return torch.empty(tuple(shape), dtype=dtype)


def _is_complex(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_complex()


def _interleaved(value: Any) -> Any:
    return _view_as_real(value) if _is_complex(value) else value


class _PairInterpreter(fx.Interpreter):
    """Runs a program and says which op has no form on pairs."""

    def run_node(self, n: fx.Node) -> Any:
        try:
            return super().run_node(n)
        except (NotImplementedError, TypeError, RuntimeError) as e:
            if n.op != "call_function" or not any(_is_complex(a.meta.get("val")) for a in (n, *n.all_input_nodes)):
                raise
            raise UnsupportedOpError(
                f"'{n.target}' has no form on pairs of real numbers",
                loc=spell(line_of_node(n)) or None,
                notes=(str(e).splitlines()[0][:200],),
                hint="write it with a real and an imaginary part",
            ) from e

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call an op, or what stands for one that writes to its operands inside of PyTorch."""
        if target in _IN_PLACE:
            return _IN_PLACE[target](*args, **kwargs)
        return super().call_function(target, args, kwargs)


class _Complex(TorchDispatchMode):
    """Gives complex results as pairs, of ops whose operands are real."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        made = _MADE.get(func)
        if made is not None:
            return made(*args, **kwargs)
        has_number = any(isinstance(a, complex) for a in args)
        dtype = kwargs.get("dtype") or (torch.complex64 if has_number else torch.float32)
        if func in _CREATED and dtype.is_complex:
            return _created(func, args, kwargs, dtype)
        if has_number and not any(map(_is_complex, args)):
            args = tuple(
                _pair(a, torch.zeros_like(a)) if isinstance(a, Tensor) and i == 0 else a for i, a in enumerate(args)
            )
        return func(*args, **kwargs)


def _pair(re: Tensor, im: Tensor) -> Tensor:
    from torch._subclasses.complex_tensor import ComplexTensor

    return ComplexTensor(re, im)


def _view_as_complex(x: Tensor) -> Tensor:
    return _pair(x.select(-1, 0), x.select(-1, 1))


def _view_as_real(x: Any) -> Tensor:
    return torch.stack([x.re, x.im], -1)


def _polar(r: Tensor, angle: Tensor) -> Tensor:
    return _pair(r * torch.cos(angle), r * torch.sin(angle))


def _from_real(x: Tensor, dtype: torch.dtype) -> Tensor:
    x = x.to(dtype.to_real())
    return _pair(x, torch.zeros_like(x))


def _created(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dtype: torch.dtype) -> Tensor:
    real = {**kwargs, "dtype": dtype.to_real()}
    if func is _aten._to_copy.default:
        x = args[0]
        return _pair(x.re.to(real["dtype"]), x.im.to(real["dtype"])) if _is_complex(x) else _from_real(x, dtype)
    value = next((a for a in args if isinstance(a, complex)), None)
    if value is not None:
        parts = [tuple(getattr(a, p) if isinstance(a, complex) else a for a in args) for p in _PARTS]
        return _pair(func(*parts[0], **real), func(*parts[1], **real))
    re = func(*args, **real)
    return _pair(re, torch.zeros_like(re))


_CREATED = (
    _aten._to_copy.default,
    _aten.full.default,
    _aten.zeros.default,
    _aten.ones.default,
    _aten.full_like.default,
    _aten.zeros_like.default,
    _aten.ones_like.default,
)


def _fft_c2c(x: Any, dims: Sequence[int], normalization: int, forward: bool) -> Tensor:
    re, im = (x.re, x.im) if hasattr(x, "re") else (x, None)
    for dim in dims:
        re, im = discrete_fourier(re, im, dim, forward=forward)
    return _scaled(re, cast(Tensor, im), [re.shape[d] for d in dims], normalization)


def _fft_r2c(x: Tensor, dims: Sequence[int], normalization: int, onesided: bool) -> Tensor:
    *others, last = dims
    half = x.shape[last] // 2 + 1 if onesided else None
    re, im = discrete_fourier(x, None, last, forward=True, kept=half)
    for dim in others:
        re, im = discrete_fourier(re, im, dim, forward=True)
    return _scaled(re, im, [x.shape[d] for d in dims], normalization)


def _fft_c2r(x: Any, dims: Sequence[int], normalization: int, size: int) -> Tensor:
    *others, last = dims
    re, im = x.re, x.im
    for dim in others:
        re, im = discrete_fourier(re, im, dim, forward=False)
    sizes = [*(re.shape[d] for d in others), size]
    return real_of_half(re, im, last, size) * _scale(sizes, normalization)


def _scale(sizes: Sequence[int], normalization: int) -> float:
    total = math.prod(sizes)
    return {0: 1.0, 1: total**-0.5, 2: 1 / total}[normalization]


def _scaled(re: Tensor, im: Tensor, sizes: Sequence[int], normalization: int) -> Tensor:
    scale = _scale(sizes, normalization)
    return _pair(re * scale, im * scale) if scale != 1.0 else _pair(re, im)


def _copy(target: Any, source: Any, *_: Any) -> Tensor:
    shape = target.shape
    if not _is_complex(target):
        return (source.re if _is_complex(source) else source).expand(shape).to(target.dtype)
    parts = (source.re, source.im) if _is_complex(source) else (source, torch.zeros_like(source))
    return _pair(*(part.expand(shape).to(target.re.dtype) for part in parts))


def _stft(
    x: Tensor,
    size: int,
    hop: int | None = None,
    width: int | None = None,
    window: Tensor | None = None,
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align: bool | None = None,  # noqa: ARG001
) -> Tensor:
    frames = x.unfold(-1, size, hop or size // 4)
    if window is not None:
        left = (size - (width or size)) // 2
        frames = frames * torch.nn.functional.pad(window, (left, size - window.shape[0] - left))
    found = cast(Any, _fft_r2c(frames, [frames.dim() - 1], int(normalized), onesided is not False))
    re, im = found.re.transpose(-1, -2), found.im.transpose(-1, -2)
    return _pair(re, im) if return_complex else torch.stack([re, im], -1)


_MADE: dict[Any, Callable[..., Any]] = {
    _aten.view_as_complex.default: _view_as_complex,
    _aten.view_as_real.default: _view_as_real,
    _aten.complex.default: _pair,
    _aten.polar.default: _polar,
    _aten._fft_c2c.default: _fft_c2c,
    _aten._fft_r2c.default: _fft_r2c,
    _aten._fft_c2r.default: _fft_c2r,
}
_IN_PLACE: dict[Any, Callable[..., Any]] = {_aten.stft.default: _stft, _aten.copy.default: _copy}


def _fold_constants(traced: fx.GraphModule) -> None:
    """Compute what depends on tensors that a graph holds alone: parts of complex numbers among them."""
    values: dict[fx.Node, Tensor] = {}
    for node in list(traced.graph.nodes):
        if node.op == "get_attr":
            values[node] = getattr(traced, str(node.target))
        elif isinstance(node.target, OpOverload) and values.keys() >= set(node.all_input_nodes) != set():
            arguments, keywords = fx.map_arg((node.args, node.kwargs), lambda n: cast(Any, values[n]))
            values[node] = cast(Any, node.target)(*arguments, **keywords)
    for number, (node, value) in enumerate(values.items()):
        if node.op != "get_attr" and any(user not in values for user in node.users):
            name = f"_folded{number}"
            traced.register_buffer(name, value)
            with traced.graph.inserting_before(node):
                held = traced.graph.get_attr(name)
            held.meta = {**node.meta}
            node.replace_all_uses_with(held, delete_user_cb=lambda user: user not in values)
    traced.graph.eliminate_dead_code()


def _lift_constants(traced: fx.GraphModule) -> dict[str, Tensor]:
    """Make placeholders of the tensors that a graph holds, before all others; return their values by name."""
    _fold_constants(traced)
    found: dict[str, Tensor] = {}
    first = next(iter(traced.graph.nodes))
    for node in traced.graph.find_nodes(op="get_attr"):
        value = getattr(traced, str(node.target))
        name = f"c_pair_{len(found)}"
        with traced.graph.inserting_before(first):
            lifted = traced.graph.placeholder(name)
        lifted.meta = {**node.meta, "val": node.meta.get("val", value)}
        node.replace_all_uses_with(lifted)
        traced.graph.erase_node(node)
        found = {name: value, **found}
        first = lifted
    return dict(reversed(found.items()))


def _exported(program: ExportedProgram, traced: fx.GraphModule, layout: Sequence[_Placeholder]) -> ExportedProgram:
    """The traced graph with the signature and the state of the program."""
    graph = traced.graph
    for node in list(graph.nodes):
        if node.target in _DEAD:
            if node.target is not _aten.is_pinned.default:
                node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    specs = [spec for p in layout for spec in p.specs()]
    for node, spec in zip(graph.find_nodes(op="placeholder"), specs, strict=True):
        node.name = node.target = spec.arg.name
    (results,) = graph.find_nodes(op="output")[0].args
    outputs = [
        OutputSpec(o.kind, TensorArgument(name=n.name) if isinstance(o.arg, TensorArgument) else o.arg, o.target)
        for o, n in zip(program.graph_signature.output_specs, cast(Sequence[fx.Node], results), strict=True)
    ]
    state, constants = dict(program.state_dict), dict(program.constants)
    for name, value in _lift_constants(traced).items():
        argument = TensorArgument(name=name)
        specs.insert(0, InputSpec(InputKind.CONSTANT_TENSOR, argument, target=name, persistent=None))
        constants[name] = value
    graph.lint()
    for p in layout:
        if p.splits and p.spec.target is not None:
            holder = state if p.spec.target in state else constants
            value = holder.pop(p.spec.target)
            for part in _PARTS:
                half = getattr(cast(Tensor, value).detach(), part).contiguous()
                is_parameter = isinstance(value, nn.Parameter)
                holder[f"{p.spec.target}.{part}"] = nn.Parameter(half, requires_grad=False) if is_parameter else half
    return ExportedProgram(
        root=traced,
        graph=graph,
        graph_signature=ExportGraphSignature(input_specs=specs, output_specs=outputs),
        state_dict=state,
        range_constraints=copy(program.range_constraints),
        module_call_graph=program.module_call_graph,
        example_inputs=program.example_inputs,
        constants=constants,
    )
