"""Functions of torch and of Python's own library that the machine needs to understand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from lintgrad.machine import calls, conditions
from lintgrad.machine.observations import Backward
from lintgrad.machine.occasions import Clip
from lintgrad.machine.values import (
    NONE,
    Arguments,
    ContextV,
    Cut,
    FunctionV,
    ListV,
    Lit,
    Tensor,
    Value,
)
from lintgrad.models import (
    distributed,
    engines,
    loading,
    modules,
    optimizers,
    python,
    scalers,
    schedulers,
    states,
    tensors,
)
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

Handler = Callable[["Machine", Arguments, "nodes.Expr"], Value | None]


# --- torch.autograd -----------------------------------------------------------------------------


def autograd_backward(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`torch.autograd.backward(tensors, grad_tensors, retain_graph, create_graph)`."""
    roots = tensors.tensors_in(m, args.get(0, "tensors"), node)
    create = tensors.flag(args.get(3, "create_graph"), False)
    retain = tensors.flag(args.get(2, "retain_graph"), create)
    given = args.get(1, "grad_tensors")
    if given is not None:
        calls.read_gradients(given)
    m.backward(node, roots, name=_names(roots), retain=retain, create=create, gradient=given is not None)
    return NONE


def _names(roots: list[Tensor]) -> str:
    return roots[0].name if len(roots) == 1 else ""


