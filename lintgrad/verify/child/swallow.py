"""What a verified program does not wait for, show, load in parallel or write."""

from __future__ import annotations

import argparse
import builtins
import sys
import time
from typing import Any

import torch
import torch.utils.data


def swallow(path: str) -> None:
    """Replace slow and visible things for the rest of this process; `path` is the program's own."""
    sys.argv = [path]
    time.sleep = _nothing
    builtins.input = _empty
    torch.save = _nothing
    torch.compile = _uncompiled
    _no_workers()
    _no_required_arguments()
    _no_pictures()


def _no_workers() -> None:
    make = torch.utils.data.DataLoader.__init__

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        absent = {
            "num_workers",
            "prefetch_factor",
            "persistent_workers",
            "multiprocessing_context",
            "pin_memory",
        }
        args = (
            (*args[:5], 0, *args[6:7], *([False] if len(args) > 7 else []), *args[8:])
            if len(args) > 5
            else args
        )
        make(self, *args, **{key: value for key, value in kwargs.items() if key not in absent})

    torch.utils.data.DataLoader.__init__ = init


def _no_required_arguments() -> None:
    add = argparse._ActionsContainer.add_argument  # noqa: SLF001 - the base of parsers and their groups

    def add_argument(self: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("required", None)
        if args and not str(args[0]).startswith("-") and "nargs" not in kwargs:
            kwargs["nargs"] = "?"
        return add(self, *args, **kwargs)

    setattr(argparse._ActionsContainer, "add_argument", add_argument)  # noqa: B010, SLF001


def _no_pictures() -> None:
    """Have plots drawn nowhere, where a plotting library is loaded at all."""
    import os

    os.environ["MPLBACKEND"] = "agg"
    os.environ["WANDB_MODE"] = "disabled"
    os.environ["TQDM_DISABLE"] = "1"


def _nothing(*_: Any, **__: Any) -> None:
    """Accept anything."""


def _empty(*_: Any) -> str:
    return ""


def _uncompiled(model: Any = None, **_: Any) -> Any:
    return (lambda function: function) if model is None else model
