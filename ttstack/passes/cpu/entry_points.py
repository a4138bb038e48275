"""C entry points of compiled functions: pointers as arguments, an error number as result."""

from collections.abc import Sequence

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.location import read_location
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.cpu.interface import INTERFACE, VERSION, FunctionInterface, symbol, weights_of


class AddEntryPoints(Pass, name="add-entry-points"):
    """Add a C function `PREFIX_NAME` for each function `NAME` of the LLVM dialect.

    Its arguments are a table of pointers to the weights, a pointer to each input, and a pointer to the memory of each
    output. It returns 0, or the number of the op with an index out of range. `ttstack_interface` describes the
    functions as text.
    """

    prefix: str = "model"

    def run(self, module: ir.Module) -> None:
        """Add all entry points, and make the functions themselves private.

        Raises:
            InvalidIRError: two functions have the same C name, or a function has no interface.
        """
        found = [(op, interface_of(op)) for op in module.body.operations if INTERFACE in op.operation.attributes]
        if not found:
            raise InvalidIRError(
                "no function has the C arguments that convert-ttir-to-linalg writes",
                hint="give the output of linalg-to-loops; for TTIR, use ttir-to-llvm, which runs all passes",
            )
        _check_names(self.prefix, [interface.name for _, interface in found])
        weights = weights_of([interface for _, interface in found])
        texts = [_interface_text(self.prefix, [interface for _, interface in found])]
        for op, interface in found:
            private = f"{self.prefix}.{interface.name}"
            op.operation.attributes["sym_name"] = ir.StringAttr.get(private)
            op.operation.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<internal>")
            del op.operation.attributes[INTERFACE]
            texts.append(_entry(symbol(self.prefix, interface.name), private, interface, list(weights)))
        for text in texts:
            declared = "\n".join(_declaration(op) for op, _ in found)
            parsed = ir.Module.parse(f"{text}\n{declared}")
            for op in list(parsed.body.operations):
                if not op.operation.regions[0].blocks and op.operation.name == "llvm.func":
                    continue
                op.detach_from_parent()
                module.body.append(op)


def interface_of(op: ir.OpView) -> FunctionInterface:
    """Read the interface of a function.

    Raises:
        InvalidIRError: the attribute was altered.
    """
    try:
        return FunctionInterface.from_json(ir.StringAttr(op.operation.attributes[INTERFACE]).value)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InvalidIRError(
            f"'{INTERFACE}' is not as convert-ttir-to-linalg writes it", loc=read_location(op.operation.location)
        ) from error


def _check_names(prefix: str, names: Sequence[str]) -> None:
    taken = dict[str, str]()
    for name in names:
        other = taken.setdefault(symbol(prefix, name), name)
        if other != name:
            raise InvalidIRError(
                f"functions '{other}' and '{name}' have one name in C, '{symbol(prefix, name)}'",
                hint="rename one of them, or compile one at a time (--function NAME)",
            )


def _declaration(op: ir.OpView) -> str:
    name = ir.StringAttr(op.operation.attributes["sym_name"]).value
    count = len(op.operation.regions[0].blocks[0].arguments)
    return f"llvm.func {_quoted(name)}({', '.join(['!llvm.ptr'] * count)})"


def _quoted(name: str) -> str:
    """Return a function name in MLIR syntax."""
    return str(ir.FlatSymbolRefAttr.get(name))


def _entry(name: str, private: str, interface: FunctionInterface, weights: list[str]) -> str:
    inputs = [f"%in{i}" for i in range(len(interface.inputs))]
    outputs = [f"%out{i}" for i in range(len(interface.outputs))]
    taken, lines, passed = iter(inputs), list[str](), list[str]()
    for i, argument in enumerate(interface.arguments):
        if argument.kind == "input":
            passed.append(next(taken))
            continue
        place = weights.index(argument.name)
        lines += [
            f"%at{i} = llvm.getelementptr %weights[{place}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr",
            f"%w{i} = llvm.load %at{i} : !llvm.ptr -> !llvm.ptr",
        ]
        passed.append(f"%w{i}")
    passed += [*outputs, "%code"]
    body = "\n  ".join(lines)
    arguments = ", ".join(f"{v}: !llvm.ptr" for v in ("%weights", *inputs, *outputs))
    return f"""llvm.func @{name}({arguments}) -> i32 {{
  %one = llvm.mlir.constant(1 : i64) : i64
  %code = llvm.alloca %one x i32 : (i64) -> !llvm.ptr
  {body}
  llvm.call {_quoted(private)}({", ".join(passed)}) : ({", ".join(["!llvm.ptr"] * len(passed))}) -> ()
  %result = llvm.load %code : !llvm.ptr -> i32
  llvm.return %result : i32
}}"""


def _interface_text(prefix: str, interfaces: list[FunctionInterface]) -> str:
    functions = ",".join(interface.to_json() for interface in interfaces)
    text = f'{{"version":{VERSION},"prefix":"{prefix}","functions":[{functions}]}}'
    quoted = str(ir.StringAttr.get(text))[1:-1]
    size = len(text.encode()) + 1
    value = f'@ttstack_interface("{quoted}\\00") {{addr_space = 0 : i32}} : !llvm.array<{size} x i8>'
    return f"llvm.mlir.global weak constant {value}"
