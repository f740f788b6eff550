"""The shape of what is written as JSON, and the one way of writing it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = Mapping[str, Json]


def dumps(document: Json) -> str:
    """The document, indented, in ASCII: it survives any console's encoding and any file name."""
    return json.dumps(document, indent=2) + "\n"
