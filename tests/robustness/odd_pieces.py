"""Pieces of programs that are put where they are not expected: one a line, about the name `x`."""

from __future__ import annotations

EXPRESSIONS = r"""
None
True
...
0
-1
10**64
1.5
1e999
1j
~1.5
"a" * 10**9
b"\xff"
f"{loss!r:>{x}}"
()
[]
{}
{1}
[*x]
{**x}
x[::0]
x[1:2, ..., None]
x[-1]
x["a"]
x[x]
x.grad
x.data
x.T
x()()()
x(*x, **x)
not x
x is None
0 < x < 1 != x
(x := loss)
lambda *a, **k: x(*a, **k)
[y for y in x if y for x in y]
{y: y for y in x}
(y for y in x)
range(10**30)
x if x else loss
x and loss or 0
loss.backward
loss.backward()
optimizer.step()
loss.detach().item()
iter(x)
next(x)
super()
type(x)
self
__name__
globals()
map(x)
map(x, x)
zip()
zip(x, loss)
enumerate(x, x)
sum(x)
max(x, loss)
sorted(x, key=x)
reversed(x)
isinstance(x, (int, str))
getattr(x, "a", x)
x + loss
x @ x
x % loss
x << 10**6
-x
dict(x)
list(x)
set(x)
tuple(x)
int(x)
str(x)
len(x)
x.append(x)
x.extend(x)
x.update(x)
x.pop()
x.items()
torch.zeros(x)
torch.cat([x, x])
torch.stack(x)
torch.autograd.grad(x, x)
torch.no_grad()
torch.ones(2)[0]
""".strip().splitlines()

STATEMENTS = """
del x
x = x.append(x)
x = [x]
x += x
x = x * x
x, *y = x
global x
import torch as x
from torch import *
return x
raise
raise x from x
assert x, x
x.x = x
x[x] = x
loss.backward()
loss.backward(retain_graph=True)
optimizer.zero_grad()
optimizer.step()
loss = loss.detach()
x.data = x
x.grad = None
x.requires_grad_(x)
x.zero_()
""".strip().splitlines()

HEADS = """
for x in x:
while x:
while True:
if x:
with x as x:
with torch.no_grad():
try:
def x(x=x, *y, **z):
class x(x):
async def f(self):
for i in range(3):
def __iter__(self):
def forward(self, x):
""".strip().splitlines()
"""What a statement is put into."""

BYTES = (
    b"\0",
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n",
    b"\x0c",
    b"\xe9",
    b"\\",
    b"\xed\xa0\x80",
    b"\xff\xfe",
    b"\xe2\x80\xa8",
    b"'''",
    b'"',
    b"(",
    b"]",
    b"{",
    b":",
    b"\t",
    b" ",
    b"\n",
    b"# -*- coding: latin-1 -*-\n",
    b"# coding: rot13\n",
    b"#",
)
