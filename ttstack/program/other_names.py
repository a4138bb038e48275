"""Names in other libraries for parts of a program, to suggest ttstack's name."""

_NAMES = {
    "forward": "call the program: program(x)",
    "predict": "call the program: program(x)",
    "lower": "a program is compiled already: ttstack.compile(model, x)",
    "compile": "a program is compiled already; recompile(model) compiles its model with other options",
    "as_text": "the IR is program.ir, of a program compiled with keep_ir=True",
    "cost_analysis": "use program.cost()",
    "memory_analysis": "use program.cost().memory",
    "profile": "use program.cost()",
    "get_inputs": "use program.inputs()",
    "get_outputs": "use program.outputs()",
    "in_tree": "use program.inputs()",
    "out_tree": "use program.outputs()",
    "state_dict": "weights are program.binary.weights",
    "parameters": "weights are program.binary.weights",
    "eval": "a program has no modes: compile the model after model.eval()",
    "train": "a program has no modes: ttstack.compile_step compiles a training step",
    "to": "a program has one device: compile with system_desc=..., or compare(device)",
    "export": "use program.save(path)",
}


def hint_at(name: str) -> str:
    """Return a suggestion for an attribute that a program does not have; empty if nothing is similar."""
    return _NAMES.get(name, "")
