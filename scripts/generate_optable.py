"""Write `lintgrad/models/data/optable.json`: what each differentiable op saves for its backward.

PyTorch generates its autograd code from `derivatives.yaml`, which its wheel ships together with the
generator (`torchgen`). This script asks the same parser, then repeats the generator's own decision on
which tensor is saved under which condition (`emit_save_inputs` in `gen_variable_type.py`).

    python scripts/generate_optable.py            write the table
    python scripts/generate_optable.py --check    exit with 1 when the stored table is not current

It needs torch; lintgrad itself only reads the table. One entry, keyed by op and overload, holds

    args     the op's tensors (`x`, optional `x?`, list `x*`), its numbers (`x#`) and its `dim` (`x!`)
    grads    the tensors that can receive a gradient
    inputs   the tensors kept: `x` always, `x@y,z` when y or z needs a gradient
    outputs  the positions of the results kept
"""

# torchgen has no types to check against.
# mypy: disable-error-code="import-untyped,no-any-return"

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchgen.api.autograd import (
        DifferentiabilityInfo,
        NativeFunctionWithDifferentiabilityInfo,
        SavedAttribute,
    )
    from torchgen.model import Argument, NativeFunction

TABLE = Path(__file__).resolve().parent.parent / "lintgrad" / "models" / "data" / "optable.json"

Entry = dict[str, str]

_GRADIENT_MASK = re.compile(r"grad_input_mask\[(\d+)\]")
_FOREIGN = re.compile(r"backward|^_?(foreach|cudnn|miopen|mkldnn|mps|fused|test|nested|sparse|thnn)_")


def generate() -> dict[str, object]:
    """The table of the torch that is installed, as it is stored."""
    import torch

    entries = {str(f.func.func.name): _entry(f, info) for f, info in _ops()}
    version = torch.__version__.partition("+")[0]
    return {"torch": version, "ops": dict(sorted(entries.items()))}


def render(table: dict[str, object]) -> str:
    """The table's text: one op a line, so that a difference between versions can be read."""
    ops = table["ops"]
    assert isinstance(ops, dict)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in ops.items())
    return f'{{"torch": {json.dumps(table["torch"])}, "ops": {{\n{lines}\n}}}}\n'


def _ops() -> Iterator[tuple[NativeFunctionWithDifferentiabilityInfo, DifferentiabilityInfo]]:
    """Each op that has a formula of its own, with that formula."""
    import torchgen
    from torchgen.api.autograd import match_differentiability_info
    from torchgen.gen import parse_native_yaml
    from torchgen.model import SchemaKind
    from torchgen.packaged.autograd.gen_python_functions import SKIP_PYTHON_BINDINGS_SIGNATURES
    from torchgen.packaged.autograd.load_derivatives import load_derivatives

    packaged = Path(torchgen.__file__).parent / "packaged"
    native = str(packaged / "ATen" / "native" / "native_functions.yaml")
    tags = str(packaged / "ATen" / "native" / "tags.yaml")
    infos, _ = load_derivatives(str(packaged / "autograd" / "derivatives.yaml"), native, tags)
    functions = parse_native_yaml(native, tags).native_functions
    for function in match_differentiability_info(functions, infos):
        info = (function.info or {}).get("Default")
        schema = function.func.func
        if info is None or not info.has_derivatives or _FOREIGN.search(str(schema.name)):
            continue
        # A composite's formula serves nested tensors alone; other tensors go through its parts.
        if function.func.has_composite_implicit_autograd_kernel:
            continue
        # From Python, `x * 2` takes the overload for tensors, with the number wrapped as one.
        if str(schema) in SKIP_PYTHON_BINDINGS_SIGNATURES:
            continue
        # An in-place op without an entry of its own shares the entry of its functional form.
        own = schema.kind() is SchemaKind.functional or schema in infos
        if own and schema.kind() is not SchemaKind.out and "generated" not in function.func.tags:
            yield function, info


