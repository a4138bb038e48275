"""Custom kernels, which the program contains without knowing what they compute."""

from ttstack.ops.attributes import Str
from ttstack.ops.base import Op
from ttstack.ops.loop_nests import movement
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType
from ttstack.ops.work_estimate import WorkEstimate


class TtLangOp(Op, mnemonic="tt_lang_op"):
    """The tt-lang kernel `kernel_id`. It costs the movement of its operands, and cannot be executed here.

    `arg_roles` is `in` or `out` for each operand, all `in` first; the results are the `out` ones.
    """

    op_code = "CopyDeviceOperation"
    pure = False
    opaque = True
    result_names = ("results",)
    variadic_results = True
    inputs: tuple[TensorType, ...]
    kernel_id: Str
    version_tag: Str
    arg_roles: Str
    shard_spec: Str = ""

    def infer(self) -> tuple[TensorType, ...]:
        """Return the types of the operands that are written."""
        roles = [role.strip() for role in self.arg_roles.split(",")]
        for role in roles:
            expect(role in ("in", "out"), f"arg_roles has the role {role!r}, which is not in or out")
        count, written = len(self.inputs), roles.count("out")
        expect(len(roles) == count, f"arg_roles has {len(roles)} roles for {count} operands")
        expect(written > 0, f"arg_roles {self.arg_roles!r} has no operand that is written")
        expect("in" not in roles[count - written :], f"arg_roles {self.arg_roles!r} has an in after an out")
        return self.inputs[count - written :]

    def flops(self) -> int:
        """Return 0: the number is unknown."""
        return 0

    def dispatch(self) -> WorkEstimate:
        """Estimate one read and one write of each operand."""
        return movement(self.operands, self.results)
