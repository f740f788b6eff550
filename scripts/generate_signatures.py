"""Write `lintgrad/models/data/signatures.json`: the positional parameters of torch's tensor functions.

Functions written in Python are asked through `inspect`, the others through the schemas that PyTorch's
wheel ships for `torchgen`. Only names that `lintgrad.models.tensor_ops` knows are kept.

    python scripts/generate_signatures.py            write the table
    python scripts/generate_signatures.py --check    exit with 1 when the stored table is not current

The form of a line is told in `lintgrad.models.signatures`.
"""

# torchgen has no types to check against.
# mypy: disable-error-code="import-untyped,no-any-return"

from __future__ import annotations

import argparse
import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING

from lintgrad.models.tensor_ops import known_names

if TYPE_CHECKING:
    from torchgen.model import Argument, NativeFunction

TABLE = Path(__file__).resolve().parent.parent / "lintgrad" / "models" / "data" / "signatures.json"

# Python functions whose parameters are hidden behind `*args`, or have no annotation.
BY_HAND = {
    "einsum": ["equation# operands*"],
    "tensordot": ["a b dims="],
    "meshgrid": ["tensors*"],
    "cartesian_prod": ["tensors*"],
    "block_diag": ["tensors*"],
    "broadcast_tensors": ["tensors*"],
    "atleast_1d": ["tensors*"],
    "atleast_2d": ["tensors*"],
    "atleast_3d": ["tensors*"],
    "chain_matmul": ["matrices*"],
    "multi_dot": ["tensors*"],
    "cdist": ["x1 x2 p= compute_mode="],
    "unique": ["input sorted= return_inverse= return_counts= dim="],
    "unique_consecutive": ["input return_inverse= return_counts= dim="],
    "to": ["input dtype= non_blocking= copy=", "input device= dtype= non_blocking= copy=", "input other"],
    "type": ["input dtype="],
    "numpy": ["input force="],
    "tensor": ["data#"],
    "as_tensor": ["data"],
    "new_tensor": ["input data#"],
    "pad": ["input pad# mode= value="],
    "getitem": ["input indices*"],
    "setitem": ["input value indices*"],
    "normal": ["mean= std= size=", "mean std="],
    "lstm": ["input hx? weights*"],
    "gru": ["input hx? weights*"],
    "pad_sequence": ["sequences* batch_first= padding_value="],
    "pack_padded_sequence": ["input lengths# batch_first= enforce_sorted="],
    "pad_packed_sequence": ["sequence batch_first= padding_value= total_length="],
}

_RECURRENT = "input_size hidden_size num_layers bias batch_first dropout bidirectional"
CONSTRUCTORS_BY_HAND = {
    "RNN": "input_size hidden_size num_layers nonlinearity bias batch_first dropout bidirectional",
    "NLLLoss2d": "weight size_average ignore_index reduce reduction",
    "GRU": _RECURRENT,
    "LSTM": f"{_RECURRENT} proj_size",
}


def generate() -> dict[str, object]:
    """The table of the torch that is installed, as it is stored."""
    import torch

    native = _native_signatures()
    functions: dict[str, list[str]] = {}
    for name in sorted(known_names()):
        lines = BY_HAND.get(name) or [*_python_signatures(name), *native.get(name, [])]
        if lines:
            functions[name] = list(dict.fromkeys(lines))
    version = torch.__version__.partition("+")[0]
    return {"torch": version, "functions": functions, "classes": _constructors()}


def render(table: dict[str, object]) -> str:
    """The table's text: one function or class a line."""
    sections = [f'"torch": {json.dumps(table["torch"])}']
    for title in ("functions", "classes"):
        section = table[title]
        assert isinstance(section, dict)
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in section.items())
        sections.append(f'"{title}": {{\n{lines}\n}}')
    return "{" + ", ".join(sections) + "}\n"


def _constructors() -> dict[str, str]:
    """The parameters of each layer's, optimizer's and scheduler's constructor."""
    import torch
    from torch.optim import lr_scheduler, swa_utils

    found: dict[str, str] = {}
    for module, base in (
        (torch.nn, torch.nn.Module),
        (torch.optim, torch.optim.Optimizer),
        (lr_scheduler, lr_scheduler.LRScheduler),
        (swa_utils, lr_scheduler.LRScheduler),
    ):
        for name, value in vars(module).items():
            if inspect.isclass(value) and issubclass(value, base) and not name.startswith("_"):
                found[name] = CONSTRUCTORS_BY_HAND.get(name) or _constructor(value)
    return dict(sorted(found.items()))


def _constructor(value: type[object]) -> str:
    names = list(inspect.signature(value).parameters)
    return "" if names == ["args", "kwargs"] else " ".join(names)


def _python_signatures(name: str) -> Iterator[str]:
    import torch
    import torch.nn.functional as F  # noqa: N812  torch's own name for it

    for owner in (F, torch, torch.Tensor):
        # `max_pool2d` chooses between functions at run time; the one it means is `_max_pool2d`.
        function = getattr(owner, f"_{name}", None) if owner is F else None
        if not isinstance(function, FunctionType):
            function = getattr(owner, name, None)
        if isinstance(function, FunctionType):
            line = _inspected(function)
            if line:
                yield line


def _inspected(function: FunctionType) -> str:
    words: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            return ""
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            name = "input" if parameter.name == "self" else parameter.name
            words.append(name + _inspected_kind(parameter))
    return " ".join(words)


def _inspected_kind(parameter: inspect.Parameter) -> str:
    annotation = str(parameter.annotation)
    default = parameter.default is not parameter.empty
    if parameter.name in {"self", "input"} or ("Tensor" in annotation and "int" not in annotation):
        return "?" if default else ""
    return "=" if default else "#"


def _native_signatures() -> dict[str, list[str]]:
    import torchgen
    from torchgen.gen import parse_native_yaml
    from torchgen.model import SchemaKind
    from torchgen.packaged.autograd.gen_python_functions import SKIP_PYTHON_BINDINGS_SIGNATURES

    native = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    parsed = parse_native_yaml(str(native / "native_functions.yaml"), str(native / "tags.yaml"))
    found: dict[str, list[str]] = {}
    for function in parsed.native_functions:
        schema = function.func
        if schema.kind() is SchemaKind.out or str(schema) in SKIP_PYTHON_BINDINGS_SIGNATURES:
            continue
        if any(str(a.type).startswith("Dimname") for a in schema.arguments.flat_positional):
            continue
        found.setdefault(_public_name(function), []).append(_schema_line(function))
    return found


def _public_name(function: NativeFunction) -> str:
    name = str(function.func.name.name)
    module = function.python_module or ""
    return name.removeprefix(f"{module}_") if module in {"linalg", "fft", "special"} else name


def _schema_line(function: NativeFunction) -> str:
    arguments = [a for a in function.func.arguments.flat_positional if a is not None]
    words = [("input" if a.name == "self" else a.name) + _schema_kind(a) for a in arguments]
    if arguments and str(arguments[-1].type) in {"int[]", "SymInt[]"}:
        words[-1] = words[-1].rstrip("#=") + "+"
    return " ".join(words)


def _schema_kind(argument: Argument) -> str:
    if argument.type.is_tensor_like():
        optional = argument.default is not None or argument.type.is_nullable()
        return "*" if argument.type.is_list_like() is not None else "?" if optional else ""
    return "#" if argument.default is None else "="


def main(arguments: list[str]) -> int:
    """Write the table, or with `--check` compare it; the exit code."""
    parser = argparse.ArgumentParser(description="Generate the table of torch's signatures.")
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
