"""Lightning's loop: a module's own methods in the order in which a trainer calls them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lintgrad.machine import calls, loops, members
from lintgrad.machine.engines import EngineV
from lintgrad.machine.graph import Managed
from lintgrad.machine.managed import Returned, TrainingStep, is_of
from lintgrad.machine.observations import Backward, Event, Step
from lintgrad.machine.stops import Signal
from lintgrad.machine.values import (
    NONE,
    Arguments,
    BoundV,
    DictV,
    FunctionV,
    Instance,
    Lit,
    OptimizerV,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import tensors
from lintgrad.models.lightning import SWITCHED, Configured, configured

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes


def is_automatic(m: Machine, instance: Instance, node: nodes.Node) -> bool | None:
    """Whether Lightning runs backward and steps itself; None where that cannot be told."""
    value = instance.members.get("automatic_optimization")
    if value is None:
        member = members.class_member(instance.cls, "automatic_optimization")
        value = members.bind(m, instance, member, node) if member is not None else None
    if value is not None:
        return tensors.flag(value, None)
    unseen = [one for one in members.library_bases(instance.cls) if not one.name.endswith("LightningModule")]
    strange = any(not _plain_base(one.name) for one in unseen)
    unknown = any(isinstance(one, Unknown) for one in instance.cls.order)
    return None if strange or unknown else True


def _plain_base(name: str) -> bool:
    return name.startswith(("builtins.", "abc.", "typing.", "torch."))


def drive(m: Machine, instance: Instance, trainer: EngineV | None, node: nodes.Node) -> None:
    """Train `instance` as Lightning's loop would: hooks, two batches, backward and steps where it does them.

    `trainer` is the one that was given the module, None where none is in sight.
    """
    step = members.class_member(instance.cls, "training_step")
    if not isinstance(step, FunctionV):
        return
    loop = Loop(m, instance, step, trainer, node)
    for hook in ("prepare_data", "setup", "on_fit_start", "on_train_start", "on_train_epoch_start"):
        loop.hook(hook)
    loops.walk(m, Unknown("loader", m.site(node), place="loader"), step.definition, loop.turn)
    loop.validate()
    for hook in ("training_epoch_end", "on_train_epoch_end", "on_train_end", "on_fit_end"):
        loop.hook(hook)


@dataclass(slots=True)
class Loop:
    """Lightning's loop over batches around one module."""

    m: Machine
    instance: Instance
    step: FunctionV
    trainer: EngineV | None
    node: nodes.Node
    automatic: bool | None = field(init=False)
    made: Configured = field(init=False)

    def __post_init__(self) -> None:
        self.made = configured(self.m, self.instance, self.node)
        self.automatic = is_automatic(self.m, self.instance, self.node)
        engine = self.trainer or EngineV("lightning", name="self")
        managed = Managed(engine, self.m.site(self.step.definition), self.m.tick())
        for leaf in self.m.leaves_of(self.instance):
            leaf.managed = managed

    def hook(self, name: str, *given: Value) -> None:
        """Call a hook that the module's classes define."""
        member = members.class_member(self.instance.cls, name)
        if isinstance(member, FunctionV):
            bound = members.bind(self.m, self.instance, member, self.node)
            wanted = len(member.definition.parameters) - 1
            filled = [*given, *(self.m.unknown(self.node, "option") for _ in range(wanted - len(given)))]
            calls.call_value(self.m, bound, Arguments(filled[:wanted]), self.node)

    def turn(self, batch: Value) -> Signal:
        """One batch."""
        index = self.m.unknown(self.node, "option", place="batch_idx")
        self.hook("on_train_batch_start", batch, index)
        parameters = [p.name for p in self.step.definition.parameters]
        if "optimizer_idx" in parameters and len(self.made.optimizers) > 1:
            for number, optimizer in enumerate(self.made.optimizers):
                self._toggled(optimizer, batch, index, Lit(number))
        else:
            self._batch(self.made.optimizers[:1], batch, index)
        self.hook("on_train_batch_end", NONE, batch, index)
        return None

    def _toggled(self, optimizer: OptimizerV, batch: Value, index: Value, number: Value) -> None:
        """A batch for one of several optimizers: the others' parameters need no gradient meanwhile."""
        own = {id(leaf) for leaf in optimizer.leaves}
        others = [leaf for one in self.made.optimizers for leaf in one.leaves if id(leaf) not in own]
        frozen = [leaf for leaf in others if leaf.requires_grad and not leaf.opaque]
        for leaf in frozen:
            leaf.requires_grad = False
        self._batch([optimizer], batch, index, number)
        for leaf in frozen:
            leaf.requires_grad = True

    def _batch(self, stepped: list[OptimizerV], *given: Value) -> None:
        m = self.m
        before = len(m.trace.events)
        wanted = len(self.step.definition.parameters) - 1
        bound = BoundV(self.instance, self.step)
        filled = [*given, *(m.unknown(self.node, "option") for _ in range(wanted - len(given)))]
        result = calls.call_value(m, bound, Arguments(filled[:wanted]), self.node)
        event = self._record(result, before)
        if self.automatic and event.returned in ("loss", "unknown") and not event.by_hand:
            self._optimize(result, stepped)

    def _record(self, result: Value, before: int) -> TrainingStep:
        """Note what one training step did."""
        m, definition = self.m, self.step.definition
        done = m.trace.events[before:]
        event = TrainingStep(
            **m.here(definition),
            name=self.instance.cls.definition.name,
            automatic=self.automatic,
            returned=_returned(result),
            by_hand=[one for one in done if _trains(one, self.made, result)],
            escaped=bool(m.escaped) or m.touched_all >= 0,
            optimizers=len(self.made.optimizers) if self.made.known else -1,
            schedulers=list(self.made.schedulers),
            configured=self.made.site,
            forgotten=self.made.nothing,
            switched=getattr(self.instance.members.get(SWITCHED), "site", None),
            by_index="optimizer_idx" in [p.name for p in definition.parameters],
            trainer=self.trainer.site if self.trainer is not None else None,
            clips=_wants(self.trainer, "gradient_clip_val"),
            accumulates=_wants(self.trainer, "accumulate_grad_batches"),
            newest=any(b.name.startswith("lightning.") for b in members.library_bases(self.instance.cls)),
        )
        m.record(event)
        return event

    def _optimize(self, result: Value, stepped: list[OptimizerV]) -> None:
        """Automatic optimization: clear, backward, step."""
        m, at = self.m, self.step.definition
        loss = m.as_tensor(_loss(result), at)
        self.hook("on_before_zero_grad")
        for optimizer in stepped:
            m.clear(at, optimizer.leaves, name="the trainer")
        if loss is not None:
            if loss.tape is None and loss.doubt:
                tensors.believe(m, loss, at)
            m.backward(at, [loss], name="the returned loss", framework=True)
        self.hook("on_after_backward")
        for optimizer in stepped:
            m.step(at, optimizer, name="the trainer")

    def validate(self) -> None:
        """Run what evaluation defines: in eval mode, without gradients."""
        m = self.m
        grad, m.grad = m.grad, False
        calls.call_member(m, self.instance, "eval", Arguments(), self.node)  # type: ignore[arg-type]
        for hook in (
            "on_validation_epoch_start",
            "validation_step",
            "validation_epoch_end",
            "on_validation_epoch_end",
        ):
            self.hook(hook)
        m.grad = grad
        calls.call_member(m, self.instance, "train", Arguments(), self.node)  # type: ignore[arg-type]


def _trains(event: Event, made: Configured, result: Value) -> bool:
    """Whether an event in a training step is a part of the protocol that the trainer could run itself."""
    if isinstance(event, Step):
        return event.optimizer in made.optimizers
    by_framework = isinstance(event, Backward) and event.kind == "backward" and event.framework
    return by_framework or is_of(event, _loss(result))


def _returned(result: Value) -> Returned:
    loss = _loss(result)
    if isinstance(loss, Lit):
        return "nothing" if loss.value is None else "number"
    if isinstance(loss, Symbol) and loss.cut is not None:
        return "number"
    return "loss" if isinstance(loss, Tensor) else "unknown"


def _loss(result: Value) -> Value:
    """The loss in what `training_step` returned: itself, or the entry of that name."""
    if isinstance(result, DictV):
        return result.items.get("loss") or Unknown("item", foreign=True)
    return result


def _wants(trainer: EngineV | None, option: str) -> bool:
    """Whether the trainer is surely asked for `option`."""
    value = trainer.options.get(option) if trainer is not None else None
    return isinstance(value, Lit) and value.value not in (None, 0, 1 if option.startswith("accum") else 0)
