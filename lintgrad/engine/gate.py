"""Whether a file can concern a rule at all, told from its bytes before it is parsed.

A rule concerns a file that holds one of its libraries' words and, where it has triggers, one of
those. Each word is looked for by itself and only while the answer hangs on it: on 20 kB of source
with 60 words that is faster than one regular expression of them all, and words may overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from lintgrad.catalog import ENGINE_CODES, Rule

if TYPE_CHECKING:
    from lintgrad.engine.stages import Tree


class Words:
    """The words that a file was asked for, each looked for once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._found: dict[str, bool] = {}

    def any(self, words: Iterable[str]) -> bool:
        """Whether the file holds one of `words`."""
        return any(self._has(word) for word in words)

    def _has(self, word: str) -> bool:
        if word not in self._found:
            self._found[word] = word.encode() in self._data
        return self._found[word]


def _libraries(rules: Iterable[Rule]) -> frozenset[str]:
    """The words of the libraries of all `rules`: most rules have the same."""
    return frozenset(word for words in {rule.libraries for rule in rules} for word in words)


def _of_library(data: bytes, libraries: frozenset[str]) -> bool:
    """Whether the file holds the word of any library; asked first, as most files of the world hold none."""
    return any(word.encode() in data for word in libraries)


_imported_of_library = lru_cache(maxsize=4096)(_of_library)
"""The same for a file that others import: it is asked of as often as it is imported."""


def concerned(data: bytes, rules: Sequence[Rule]) -> list[Rule]:
    """Those of `rules` that have a check and may find something in a file of these bytes."""
    if not _of_library(data, _libraries(rules)):
        return []
    words = Words(data)
    return [
        rule
        for rule in rules
        if rule.code not in ENGINE_CODES
        and words.any(rule.libraries)
        and (not rule.triggers or words.any(rule.triggers))
    ]


def leads(path: str, data: bytes, rules: Sequence[Rule], tree: Tree) -> bool:
    """Whether a program may start in the file that imports files which, together with it, concern a rule.

    It may where it looks whether it is the main one, or holds a word of a rule's library.
    """
    libraries = _libraries(rules)
    own = _of_library(data, libraries)
    if b"__main__" not in data and not own:
        return False
    others = list(tree.imports(path, data))
    if not own and not any(_imported_of_library(other, libraries) for other in others):
        return False
    return bool(concerned_together([data, *others], rules))


def concerned_together(contents: Iterable[bytes], rules: Sequence[Rule]) -> list[Rule]:
    """Those of `rules` that may find something in files of these bytes, run as one program."""
    asked = frozenset(word for rule in rules for word in (*rule.libraries, *rule.triggers))
    held = frozenset().union(*(_held(data, asked) for data in contents))
    return [
        rule
        for rule in rules
        if rule.code not in ENGINE_CODES
        and held.intersection(rule.libraries)
        and (not rule.triggers or held.intersection(rule.triggers))
    ]


@lru_cache(maxsize=4096)
def _held(data: bytes, words: frozenset[str]) -> frozenset[str]:
    """Those of `words` that `data` holds; a file that many import is looked at once."""
    return frozenset(word for word in words if word.encode() in data)


def may_suppress(data: bytes) -> bool:
    """Whether the file may hold a suppression of any kind."""
    return b"noqa" in data.lower() or b"lintgrad" in data.lower()


def may_suppress_ours(data: bytes) -> bool:
    """Whether the file may hold a suppression that names a rule of ours."""
    return (b"LG" in data and b"noqa" in data.lower()) or b"lintgrad" in data