def autograd_grad(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`torch.autograd.grad(outputs, inputs, ...)`: the gradients, with a graph only under create_graph."""
    roots = tensors.tensors_in(m, args.get(0, "outputs"), node)
    wanted = args.get(1, "inputs")
    upstream = args.get(2, "grad_outputs")
    if upstream is not None:
        calls.read_gradients(upstream)
    inputs = tensors.tensors_in(m, wanted, node)
    create = tensors.flag(args.get(4, "create_graph"), False)
    retain = tensors.flag(args.get(3, "retain_graph"), create)
    m.backward(
        node,
        roots,
        name=_names(roots),
        retain=retain,
        create=create,
        gradient=True,
        inputs=inputs,
        kind="grad",
    )
    tapes = [t.tape for t in (*roots, *inputs) if t.tape is not None]
    made: list[Value] = []
    for k in range(max(len(inputs), 1)):
        result = m.tensor(node, inputs=tapes if create is not False else (), op="grad", keeps=None)
        result.numel = inputs[k].numel if inputs else result.numel
        if result.node is not None:
            result.node.unseen = True  # it holds not all of the nodes of the forward
        if create is False and m.grad and roots:
            result.cut = Cut(m.site(node), "autograd.grad", roots[0])
        made.append(result)
    several = isinstance(wanted, ListV) and wanted.exact
    return ListV("tuple", made, several or len(made) == 1, m.tick())


def no_grad(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`torch.no_grad()`; used without brackets as a decorator it wraps the function."""
    return _wrapped(args, ContextV("no_grad", grad=False, site=m.site(node)))


def _wrapped(args: Arguments, context: ContextV) -> Value:
    function = args.first
    if isinstance(function, FunctionV):
        function.wrappers = (*function.wrappers, context)
        return function
    return context


def inference_mode(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`torch.inference_mode(mode=True)`."""
    mode = args.get(0, "mode")
    on = isinstance(mode, Lit) and mode.value is False
    return _wrapped(args, ContextV("inference_mode", grad=on, site=m.site(node)))


def enable_grad(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`torch.enable_grad()`."""
    return _wrapped(args, ContextV("enable_grad", grad=True))


def set_grad_enabled(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`torch.set_grad_enabled(mode)` acts at once, and as a context manager restores at its end."""
    on = conditions.holds(m, args.get(0, "mode") or Lit(True), node, True, 3)
    m.switch_grad(on, m.site(node))
    return ContextV("set_grad_enabled", grad=on, site=m.site(node))


def plain_context(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """A context manager without a meaning for the graph: autocast, profilers, anomaly mode."""
    return ContextV("plain")


# --- torch --------------------------------------------------------------------------------------


def passes_through(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """Wrappers that behave as what they wrap: DataParallel, compile, tqdm, deepcopy of plain data."""
    return args.first


def variable(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`Variable(data, requires_grad=True)`: the tensor itself, made a leaf where that is asked."""
    value = args.first
    if isinstance(value, Tensor) and tensors.flag(args.get(1, "requires_grad"), False):
        if value.silent_writes:  # Variable(x.data): a tensor of its own
            value = Tensor(value.storage, numel=value.numel, cut=value.cut, site=m.site(node))
        tensors.require(m, value, node, True)
    return value


def checkpoint(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`checkpoint(function, *args)` calls the function."""
    if not args.positional:
        return m.unknown(node, "call", *args.all(), foreign=True)
    rest = Arguments(
        args.positional[1:], {k: v for k, v in args.keywords.items() if k != "use_reentrant"}, args.extra
    )
    return calls.call_value(m, args.positional[0], rest, node)


def distribution(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """A distribution carries its parameters' graph."""
    made = m.unknown(node, "distribution", *args.all())
    made.keeps = True
    return made


def returns_first(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`nn.init.*`: fills its argument under no_grad and returns it."""
    return args.first


def clip(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`clip_grad_norm_` and its like scale gradients in place; the norm has no graph."""
    leaves = m.leaves_of(optimizers.expanded(m, args.get(0, "parameters"), node))
    gradients = [g for leaf in leaves for g in leaf.gradients]
    touched = max([leaf.touched for leaf in leaves], default=m.seq)
    cleared = max([leaf.cleared.seq for leaf in leaves if leaf.cleared is not None], default=-1)
    # A backward that reached none of them went where the machine does not see.
    backward = any(e.seq > cleared and e.kind == "backward" for e in m.trace.of(Backward))
    measures = scalers.only_measures(args, node)
    m.record(
        Clip(
            **m.here(node),
            leaves=[] if measures else leaves,
            empty=not gradients,
            applied=bool(gradients) and all(g.applied is not None for g in gradients),
            scaled=[] if measures else scalers.scaled(m, gradients),
            sure=bool(leaves)
            and not (backward and not gradients)
            and not any(leaf.opaque for leaf in leaves)
            and max(touched, m.touched_all, m.foreign_graph) < max(cleared, 0),
        )
    )
    return m.unknown(node, "norm")


def plain(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """A value without a graph."""
    return m.unknown(node, "plain")


# --- Python's library ---------------------------------------------------------------------------


def getter(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """An object that unseen code may change."""
    return m.unknown(node, "call", *args.all(), foreign=True)


def is_grad_enabled(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`torch.is_grad_enabled()`."""
    return Lit(m.grad)


HANDLERS: dict[str, Handler] = {
    **python.HANDLERS,
    **schedulers.HANDLERS,
    "torch.is_grad_enabled": is_grad_enabled,
    "torch.autograd.backward": autograd_backward,
    "torch.autograd.grad": autograd_grad,
    "torch.no_grad": no_grad,
    "torch.autograd.no_grad": no_grad,
    "torch.inference_mode": inference_mode,
    "torch.autograd.inference_mode": inference_mode,
    "torch.enable_grad": enable_grad,
    "torch.autograd.enable_grad": enable_grad,
    "torch.set_grad_enabled": set_grad_enabled,
    "torch.autograd.set_grad_enabled": set_grad_enabled,
    "torch.autograd.set_detect_anomaly": plain_context,
    "torch.autograd.detect_anomaly": plain_context,
    "torch.autocast": scalers.autocast,
    "torch.amp.autocast": scalers.autocast,
    "torch.cuda.amp.autocast": scalers.autocast,
    "torch.cpu.amp.autocast": scalers.autocast,
    "torch.amp.autocast_mode.autocast": scalers.autocast,
    "torch.cuda.amp.autocast_mode.autocast": scalers.autocast,
    "contextlib.nullcontext": plain_context,
    "contextlib.suppress": plain_context,
    "torch.compile": passes_through,
    "torch.jit.script": passes_through,
    "torch.nn.DataParallel": passes_through,
    "torch.nn.parallel.DataParallel": passes_through,
    "torch.nn.parallel.DistributedDataParallel": distributed.replicate,
    "torch.nn.parallel.distributed.DistributedDataParallel": distributed.replicate,
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm": passes_through,
    "torch.nn.utils.spectral_norm": passes_through,
    "torch.nn.utils.weight_norm": passes_through,
    "torch.nn.utils.parametrizations.spectral_norm": passes_through,
    "torch.nn.utils.parametrizations.weight_norm": passes_through,
    "torch.autograd.Variable": variable,
    "torch.Tensor": plain,
    "torch.utils.checkpoint.checkpoint": checkpoint,
    "torch.utils.data.DataLoader": loading.loader,
    **{f"torch.utils.data.{kind}": partial(loading.sampler, kind) for kind in loading.SAMPLERS},
    "torch.utils.data.distributed.DistributedSampler": partial(loading.sampler, "DistributedSampler"),
    "torch.nn.utils.clip_grad_norm_": clip,
    "torch.nn.utils.clip_grad_norm": clip,
    "torch.nn.utils.clip_grad_value_": clip,
    "torch.cuda.amp.GradScaler": scalers.construct,
    "torch.amp.GradScaler": scalers.construct,
    "torch.GradScaler": scalers.construct,
    "torch.distributed.get_rank": distributed.get_rank,
    "deepspeed.initialize": engines.initialize,
    "torch.manual_seed": loading.seed,
    "torch.cuda.manual_seed": loading.seed,
    "torch.cuda.manual_seed_all": loading.seed,
    "numpy.random.seed": loading.seed,
    "random.seed": loading.seed,
    "torch.device": plain,
    "torch.load": plain,
    "torch.save": states.save,
    "torch.Generator": plain,
    "torch.Size": plain,
    "torch.finfo": plain,
    "tqdm.tqdm": passes_through,
    "tqdm.auto.tqdm": passes_through,
    "tqdm.notebook.tqdm": passes_through,
    "copy.copy": passes_through,
    "itertools.cycle": passes_through,
    "itertools.islice": passes_through,
}

PREFIXES: dict[str, Handler] = {
    "torch.nn.init.": returns_first,
    "torch.distributions.": distribution,
    "torch.optim.lr_scheduler.": schedulers.construct,
    "torch.profiler.": plain_context,
    "torch.cuda.": plain,
    "torch.backends.": plain,
    "torch.random.": plain,
    "torch.utils.data.": loading.some_data,
    "torch.utils.tensorboard.": plain,
    "torchvision.models.": lambda m, args, node: modules.opaque(m, node, "model"),
    "torchvision.transforms.": plain,
    "torchvision.datasets.": loading.some_data,
    "torchvision.utils.": plain,
    "numpy.": plain,
    "math.": plain,
    "os.": plain,
    "time.": plain,
    "json.": plain,
    "random.": plain,
    "logging.": plain,
    "argparse.": plain,
    "pandas.": plain,
    "matplotlib.": plain,
    "sklearn.": plain,
}
