"""A child process without torch, for all that is about the parent's side."""

from __future__ import annotations

from pathlib import Path

import pytest

from lintgrad.verify import environment


@pytest.fixture
def fake_child(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Verify with `fake_child.py`, which does as the program to verify says."""
    child = Path(__file__).with_name("fake_child.py")
    monkeypatch.setattr(environment, "CHILD", child)
    return child
