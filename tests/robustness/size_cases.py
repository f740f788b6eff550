"""Programs that are large, or small and grow when they are run; each ends in a second backward.

`FOUND` are found, since they end within the budget; `BOUND` may run out of it, and only have to end.
"""

PRELUDE = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(2, 4)
data = [(x, x) for _ in range(100)]


def loss_of(x):
    return model(x).pow(2).mean()


"""
FAULT = """
loss = loss_of(x)
loss.backward()
loss.backward()
"""


def _indented(heads: list[str], last: str) -> str:
    """Blocks in blocks, `last` in the innermost."""
    lines = [*heads, *last.splitlines()]
    depth = len(heads)
    return "".join(f"{'  ' * min(k, depth)}{line}\n" for k, line in enumerate(lines))


# Lists of which each holds the one before twice: walked one by one they have no end.
_TWICE = "a = [x]\n" + "a = [a, a]\n" * 40

FOUND = {
    "a large table": "TABLE = [" + ", ".join(str(list(range(40))) for _ in range(300)) + "]\n",
    "a large dict": "TABLE = {" + ", ".join(f"'k{n}': {n}" for n in range(3000)) + "}\n",
    "300 functions, each calling the next": "".join(
        f"def f{n}(x):\n  return f{n + 1}(x)\n" for n in range(300)
    )
    + "def f300(x):\n  loss_of(x).backward()\n  optimizer.step()\nf0(x)\n",
    "2,000 methods, each calling the next": "class Trainer:\n"
    + "".join(f"  def m{n}(self, loss):\n    self.m{(n + 1) % 2000}(loss)\n" for n in range(2000))
    + "    loss.backward()\n",
    "50 branches": "def run(x, flags):\n  loss = loss_of(x)\n"
    + "".join(
        f"  if flags[{n}]:\n    loss = loss + loss_of(x)\n  else:\n    loss = loss.detach()\n"
        for n in range(50)
    )
    + "  loss.backward()\n  optimizer.step()\n  optimizer.zero_grad()\nfor x, y in data:\n  run(x, y)\n",
    "800 elifs": "def run(x):\n  if x == 0:\n    pass\n"
    + "".join(f"  elif x == {n}:\n    loss_of(x).backward()\n" for n in range(800))
    + "run(x)\n",
    "90 ifs in ifs": _indented([f"if x[{n}]:" for n in range(90)], "pass"),
    "8 loops in loops": _indented(
        [f"for v{n} in data:" for n in range(8)],
        "loss = loss_of(v0[0])\noptimizer.zero_grad()\nloss.backward()\noptimizer.step()",
    ),
    "90 contexts in contexts": _indented(["with torch.enable_grad():"] * 90, "pass"),
    "a long chain of operators": "total = " + " + ".join(["x"] * 900) + "\n",
    "a long chain of calls": "total = x" + ".exp()" * 300 + "\n",
    "1,000 arguments": "print(" + ", ".join(f"a{n}" for n in range(1000)) + ")\n",
    "500 terms": "loss = loss_of(x)\n" + "loss = loss + loss_of(x)\n" * 500,
    "200 backward calls": "loss = loss_of(x)\n"
    + "loss = loss * loss\nloss.backward(retain_graph=True)\n" * 200,
    "numbers that square": "n = 12345\n"
    + "n = n * n\n" * 60
    + "text = str(n)\nm = 10**64\n"
    + "m = m**64\n" * 9,
    "texts that double": "t = 'ab' * 10**12\nt = '%1000000000d' % 3\nt = 'x'\n" + "t = t + t\n" * 60,
    "lists that double": "a = [0]\n" + "a = a * 4\na = a + a\na += a\na = [*a, *a]\na.extend(a)\n" * 30,
    "dicts that double": "d = {x: 1}\n" + "d = {**d, 'd': d}\nd = d | d\nd.update(d)\n" * 40,
    "copies of lists in lists": f"import copy\n{_TWICE}b = copy.deepcopy(a)\n",
    "chains of chains": "import itertools\na = [1, 2]\n" + "a = itertools.chain(a, a)\n" * 40 + "list(a)\n",
    "a list in itself": "a = []\nfor x, y in data:\n  a.append(a)\n  a.append({'a': a})\nb = a[0][0]\n",
    "objects that make each other": "class A:\n  def __init__(self):\n    self.b = B()\n"
    "class B:\n  def __init__(self):\n    self.a = A()\nA()\n",
    "a function that calls itself twice": "def f(n):\n  return f(n - 1) + f(n - 2)\nf(30)\n",
    "functions that take themselves": "(lambda f: f(f))(lambda f: f(f))\n",
    "a generator of itself": "def g():\n  for one in g():\n    yield one\n  yield from g()\n"
    "for one in g():\n  pass\n",
}

BOUND = {
    "lists in lists in torch.stack": _TWICE + "torch.stack(a)\n",
    "lists in lists in backward": _TWICE + "torch.autograd.backward(a)\n",
    "lists in lists in an optimizer": _TWICE + "torch.optim.SGD(a)\n",
    "tuples in tuples in isinstance": "t = int\n" + "t = (t, t)\n" * 40 + "isinstance(x, t)\n",
    "zips of zips": "a = [1, 2]\n" + "a = zip(a, a)\n" * 40 + "for one in a:\n  pass\n",
    "modules of modules": "m = nn.Linear(4, 4)\n" + "m = nn.Sequential(m, m)\n" * 40 + "m(x)\n",
    "300 branches with a step in each": "def run(x, y):\n  for x, y in data:\n"
    + "".join(
        f"    if y[{n}]:\n      loss = loss + loss_of(x)\n      loss.backward()\n      optimizer.step()\n"
        for n in range(300)
    )
    + "run(x, unknown)\n",
    "2,000 backward calls": "loss = loss_of(x)\n"
    + "loss = loss * loss\nloss.backward(retain_graph=True)\n" * 2000,
    "a module in itself": "model.append(model)\nmodel(x)\n",
    "an iterator of itself": "class A:\n  def __iter__(self):\n    return iter(self)\n"
    "for one in A():\n  pass\n",
    "comprehensions of comprehensions": "a = [1, 2, 3, 4, 5, 6]\n"
    "b = [1 " + " ".join(f"for v{n} in a" for n in range(14)) + "]\n",
    "8 loops over six": _indented(
        [f"for v{n} in [1, 2, 3, 4, 5, 6]:" for n in range(8)], "loss_of(x).backward()\noptimizer.step()"
    ),
    "five functions that call all five": "".join(
        f"def {name}(x):\n" + "".join(f"  {other}(x)\n" for other in "abcde") for name in "abcde"
    )
    + "a(x)\n",
}
