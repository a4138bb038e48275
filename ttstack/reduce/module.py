"""A module made smaller for as long as something holds of it, such as that a command fails on it: delta debugging."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count

from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.context import new_context
from ttstack.dialects.functions import all_functions, refresh_signature
from ttstack.dialects.text import print_module
from ttstack.frontends.text import parse
from ttstack.mlir import func, ir, register_stablehlo_dialects
from ttstack.passes.functions import defined_functions
from ttstack.reduce.progress import ReductionState

Holds = Callable[[str], bool]
"""Asked of the text of a smaller module."""
OnTry = Callable[[ReductionState], None]
"""Called after each try."""

_NUMBER, _RESULTS = "ttstack.number", "ttstack.results"
"""Attributes that tell functions, their results and ops apart while others go; no text that is asked about has them."""


def reduce_module(text: str, holds: Holds, progress: OnTry | None = None, *, workers: int = 1) -> str:
    """The smallest module found of which something holds that holds of this text: results, ops and functions go.

    What ops gave that others still read comes in as an argument. `progress` is called after each try. What is asked
    about has our spelling, whichever the text has. `workers` is how many modules are asked about at once, in threads.

    Raises:
        InvalidIRError: the text does not parse.
    """
    with new_context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        register_stablehlo_dialects(context)
        module = parse(text)
        for number, op in enumerate((*all_functions(module), *_ops(module))):
            op.attributes[_NUMBER] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
        first = 0
        for function in _defined(module):
            results = len(function.type.results)
            function.attributes[_RESULTS] = ir.DenseI64ArrayAttr.get(range(first, first + results))
            first += results
        search = _Search(str(module), holds, progress, _plain(module), _count_ops(module), workers)
        before = None
        while search.current != before:
            before = search.current
            for remove in (_without_functions, _without_results, _before_results, _around_ops, _without_ops):
                search.leave_out(remove)
        return search.smallest


@dataclass
class _Search:
    """The smallest module so far."""

    current: str
    holds: Holds
    progress: OnTry | None
    smallest: str
    ops: int
    workers: int
    tries: int = 0

    def leave_out(self, remove: "_Remove") -> None:
        """Remove as many of the things that `remove` knows as possible: all at once, then halves of them."""
        pending = [sorted(remove(ir.Module.parse(self.current), frozenset()), reverse=True)]
        while pending:
            some = [pending.pop() for _ in range(min(self.workers, len(pending)))]
            pending += reversed([rest for items in self._try_each(remove, some) for rest in items])

    def _try_each(self, remove: "_Remove", some: Sequence[list[int]]) -> list[list[list[int]]]:
        """Try to remove several sets, each alone; return for each what is left to try.

        The first set without which something still holds is removed; sets that were tried at the same time are tried
        again.
        """
        candidates = [self._without(remove, numbers) for numbers in some]
        left, accepted = list[list[list[int]]](), False
        for numbers, candidate, held in zip(some, candidates, self._held(candidates), strict=True):
            halves = [numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]] if len(numbers) > 1 else []
            left.append([] if held and not accepted else [numbers] if held else halves)
            if held and candidate and not accepted:
                self.current, self.smallest, self.ops = candidate
                accepted = True
            if self.progress and candidate:
                self.progress(ReductionState(self.smallest, self.ops, self.tries))
        return left

    def _held(self, candidates: Sequence["_Candidate | None"]) -> list[bool]:
        texts = [candidate[1] for candidate in candidates if candidate]
        self.tries += len(texts)
        if len(texts) > 1:
            with ThreadPoolExecutor(len(texts)) as pool:
                answers = iter(list(pool.map(self.holds, texts)))
        else:
            answers = iter(list(map(self.holds, texts)))
        return [next(answers) if candidate else False for candidate in candidates]

    def _without(self, remove: "_Remove", some: Sequence[int]) -> "_Candidate | None":
        """The module without some things; None if that is the same module, or not valid."""
        module = ir.Module.parse(self.current)
        remove(module, frozenset(some))
        _drop_unread(module)
        text = str(module)
        if not some or text == self.current or not _is_valid(module):
            return None
        return text, _plain(module), _count_ops(module)


_Candidate = tuple[str, str, int]
"""The text of a smaller module, the text that is asked about, and its number of ops."""
_Remove = Callable[[ir.Module, frozenset[int]], Iterable[int]]
"""Takes things away by their numbers, and gives the numbers of all that there are."""


def _without_functions(module: ir.Module, numbers: frozenset[int]) -> list[int]:
    found = {_number(function): function for function in all_functions(module)}
    for number in numbers & found.keys():
        found[number].erase()
    return list(found)


def _without_results(module: ir.Module, numbers: frozenset[int]) -> list[int]:
    """Results of functions by the numbers that these carry."""
    found: list[int] = []
    for function in _defined(module):
        *_, end = function.regions[0].blocks[0].operations
        own = list(ir.DenseI64ArrayAttr(function.attributes[_RESULTS]))
        found += own
        kept = {number: value for number, value in zip(own, end.operands, strict=True) if number not in numbers}
        if len(kept) < len(own):
            _return(function, kept)
    return found


def _before_results(module: ir.Module, numbers: frozenset[int]) -> list[int]:
    """Remove ops whose results a function returns, by their numbers: what other ops compute for them is returned."""
    found: list[int] = []
    for function in _defined(module):
        *_, end = function.regions[0].blocks[0].operations
        own = list(ir.DenseI64ArrayAttr(function.attributes[_RESULTS]))
        kept = dict(zip(own, end.operands, strict=True))
        for number, value in list(kept.items()):
            made_by = value.owner if isinstance(value, ir.OpResult) else None
            inner = [v for v in made_by.operands if isinstance(v, ir.OpResult)] if made_by else []
            if made_by is None or not inner:
                continue
            found.append(_number(made_by.operation))
            if found[-1] in numbers:
                del kept[number]
                fresh = count(max([*own, *kept]) + 1)
                kept |= {next(fresh): v for v in inner if v not in kept.values()}
        if list(kept) != own:
            _return(function, kept)
    return found


def _return(function: func.FuncOp, values: Mapping[int, ir.Value]) -> None:
    """Let a function return other values, by the numbers of its results."""
    *_, end = function.regions[0].blocks[0].operations
    with insert_before(end):
        func.ReturnOp(list(values.values()))
    end.erase()
    function.attributes[_RESULTS] = ir.DenseI64ArrayAttr.get(list(values))
    _set_type(function)


def _number(op: ir.Operation | func.FuncOp) -> int:
    return ir.IntegerAttr(op.attributes[_NUMBER]).value


def _around_ops(module: ir.Module, numbers: frozenset[int]) -> list[int]:
    """Ops by the numbers that they carry; those that read their results get an operand of the same type."""
    return _erase(module, numbers, _same)


def _same(op: ir.Operation, result: ir.OpResult) -> ir.Value | None:
    return next((v for v in op.operands if v.type == result.type), None)


def _without_ops(module: ir.Module, numbers: frozenset[int]) -> list[int]:
    """Ops by the numbers that they carry; those that read their results get arguments."""
    return _erase(module, numbers, lambda op, result: op.block.add_argument(result.type, op.location))


def _erase(
    module: ir.Module, numbers: frozenset[int], instead: Callable[[ir.Operation, ir.OpResult], ir.Value | None]
) -> list[int]:
    found: list[int] = []
    for function in _defined(module):
        block = function.regions[0].blocks[0]
        *ops, _ = [op.operation for op in block.operations]
        for op in ops:
            number = _number(op)
            found.append(number)
            values = [instead(op, result) for result in op.results] if number in numbers else []
            known = [value for value in values if value is not None]
            if known and len(known) == len(op.results):
                for result, value in zip(op.results, known, strict=True):
                    result.replace_all_uses_with(value)
                op.erase()
        _set_type(function)
    return found


def _drop_unread(module: ir.Module) -> None:
    """Ops and arguments that nothing reads go."""
    for function in _defined(module):
        block = function.regions[0].blocks[0]
        *ops, _ = [op.operation for op in block.operations]
        for op in reversed(ops):
            if op.results and not any(list(result.uses) for result in op.results):
                op.erase()
        for number in reversed(range(len(block.arguments))):
            if not list(block.arguments[number].uses):
                block.erase_argument(number)
        _set_type(function)


def _set_type(function: func.FuncOp) -> None:
    """The function's type follows its arguments and results; attributes of either, which are counted, go."""
    before = function.type
    refresh_signature(function)
    if function.type != before:
        for name in ("arg_attrs", "res_attrs"):
            if name in function.attributes:
                del function.attributes[name]


def _defined(module: ir.Module) -> Iterator[func.FuncOp]:
    return (function for function in defined_functions(module) if len(function.regions[0].blocks) == 1)


def _ops(module: ir.Module) -> Iterator[ir.Operation]:
    """All ops of functions but their returns."""
    for function in _defined(module):
        *ops, _ = function.regions[0].blocks[0].operations
        yield from (op.operation for op in ops)


def _count_ops(module: ir.Module) -> int:
    return sum(1 for _ in _ops(module))


def _is_valid(module: ir.Module) -> bool:
    try:
        return bool(module.operation.verify())
    except ir.MLIRError:
        return False


def _plain(module: ir.Module) -> str:
    """The text without numbers."""
    copy = ir.Module.parse(str(module))
    for op in (*all_functions(copy), *_ops(copy)):
        for name in (_NUMBER, _RESULTS):
            if name in op.attributes:
                del op.attributes[name]
    return print_module(copy)
