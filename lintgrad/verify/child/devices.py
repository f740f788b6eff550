"""Devices that are not there become the processor."""

from __future__ import annotations

from typing import Any

import torch

_ABSENT = ("cuda", "mps", "xpu", "hpu", "npu")


def on_cpu(value: Any) -> Any:
    """`value`, an argument or a tuple or dict of them, with each absent device replaced."""
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type in _ABSENT else value
    if isinstance(value, str):
        return "cpu" if value.split(":")[0] in _ABSENT else value
    if type(value) is tuple:
        return tuple(on_cpu(item) for item in value)
    if type(value) is dict:
        return {key: on_cpu(item) for key, item in value.items()}
    return value


def without_accelerators() -> None:
    """Make moves to an accelerator stay where they are."""
    move = torch.nn.Module.to

    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        return move(self, *on_cpu(args), **on_cpu(kwargs))

    def stay(self: Any, *_: Any, **__: Any) -> Any:
        return self

    torch.nn.Module.to = to
    for kind in (torch.nn.Module, torch.Tensor):
        for name in ("cuda", "xpu"):
            setattr(kind, name, stay)
    prepare = torch.amp.GradScaler.__init__

    def scaler(self: Any, *args: Any, **kwargs: Any) -> None:
        if not args:
            kwargs.setdefault("device", "cpu")
        prepare(self, *on_cpu(args), **on_cpu(kwargs))

    enter = torch.amp.autocast.__init__

    def autocast(self: Any, device_type: str, *args: Any, **kwargs: Any) -> None:
        enter(self, on_cpu(device_type), *args, **kwargs)

    torch.amp.autocast.__init__ = autocast
    torch.amp.GradScaler.__init__ = scaler
    for name in ("synchronize", "empty_cache", "set_device", "manual_seed", "manual_seed_all"):
        setattr(torch.cuda, name, _nothing)
    for name in ("reset_peak_memory_stats", "memory_allocated", "max_memory_allocated", "memory_reserved"):
        setattr(torch.cuda, name, _zero)


def _nothing(*_: Any, **__: Any) -> None:
    """Accept anything."""


def _zero(*_: Any, **__: Any) -> int:
    return 0
