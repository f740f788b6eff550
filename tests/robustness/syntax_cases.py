"""Statements and expressions of Python 3.10 to 3.14, each with a second backward in it.

The line that ends in `#!` is to be found (LG101), and nothing else is.
"""

PRELUDE = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(2, 4)


def loss_of(x):
    return model(x).pow(2).mean()


"""

PATTERNS = {
    "match on a sequence": """\
match [loss_of(x), 1, 2]:
    case [_, _]:
        pass
    case [loss, *rest, int() as n] if n == 2 and len(rest) == 1:
        loss.backward()
        loss.backward()  #!
""",
    "match on a mapping": """\
match {"loss": loss_of(x), "step": 1}:
    case {"loss": loss, **rest}:
        loss.backward()
        loss.backward()  #!
""",
    "match on a class": """\
class Result:
    __match_args__ = ("loss",)

    def __init__(self, loss):
        self.loss = loss


match Result(loss_of(x)):
    case Result(loss=loss):
        loss.backward()
        loss.backward()  #!
""",
    "match on values": """\
phase = "train"
match phase:
    case "eval" | "test" | -1 | 1 + 2j | None | True:
        pass
    case "tr" "ain":
        loss = loss_of(x)
        loss.backward()
        loss.backward()  #!
    case _:
        pass
""",
    "names that match uses elsewhere": """\
match = loss_of(x)
case = match
type = case
type.backward()
match.backward()  #!
""",
}

ASSIGNMENTS = {
    "a chain of targets": """\
first = second = [third] = [loss_of(x)]
first[0].backward()
third.backward()  #!
""",
    "stars": """\
head, *middle, tail = loss_of(x), 1, 2, loss_of(x)
tail.backward()
head.backward()
[*_, last], (again,) = [1, tail], [head]
again.backward()  #!
""",
    "a swap": """\
a, b = loss_of(x), 1
a, b = b, a
b.backward()
b.backward()  #!
""",
    "a walrus": """\
if (loss := loss_of(y := x)) is not None and [z := loss]:
    z.backward()
    print(f"{(w := loss)}")
    loss.backward()  #!
""",
    "a walrus in a loop's condition": """\
while (loss := loss_of(x)) > 0.5:
    loss.backward()
    loss.backward()  #!
    optimizer.step()
    optimizer.zero_grad()
""",
    "a walrus out of a comprehension": """\
values = [(last := loss_of(x)).item() for _ in range(3)]
last.backward()
last.backward()  #!
""",
    "an annotation": """\
loss: "torch.Tensor" = loss_of(x)
other: int
loss.scale: float
loss.backward()
loss.backward()  #!
""",
    "deletion": """\
holder = {"loss": loss_of(x), "other": 1}
del holder["other"], (a, [b]) if False else holder
""".replace(" if False else holder", "").replace("(a, [b])", "holder['none']")
    + """\
holder["loss"].backward()
holder["loss"].backward()  #!
""",
    "slices": """\
losses = [loss_of(x), loss_of(x), loss_of(x)]
losses[::-1][0].backward()
losses[-1:][0].backward()  #!
""",
    "semicolons": """\
loss = loss_of(x); loss.backward(); n = 1
if n: pass; loss.backward()  #!
""",
}

FUNCTIONS = {
    "a lambda's default": """\
run = lambda loss=loss_of(x): loss.backward()  #!
run()
run()
""",
    "parameters of all kinds": """\
def run(a, /, b, c=1, *rest, loss, scale=2, **options):
    loss.backward()  #!


shared = loss_of(x)
run(1, 2, 3, 4, loss=shared, more=5)
run(*[1, 2], **{"loss": shared})
""",
    "nonlocal and global": """\
current = None


def outer():
    inner_loss = None

    def make():
        nonlocal inner_loss
        global current
        inner_loss = current = loss_of(x)

    make()
    inner_loss.backward()


outer()
current.backward()  #!
""",
    "a closure's counter": """\
def counter():
    n = 0

    def count():
        nonlocal n
        n += 1
        return n

    return count


count = counter()
loss = loss_of(x)
while count() < 10:
    loss.backward()  #!
""",
    "decorators of odd shapes": """\
import functools


