"""What a cell may hold besides Python."""

from __future__ import annotations

import pytest

from lintgrad.source.magics import without_magics


def made(cell: str) -> str | None:
    found = without_magics(cell.split("\n"))
    return None if found is None else "\n".join(found[0])


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!nvidia-smi\nx = 1", "pass\nx = 1"),
        ("!!ls", "pass"),
        ("?model", "pass"),
        ("model?", "pass"),
        ("model.forward??", "pass"),
        ("for x in y:\n    %run it.py\n    f(x)", "for x in y:\n    pass\n    f(x)"),
        ("if x:\n    !ls", "if x:\n    pass"),
        ("files = !ls *.py\nx = 1", "files = get_ipython()\nx = 1"),
        ("a, b = %system ls\nx = 1", "a, b = get_ipython()\nx = 1"),
        ("%time loss.backward()", "pass; loss.backward()"),
        ("!pip install \\\n  torch\nx = 1", "pass\n\nx = 1"),
        ("pip install torch\nimport torch", "pass\nimport torch"),
        ("cd ..\nx = 1", "pass\nx = 1"),
        ("%%time\nloss.backward()", "pass\nloss.backward()"),
        ("\n%%capture out\nloss.backward()", "\npass\nloss.backward()"),
        ("%%timeit -n 10\n%time f()", "pass\npass; f()"),
    ],
)
def test_what_it_becomes(cell: str, python: str) -> None:
    assert made(cell) == python


@pytest.mark.parametrize(
    "cell",
    [
        "x = (a\n% b)",
        "x = a \\\n% b",
        "x = '''\n%time\n!ls\n'''",
        "print('what?')",
        "x = 1  # why?",
        "cd = 1\nls = cd",
        "pip = 3\npip -1",
        "time = 1\ntime - 1",
        "await f()",
    ],
)
def test_what_stays(cell: str) -> None:
    assert made(cell) == cell


@pytest.mark.parametrize(
    "cell", ["x = (a\n% b)\n!ls", "x = '''\n!ls\n'''\n!ls", "x = a \\\n% b\n!ls", "x = ['(', # [\n1]\n!ls"]
)
def test_python_beside_a_magic_stays(cell: str) -> None:
    assert made(cell) == cell.removesuffix("!ls") + "pass"


@pytest.mark.parametrize("cell", ["%%bash\nls", "%%writefile model.py\nx = 1", "%%html\n<b>", "%%\nx"])
def test_cells_of_something_else(cell: str) -> None:
    assert made(cell) is None


def test_which_rows_have_changed() -> None:
    assert without_magics(["x = 1", "!ls", "y = 2"]) == (["x = 1", "pass", "y = 2"], frozenset({1}))
