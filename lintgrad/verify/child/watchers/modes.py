"""Forwards with the mode that they run in, switches of modes, and dropouts that do not hear of them."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn.modules.batchnorm import _NormBase
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from lintgrad.verify.child.tensors import root, tensors
from lintgrad.verify.child.watchers.watcher import Watcher

_DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
_unwatched = torch._C.DisableTorchFunction  # noqa: SLF001 - its only name


@dataclass
class Modes(Watcher):
    """Sees `forward`, of an outermost module: its `module`'s number, whether it was `training`.

    And whether a layer in it acted as in training (`acts`), whether there came a `graph`, and a backward
    that `walked` it. `switch` is a call of `train` or `eval` and the mode that it sets; `dropped` a dropout
    that drops whatever the mode, and whether the module whose forward runs is `training`. `applied` tells
    that a step came after the backward. `off` is where gradients are turned off, or may be.
    """

    running: list[torch.nn.Module] = field(default_factory=list)
    numbers: weakref.WeakKeyDictionary[torch.nn.Module, int] = field(
        default_factory=weakref.WeakKeyDictionary
    )
    switching: bool = False
    dropping: bool = False
    told: int = 0

    def install(self) -> None:
        """See each module's forward, and each switch."""
        register_module_forward_pre_hook(self._enters)
        register_module_forward_hook(self._left, always_call=True)
        train = torch.nn.Module.train

        def switched(module: torch.nn.Module, mode: bool = True) -> torch.nn.Module:
            if self.switching:
                return train(module, mode)
            self.saw("switch", training=mode)
            self.switching = True
            try:
                return train(module, mode)
            finally:
                self.switching = False

        torch.nn.Module.train = switched

        for kind in (torch.no_grad, torch.inference_mode):
            setattr(kind, "__enter__", self._turning(kind.__enter__))  # noqa: B010
        setattr(torch.set_grad_enabled, "__init__", self._turning(torch.set_grad_enabled.__init__))  # noqa: B010
        for name in _DROPOUTS:
            setattr(torch.nn.functional, name, self._watched(getattr(torch.nn.functional, name)))

    def stepped(self, optimizer: torch.optim.Optimizer) -> None:  # noqa: ARG002 - whichever it is
        """What was walked until now may be what the step has applied."""
        for sight in self.seen[self.told :]:
            if sight.kind == "forward" and sight.facts["walked"]:
                sight.facts["applied"] = True
        self.told = len(self.seen)

    def _turning(self, turn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(turn)
        def watched(*args: Any, **kwargs: Any) -> Any:
            self.saw("off")
            return turn(*args, **kwargs)

        return watched

    def _watched(self, drop: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(drop)
        def watched(given: Any, *args: Any, **kwargs: Any) -> Any:
            # Torch itself comes through here again, for the mode that it tells of each call.
            if self.dropping or not self.running:
                return drop(given, *args, **kwargs)
            self.dropping = True
            try:
                self._drops(args[1] if len(args) > 1 else kwargs.get("training"))
                return drop(given, *args, **kwargs)
            finally:
                self.dropping = False

        return watched

    def _drops(self, said: bool | None) -> None:
        """A dropout runs; `said` is the mode that it was told, if any."""
        outer, inner = self.running[0], self.running[-1]
        deaf = said is None
        if isinstance(inner, _DropoutNd):
            deaf = all(inner is not part for part in outer.modules())
        if deaf and said is not False:
            self.saw("dropped", training=outer.training)

    def _enters(self, module: torch.nn.Module, _: Any) -> None:
        self.running.append(module)

    def _left(self, module: torch.nn.Module, _: Any, result: Any) -> None:
        # An exception may have left modules on the stack.
        while self.running and self.running.pop() is not module:
            pass
        if self.running:
            return
        number = self.numbers.setdefault(module, len(self.numbers))
        acts = any(_acts(part) for part in module.modules())
        with _unwatched():
            nodes = [node for node in map(root, tensors(result)) if node is not None]
            graph = any(tensor.requires_grad for tensor in tensors(result))
            sight = self.saw("forward", module=number, training=module.training, acts=acts, graph=graph)
            sight.facts.update(walked=False, applied=False)
            for node in nodes:
                node.register_hook(_marking(sight.facts))


def _acts(layer: torch.nn.Module) -> bool:
    """Whether a layer does what it would not do in evaluation."""
    return layer.training and (
        (isinstance(layer, _DropoutNd) and layer.p > 0)
        or (isinstance(layer, _NormBase) and bool(layer.track_running_stats))
    )


def _marking(facts: dict[str, Any]) -> Callable[..., None]:
    def mark(*_: Any) -> None:
        facts["walked"] = True

    return mark