def twice(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        f(*args, **kwargs)
        return f(*args, **kwargs)

    return wrapper


@(lambda f: f)
@[twice][0]
def run(loss):
    loss.backward()  #!


run(loss_of(x))
""",
    "generic functions and classes": """\
type Losses[T] = list[T]


def run[T: torch.Tensor, *Ts, **P](loss: T) -> T:
    loss.backward()
    return loss


class Holder[T]:
    type Alias = T

    def use[U](self, loss: U) -> U:
        loss.backward()  #!
        return loss


Holder[int]().use(run(loss_of(x)))
""",
    "generators": """\
def losses():
    sent = yield loss_of(x)
    while True:
        sent = yield from ()
        yield loss_of(x)


for loss in losses():
    loss.backward()
    loss.backward()  #!
    optimizer.step()
    optimizer.zero_grad()
""",
    "a delegating generator": """\
def inner():
    loss = loss_of(x)
    yield loss
    yield loss


def outer():
    return (yield from inner())


for loss in outer():
    loss.backward()  #!
""",
    "coroutines": """\
import asyncio


async def batches():
    for _ in range(10):
        yield x
        await asyncio.sleep(0)


async def main():
    async with asyncio.Lock() as lock:
        async for batch in batches():
            loss = loss_of(batch)
            values = [value async for value in batches() if await asyncio.sleep(0, True)]
            loss.backward()
            loss.backward()  #!
            optimizer.step()
            optimizer.zero_grad()


asyncio.run(main())
""",
}

CONTROL = {
    "try with all its parts": """\
try:
    loss = loss_of(x)
    raise ValueError(loss)
except (KeyError, TypeError):
    pass
except ValueError as error:
    loss.backward()
else:
    pass
finally:
    loss.backward()  #!
""",
    "an exception's base": """\
class Stop(LookupError):
    pass


class StopNow(Stop):
    pass


loss = loss_of(x)
try:
    try:
        raise StopNow
    except ValueError:
        pass
    except Stop:
        loss.backward()
        raise
except LookupError:
    loss.backward()  #!
""",
    "groups of exceptions": """\
loss = loss_of(x)
loss.backward()
try:
    raise ExceptionGroup("all", [ValueError()])
except* ValueError as group:
    loss.backward()  #!
except* (TypeError, OSError):
    pass
""",
    "finally that goes first": """\
def run(loss):
    for _ in range(3):
        try:
            raise RuntimeError
        except KeyError:
            return None
        finally:
            loss.backward()
            return loss


run(loss_of(x)).backward()  #!
""",
    "loops with else": """\
loss = loss_of(x)
for name in "ab":
    if name == "c":
        break
else:
    loss.backward()
n = 0
while n < 0:
    continue
else:
    loss.backward()  #!
""",
    "a loop without end": """\
step = 0
while True:
    step += 1
    while True:
        if step > 3:
            break
        elif step == 2:
            try:
                break
            finally:
                step += 1
        else:
            break
    loss = loss_of(x)
    loss.backward()
    loss.backward()  #!
    optimizer.step()
    optimizer.zero_grad()
    if step > 100:
        break
""",
    "many contexts": """\
import contextlib


@contextlib.contextmanager
def guarded(loss):
    try:
        yield loss
    finally:
        loss.backward()  #!


with (
    contextlib.suppress(ValueError),
    open("log", "w") as file,
    guarded(loss_of(x)) as loss,
):
    loss.backward()
""",
    "a class that is a context": """\
class Context:
    def __enter__(self):
        self.loss = loss_of(x)
        return self

    def __exit__(self, *exc):
        self.loss.backward()  #!


with Context() as context:
    context.loss.backward()
""",
    "chained comparisons": """\
loss = loss_of(x)
if 0 < 1 <= 1 != 2 is not None and not (1 > 2 or "a" not in "abc"):
    loss.backward()
    0 < loss.item() < 1 < loss.item()
    loss.backward()  #!
""",
}

EXPRESSIONS = {
    "format strings in format strings": """\
loss = loss_of(x)
print(f"{loss!r:>{10}} {loss.item():{'.'}{3}f} {loss=} {f'{loss.backward()}'}")
print(rf"\\{loss.backward()}")  #!
""",
    "a template string": """\
loss = loss_of(x)
message = t"{loss.backward()!r:>{10}}"
loss.backward()  #!
""",
    "stars in displays and calls": """\
loss, other = [*(loss_of(x),), *[1]]
group = {*(1, 2)}, {**{}, "loss": loss}, *(3,)
torch.autograd.backward(*[loss], **{})
group[1]["loss"].backward()  #!
""",
    "comprehensions in comprehensions": """\
table = [[loss for loss in [one] if loss is not None] for one in [loss_of(x)] for _ in [1]]
table[0][0].backward()
{key: value for key, value in zip("a", table[0])}["a"].backward()  #!
""",
    "sets and generators": """\
losses = list(one for one in {loss_of(x) for _ in range(1)} if one is not None)
assert len(losses) == 1, f"{losses}"
losses[0].backward()
next(iter(losses)).backward()  #!
""",
    "conditional expressions": """\
loss = loss_of(x) if model else None if x is None else x
(loss or x).backward()
(None or (loss and loss)).backward()  #!
""",
    "type comments": """\
loss = loss_of(x)  # type: torch.Tensor
for _ in range(1):  # type: int
    loss.backward()
loss.backward()  #! type: ignore
""",
    "numbers": """\
n = 0x_ff + 0b1 + 0o7 + 1_000 + 1e999 + 1j + ~1 - -2
big = 10**64 ** 3 % 7 << 2 >> 1
text = "ab" * 10**12 + "c"
loss = loss_of(x)
loss.backward()
loss.backward()  #!
""",
    "exec and eval": """\
exec("model = None")
globals()["other"] = eval("1 + 1")
loss = loss_of(x)
loss.backward()
loss.backward()  #!
""",
    "brackets around everything": """\
(loss) = (((loss_of)(((x)))))
((loss).backward)()
(((loss))).backward()  #!
""",
    "lines that go on": """\
loss = \\
    loss_of(
        x,  # the batch
    )
loss \\
    .backward()
loss.backward(  #!
)
""",
}

CASES = PATTERNS | ASSIGNMENTS | FUNCTIONS | CONTROL | EXPRESSIONS
