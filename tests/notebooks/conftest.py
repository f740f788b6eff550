"""Notebooks as tests write them: cells in, the bytes of a file out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

MakeNotebook = Callable[..., bytes]
Source = str | Sequence[str]

LOOP = """\
import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""
TWICE = """\
loss = model(torch.randn(2, 4)).pow(2).mean()
loss.backward()
loss.backward()
optimizer.step()
"""
DISCARDED = "hidden = torch.zeros(1, 4)\nhidden.detach()\nmodel(hidden)\n"


def listed(text: str) -> list[str]:
    """The source as notebooks mostly have it: a string a line, the last without line end."""
    return text.removesuffix("\n").splitlines(keepends=True)


def code(source: Source, **more: Any) -> dict[str, Any]:
    """A cell of code with something that it has put out."""
    output = {"name": "stdout", "output_type": "stream", "text": ["loss.backward() é\n"]}
    return {
        "cell_type": "code",
        "execution_count": 3,
        "metadata": {},
        "outputs": [output],
        "source": source,
    } | more


def text(source: Source) -> dict[str, Any]:
    """A cell of text."""
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def document(*cells: dict[str, Any], minor: int = 4, **metadata: Any) -> dict[str, Any]:
    """A notebook as nbformat 4 has it."""
    known = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return {"cells": list(cells), "metadata": known | metadata, "nbformat": 4, "nbformat_minor": minor}


@pytest.fixture
def faulty() -> bytes:
    """A notebook whose fifth line of the third cell fails."""
    return json.dumps(
        document(text(["# two\n", "lines"]), code(listed(LOOP)), code(listed(TWICE))), indent=1
    ).encode()
