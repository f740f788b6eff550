"""Files of all kinds of bytes: a fault in what is a program is found, what is none is said to be none."""

from __future__ import annotations

import pytest

from tests.robustness.linting import SYNTAX_ERROR, lint

FAULTY = """\
import torch
from torch import nn

model = nn.Linear(4, 1)  # é
loss = model(torch.randn(2, 4)).exp().sum()
loss.backward()
loss.backward()
"""
FOUND = [(7, "LG101")]
PROGRAMS = {
    "utf-8": FAULTY.encode(),
    "a byte order mark": b"\xef\xbb\xbf" + FAULTY.encode(),
    "latin-1, declared": b"# -*- coding: latin-1 -*-\n" + FAULTY.replace("\n\n", "\n", 1).encode("latin-1"),
    "carriage returns": FAULTY.replace("\n", "\r").encode(),
    "both": FAULTY.replace("\n", "\r\n").encode(),
    "line ends of all kinds": FAULTY.replace("\n", "\r\n", 1).replace("é\n", "é\r").encode(),
    "a form feed": FAULTY.replace("loss.backward()", "\x0closs.backward()").encode(),
    "no line end at the end": FAULTY.rstrip().encode(),
    "blanks at the end": FAULTY.encode() + b"   \t\n\t\n    ",
    "a long line": FAULTY.replace("# é", "# " + "é" * 500_000).encode(),
    "a long string": FAULTY.replace("# é", "; text = '" + "é" * 500_000 + "'").encode(),
    "surrogates in strings": FAULTY.replace("# é", r"; text = '\ud800'; model[text] = text").encode(),
}
NO_PROGRAMS = {
    "a null byte": FAULTY.encode() + b"\0",
    "a backslash before the end": FAULTY.encode() + b"\\\n",
    "latin-1, undeclared": FAULTY.encode("latin-1"),
    "an encoding that is none": b"# coding: klingon\n" + FAULTY.encode(),
    "an encoding of other kind": b"# coding: rot13\n" + FAULTY.encode(),
    "lone surrogates": FAULTY.encode() + b"x = '\xed\xa0\x80'\n",
    "5,000 brackets": FAULTY.encode() + b"x = " + b"(" * 5000 + b")" * 5000 + b"\n",
    "5,000 open brackets": FAULTY.encode() + b"[" * 5000,
    "50,000 signs": FAULTY.encode() + b"x = " + b"-" * 50_000 + b"1\n",
    "500 blocks in blocks": FAULTY.encode() + b"".join(b" " * n + b"if x:\n" for n in range(500)),
    "too many bytes": FAULTY.encode() + b"#" * 5_000_000,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program(name: str) -> None:
    linted = lint(PROGRAMS[name])
    assert linted.result.failures == ()
    assert linted.found == FOUND
    assert linted.seconds < 5


@pytest.mark.parametrize("name", NO_PROGRAMS)
def test_no_program(name: str) -> None:
    linted = lint(NO_PROGRAMS[name])
    assert linted.result.failures == ()
    assert [code for _, code in linted.found] == [SYNTAX_ERROR]
    assert linted.seconds < 5


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"# torch backward\n", b"\xef\xbb\xbf", b"\x0c", b"\\", b"#\r#"]
)
def test_nothing(data: bytes) -> None:
    linted = lint(data)
    assert linted.result.failures == ()
    assert linted.found == [] or data == b"\\"