def _entry(function: NativeFunctionWithDifferentiabilityInfo, info: DifferentiabilityInfo) -> Entry:
    guard = _guards(info)
    saved = sorted(info.all_saved_inputs, key=_name)
    return {
        "args": " ".join(filter(None, map(_argument, function.func.func.arguments.flat_non_out))),
        "grads": " ".join(b.name for b in info.args_with_derivatives),
        "inputs": " ".join(_name(s) + guard(s) for s in saved if _is_tensor(s)),
        "outputs": " ".join(str(p) for p in _outputs(function.func, info)),
    }


def _argument(argument: Argument) -> str:
    kind = str(argument.type)
    if argument.type.is_tensor_like():
        return argument.name + ("*" if argument.type.is_list_like() else "?" if kind.endswith("?") else "")
    if kind.startswith("Scalar"):
        return argument.name + "#"
    return "dim!" if argument.name == "dim" and kind in {"int", "int[1]", "Dimname"} else ""


def _outputs(function: NativeFunction, info: DifferentiabilityInfo) -> list[int]:
    from torchgen.api import cpp

    names = list(cpp.return_names(function))
    if len(names) == 1:
        return [0] if any(_is_tensor(s) for s in info.all_saved_outputs) else []
    # A formula may call the results by their names or by `result0`, `result1`, ...
    saved = {_name(s) for s in info.all_saved_outputs if _is_tensor(s)}
    return [i for i, name in enumerate(names) if name in saved or f"result{i}" in saved]


def _name(saved: SavedAttribute) -> str:
    name = saved.nctype.name
    return name if isinstance(name, str) else name.name


def _is_tensor(saved: SavedAttribute) -> bool:
    """Whether a saved variable holds it; sizes, numbers and flags are kept as they are, for ever."""
    from torchgen.api.types import (
        BaseCType,
        ListCType,
        OptionalCType,
        VectorCType,
        iTensorListRefT,
        tensorListT,
        tensorT,
    )

    tensor = BaseCType(tensorT)
    return saved.nctype.type in (
        tensor,
        OptionalCType(tensor),
        BaseCType(tensorListT),
        BaseCType(iTensorListRefT),
        ListCType(OptionalCType(tensor)),
        VectorCType(tensor),
    )


def _guards(info: DifferentiabilityInfo) -> Callable[[SavedAttribute], str]:
    """For a saved input, the condition to write behind its name: empty when it is always saved."""
    from torchgen.api.types import BaseCType, tensorT

    arguments = info.args_with_derivatives
    lists = any(a.argument.type.is_list_like() for a in arguments if hasattr(a.argument, "type"))

    def guard(saved: SavedAttribute) -> str:
        if lists or len(arguments) <= 1 or saved.nctype.type != BaseCType(tensorT):
            return ""
        used_in = [d for d in info.derivatives if saved in d.saved_inputs]
        if len(used_in) != 1:
            return ""
        derivative = used_in[0]
        if len(derivative.var_names) == 1:
            return "@" + derivative.var_names[0]
        condition = re.search(rf"wrap_opt_if\({_name(saved)},(.*?)\)", derivative.formula)
        if condition is None:
            return ""
        return "@" + ",".join(arguments[int(i)].name for i in _GRADIENT_MASK.findall(condition[1]))

    return guard


def main(arguments: list[str]) -> int:
    """Write the table, or with `--check` compare it; the exit code."""
    parser = argparse.ArgumentParser(description="Generate the table of what autograd saves.")
    parser.add_argument("--check", action="store_true", help="only say whether the stored table is current")
    check: bool = parser.parse_args(arguments).check
    text = render(generate())
    if not check:
        TABLE.write_text(text, encoding="utf-8")
        return 0
    if TABLE.is_file() and TABLE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TABLE.name} is not what the installed torch gives; run {Path(__file__).name}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
