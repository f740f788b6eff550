"""Trainers of strange build, each with a second backward in it.

The line that ends in `#!` is to be found (LG101), and nothing else is.
"""

PRELUDE = """\
import functools

import torch
from torch import nn

data = [(torch.randn(2, 4), torch.randn(2, 1)) for _ in range(100)]


def network():
    return nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))


"""

CLASSES = {
    "mixins in a diamond": """\
class Base:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(self, loss):
        self.optimizer.step()
        self.optimizer.zero_grad()


class Scaling(Base):
    def step(self, loss):
        loss.backward()
        super().step(loss)


class Clipping(Base):
    def step(self, loss):
        loss.backward()  #!
        super().step(loss)


class Trainer(Scaling, Clipping):
    def fit(self):
        for x, y in data:
            self.step((self.model(x) - y).pow(2).mean())


Trainer(network()).fit()
""",
    "a deep hierarchy": "".join(
        f"""\
class Level{n}({f"Level{n - 1}" if n else "object"}):
    def __init__(self, model):
        {"super().__init__(model)" if n else "self.model = model"}
        self.level = {n}

    def loss(self, x):
        return {"super().loss(x) + 1" if n else "self.model(x).pow(2).mean()"}


"""
        for n in range(10)
    )
    + """\
trainer = Level9(network())
for x, y in data:
    loss = trainer.loss(x)
    loss.backward()
    loss.backward()  #!
""",
    "a metaclass, slots and a class body with loops": """\
class Registry(type):
    known = {}

    def __new__(mcs, name, bases, body, **options):
        made = super().__new__(mcs, name, bases, body)
        mcs.known[name] = made
        return made


class Trainer(metaclass=Registry):
    __slots__ = ("model",)
    names = []
    for part in ("a", "b"):
        names.append(part)
    if names:
        first = names[0]

    def __init__(self, model):
        self.model = model

    def run(self, x):
        loss = self.model(x).sum().exp()
        loss.backward()
        loss.backward()  #!


Trainer(network()).run(data[0][0])
""",
    "properties with setters": """\
class Trainer:
    def __init__(self, model):
        self.model = model
        self._loss = None

    @property
    def loss(self):
        return self._loss

    @loss.setter
    def loss(self, value):
        self._loss = value
        value.backward()


trainer = Trainer(network())
for x, y in data:
    trainer.loss = trainer.model(x).exp().sum()
    trainer.loss.backward()  #!
""",
    "attributes by __getattr__": """\
class Wrapper:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Trainer:
    def __init__(self, model):
        self.model = model

    def run(self, x):
        loss = self.model(x).exp().sum()
        loss.backward()
        return loss


Wrapper(Wrapper(Trainer(network()))).run(data[0][0]).backward()  #!
""",
    "an object that is called, iterated over and entered": """\
class Loop:
    def __init__(self, model):
        self.model = model

    def __iter__(self):
        for x, _ in data:
            yield self(x)

    def __call__(self, x):
        return self.model(x).exp().sum()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


with Loop(network()) as loop:
    for loss in loop:
        loss.backward()
        loss.backward()  #!
""",
    "class and static methods": """\
class Trainer:
    @classmethod
    def make(cls, *args):
        return cls(*args)

    @staticmethod
    def back(loss):
        loss.backward()

    def __init__(self, model):
        self.model = model

    def run(self):
        loss = self.model(data[0][0]).exp().sum()
        self.back(loss)
        loss.backward()  #!


Trainer.make(network()).run()
""",
}

WIRING = {
    "callbacks that register callbacks": """\
class Trainer:
    def __init__(self, model):
        self.model = model
        self.callbacks = []

    def on(self, callback):
        self.callbacks.append(callback)
        return callback

    def run(self):
        for x, y in data:
            self.loss = self.model(x).exp().sum()
            for callback in self.callbacks:
                callback(self)


trainer = Trainer(network())


@trainer.on
def first(trainer):
    trainer.loss.backward()


@trainer.on
def second(trainer):
    trainer.loss.backward()  #!


trainer.run()
""",
    "a dict of partials": """\
def backward(loss, times):
    loss.backward()  #!


def compute(model, x):
    return model(x).exp().sum()


parts = {
    "loss": functools.partial(compute, network()),
    "backward": functools.partial(functools.partial(backward), times=1),
}
for x, y in data:
    loss = parts["loss"](x)
    parts["backward"](loss)
    parts["backward"](loss)
""",
    "optimizers in lists in dicts": """\
models = {"a": network(), "b": network()}
optimizers = {
    name: [torch.optim.SGD(model.parameters(), lr=0.1)] for name, model in models.items()
}
for x, y in data:
    loss = sum(model(x).exp().sum() for model in models.values())
    for name, group in optimizers.items():
        for optimizer in group:
            optimizer.zero_grad()
            loss.backward()  #!
            optimizer.step()
""",
    "a patched method": """\
class Trainer:
    def __init__(self, model):
        self.model = model

    def back(self, loss):
        pass


def back(loss):
    loss.backward()


trainer = Trainer(network())
trainer.back = back
loss = trainer.model(data[0][0]).exp().sum()
trainer.back(loss)
loss.backward()  #!
""",
    "a patched class": """\
class Trainer:
    def __init__(self, model):
        self.model = model


def back(self, loss):
    loss.backward()  #!


setattr(Trainer, "back", back)
trainer = Trainer(network())
loss = trainer.model(data[0][0]).exp().sum()
trainer.back(loss)
trainer.back(loss)
""",
    "functions that call each other": """\
def even(loss, n):
    if n == 0:
        return loss
    return odd(loss, n - 1)


def odd(loss, n):
    return even(loss, n - 1)


loss = even(network()(data[0][0]).exp().sum(), 2)
loss.backward()
loss.backward()  #!
""",
    "a chain of calls": "".join(f"def f{n}(x):\n    return f{n + 1}(x)\n\n\n" for n in range(20))
    + """\
def f20(x):
    return network()(x).exp().sum()


loss = f0(data[0][0])
loss.backward()
loss.backward()  #!
""",
    "a class that is looked up": """\
class Trainer:
    def __init__(self, model):
        self.model = model

    def run(self, x):
        loss = self.model(x).exp().sum()
        loss.backward()
        loss.backward()  #!


TRAINERS = {"plain": Trainer}
make = TRAINERS["plain"]
run = make(network()).run
run(data[0][0])
""",
}

CASES = CLASSES | WIRING
