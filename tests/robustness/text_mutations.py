"""Programs with lines, tokens or bytes moved, lost or brought in: most of them are programs no more."""

from __future__ import annotations

import random
import re

from tests.robustness.odd_pieces import BYTES
from tests.robustness.seeds import seeds

_TOKEN = re.compile(rb"\w+|\s+|.", re.DOTALL)


def text_mutant(number: int) -> bytes:
    """The program that is made from `number`."""
    r = random.Random(number)
    data = r.choice(seeds()).encode()
    for _ in range(r.choice((1, 1, 2, 3, 6, 15))):
        data = r.choice((_lines, _lines, _tokens, _tokens, _cut, _insert))(r, data)
    return data


def _lines(r: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    i, j = r.randrange(len(lines)), r.randrange(len(lines))
    match r.randrange(5):
        case 0:
            del lines[i]
        case 1:
            lines.insert(j, lines[i])
        case 2:
            lines[i], lines[j] = lines[j], lines[i]
        case 3:
            lines[i] = r.choice((b"    ", b"  ", b"\t")) + lines[i] if r.random() < 0.5 else lines[i][4:]
        case _:
            other = r.choice(seeds()).encode().split(b"\n")
            k = r.randrange(len(other))
            lines[i:i] = other[k : k + r.randrange(1, 15)]
    return b"\n".join(lines)


def _tokens(r: random.Random, data: bytes) -> bytes:
    tokens = _TOKEN.findall(data)
    if not tokens:
        return data
    i, j = r.randrange(len(tokens)), r.randrange(len(tokens))
    match r.randrange(4):
        case 0:
            del tokens[i]
        case 1:
            tokens.insert(j, tokens[i])
        case 2:
            tokens[i], tokens[j] = tokens[j], tokens[i]
        case _:
            words = [k for k, token in enumerate(tokens) if token[:1].isalpha()]
            if words:
                tokens[r.choice(words)] = tokens[r.choice(words)]
    return b"".join(tokens)


def _cut(r: random.Random, data: bytes) -> bytes:
    return data[: r.randrange(len(data) + 1)] if r.random() < 0.3 else data


def _insert(r: random.Random, data: bytes) -> bytes:
    i = r.randrange(len(data) + 1)
    return data[:i] + r.choice(BYTES) + data[i:]
