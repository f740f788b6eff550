"""Where the nodes of libcst's tree of a file lie in its text.

One pass of code generation notes, for each node, the first and last of the tokens that it wrote;
that costs what generating the code costs, a third of the parse, and only files with findings pay.
Offsets are then a matter of summing up. The generated code is not always the text: libcst forgets
form feeds at the start of lines and some comments. It never forgets a token of code, so the tokens
are looked up in the text one after another where the two differ.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from itertools import accumulate
from types import TracebackType
from typing import cast

import libcst as cst
from libcst._nodes.internal import CodegenState

from lintgrad.source.files import Problem, SourceFile
from lintgrad.source.parsing import concrete_tree

_TRIVIA = re.compile(r"(?:[ \t\f\r\n]|\\\r\n|\\[\r\n]|#[^\r\n]*)*")
_COMPOUND = (cst.BaseCompoundStatement, cst.MatchCase, cst.ExceptHandler, cst.ExceptStarHandler, cst.Else)
_OWN_PARENTHESES = (cst.Tuple, cst.GeneratorExp)


class _Recording(CodegenState):
    """Generates code, and notes which tokens each node wrote.

    `whole` has all that a node wrote, by the node's identity; `syntactic` has the node without the
    blanks, comments and parentheses that libcst hangs on it, for kinds of nodes that can have some.
    """

    __slots__ = ("_open", "syntactic", "whole")

    def __init__(self, module: cst.Module) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.whole: dict[int, tuple[int, int]] = {}
        self.syntactic: dict[int, tuple[int, int]] = {}
        self._open: list[int] = []

    def before_codegen(self, node: cst.CSTNode) -> None:  # noqa: ARG002
        self._open.append(len(self.tokens))

    def after_codegen(self, node: cst.CSTNode) -> None:
        self.whole[id(node)] = (self._open.pop(), len(self.tokens))

    def record_syntactic_position(  # type: ignore[override]  # any context manager does
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,  # noqa: ARG002 - libcst's signature
        end_node: cst.CSTNode | None = None,  # noqa: ARG002
    ) -> AbstractContextManager[None]:
        return _Noting(self, id(node))


class _Noting(AbstractContextManager[None]):
    """Notes the tokens written while it is open; lighter than a generator."""

    __slots__ = ("_key", "_start", "_state")

    def __init__(self, state: _Recording, key: int) -> None:
        self._state, self._key, self._start = state, key, len(state.tokens)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._state.syntactic[self._key] = (self._start, len(self._state.tokens))


class Positions:
    """The places of all nodes of one tree, as offsets into the file's text; ends are exclusive."""

    def __init__(self, text: str, tree: cst.Module) -> None:
        self._recording = _Recording(tree)
        tree._codegen(self._recording)  # noqa: SLF001 - what `Module.code` calls; there is no other way
        # The last line end is taken off again where the text has none; nodes were noted with it.
        self._tokens = self._recording.tokens
        # The tree keeps the identities of its nodes from being given to others.
        self._tree = tree
        ends = list(accumulate(map(len, self._tokens)))
        self._starts = [0, *ends[:-1]]
        if "".join(self._tokens) != text:
            self._starts = _aligned(text, self._tokens)

    def whole(self, node: cst.CSTNode) -> tuple[int, int]:
        """The node with the parentheses around it, without blanks and comments."""
        return self._trimmed(*self._recording.whole[id(node)])

    def range(self, node: cst.CSTNode) -> tuple[int, int]:
        """The node without redundant parentheses; of a compound statement, all of it."""
        key = id(node)
        if isinstance(node, _OWN_PARENTHESES) and node.lpar:
            return self.whole(node.lpar[-1])[0], self.whole(node.rpar[0])[1]
        return self._trimmed(*self._recording.syntactic.get(key, self._recording.whole[key]))

    def header(self, node: cst.CSTNode) -> tuple[int, int]:
        """As `range`; a compound statement ends behind the colon of its first line."""
        start, end = self.range(node)
        if isinstance(node, _COMPOUND):
            rest = node.whitespace_after_colon if isinstance(node, cst.Match) else _body(node)
            last = self._recording.whole[id(rest)][0]
            first = self._recording.syntactic[id(node)][0]
            start, end = self._trimmed(first, last)
        return start, end

    def between(self, first: cst.CSTNode, last: cst.CSTNode) -> tuple[int, int]:
        """From the first blank of `first` to the last one of `last`."""
        begin = self._recording.whole[id(first)][0]
        end = min(self._recording.whole[id(last)][1], len(self._tokens))
        return self._end(begin), self._starts[end] if end < len(self._starts) else self._end(end)

    def _end(self, index: int) -> int:
        """The offset at which the token before `index` ends."""
        return self._starts[index - 1] + len(self._tokens[index - 1])

    def _trimmed(self, first: int, last: int) -> tuple[int, int]:
        """The offsets of the tokens `first` to `last` (exclusive), less the blanks at both ends."""
        tokens = self._tokens
        last = min(last, len(tokens))
        while last > first and _is_trivia(tokens[last - 1]):
            last -= 1
        while first < last and _is_trivia(tokens[first]):
            first += 1
        if first == last:
            offset = self._starts[first] if first < len(self._starts) else 0
            return offset, offset
        return self._starts[first], self._starts[last - 1] + len(tokens[last - 1])


def _body(node: cst.CSTNode) -> cst.CSTNode:
    return cast("cst.CSTNode", cast("cst.If", node).body)


def _is_trivia(token: str) -> bool:
    return not token or token[0] == "#" or not token.strip(" \t\f\r\n\\")


def _aligned(text: str, tokens: list[str]) -> list[int]:
    """Where each of `tokens` begins in `text`, from which generated code may lack blanks and comments."""
    starts: list[int] = []
    offset = 0
    for token in tokens:
        if not text.startswith(token, offset):
            if _is_trivia(token):
                starts.append(offset)
                continue
            blank = _TRIVIA.match(text, offset)
            offset = offset if blank is None else blank.end()
            if not text.startswith(token, offset):
                raise ValueError(f"the tree does not belong to the text: {token!r} at offset {offset}")
        starts.append(offset)
        offset += len(token)
    return starts


def positions(source: SourceFile) -> Positions:
    """The places of the nodes of `concrete_tree(source)`, found once and kept.

    ValueError where the file has no such tree; RecursionError where the tree is deeper than Python's
    recursion limit lets it be walked.
    """
    if source.positions is None:
        tree = concrete_tree(source)
        if isinstance(tree, Problem):
            raise ValueError(f"{source.path} has no syntax tree: {tree.message}")
        source.positions = Positions(source.text, tree)
    return source.positions
