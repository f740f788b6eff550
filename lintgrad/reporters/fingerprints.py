"""What tells a finding of today's run from one of tomorrow's, when lines have moved."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

_WINDOW = 100
_BASE = 37
_MODULUS = 1 << 64
_END_MARK = 0xFFFF


def line_hashes(text: str) -> list[str]:
    """For each line, the value GitHub expects as `primaryLocationLineHash`.

    The action that uploads SARIF computes the same from the checked-out file and warns of any other
    value: the polynomial hash of the 100 UTF-16 units, blanks and tabs left out, from the line's first
    unit on, and how often that hash has occurred so far in the file. Line feeds count, so a line's hash
    sees the lines after it; after the text come an end mark and zeros.
    """
    units = _units(text)
    starts = [0] + [i + 1 for i, unit in enumerate(units) if unit == 0x0A]
    prefix = _prefix_hashes([*units, _END_MARK, *[0] * _WINDOW])
    shift = pow(_BASE, _WINDOW, _MODULUS)
    seen: Counter[int] = Counter()
    hashes = []
    for start in starts:
        value = (prefix[start + _WINDOW] - prefix[start] * shift) % _MODULUS
        seen[value] += 1
        hashes.append(f"{value:x}:{seen[value]}")
    return hashes


def _units(text: str) -> list[int]:
    """The UTF-16 code units that count."""
    kept = text.replace("\r\n", "\n").replace("\r", "\n").replace(" ", "").replace("\t", "")
    encoded = kept.encode("utf-16-le", "surrogatepass")
    return [low | high << 8 for low, high in zip(encoded[::2], encoded[1::2], strict=True)]


def _prefix_hashes(units: list[int]) -> list[int]:
    """`[i]` is the hash of the first `i` units."""
    value = 0
    hashes = [value]
    for unit in units:
        value = (value * _BASE + unit) % _MODULUS
        hashes.append(value)
    return hashes


def stable_fingerprints(findings: Iterable[tuple[str, str, str]]) -> list[str]:
    """Our own fingerprint for each (code, path, text of the line), unique among them.

    The line's blanks do not count, nor does its number; equal findings are told apart by their order,
    so that a new one elsewhere does not rename the others.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    fingerprints = []
    for code, path, line in findings:
        key = (code, path, "".join(line.split()))
        seen[key] += 1
        identity = "\0".join((*key, str(seen[key])))
        fingerprints.append(hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32])
    return fingerprints
