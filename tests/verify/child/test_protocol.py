"""Messages come out of their lines as they went in, and lines that are none are refused."""

from __future__ import annotations

import pytest

from lintgrad.verify.protocol import (
    Answer,
    Asked,
    Budget,
    Entry,
    Hello,
    ProtocolError,
    Related,
    Request,
    Verdict,
)

REQUEST = Request(
    3,
    "a.py",
    "x = 1\n",
    (Asked("LG101", "second-backward", "raises", 3, 2, 4, (Related(1, "made"),), "x = 2\n"),),
    "function",
    (Entry("Trainer.fit", 7, {"model": "module"}),),
    Budget(4.5, 1 << 20, 5),
    9,
)
ANSWER = Answer(
    3,
    (Verdict("refuted", "raises", "2 backwards", "", 0.5, "file", "verified", "gone"),),
    "2.13",
    ("x",),
    ("y",),
)


def test_messages_survive_their_lines() -> None:
    assert Request.parse(REQUEST.line()) == REQUEST
    assert Answer.parse(ANSWER.line()) == ANSWER
    assert Hello.parse(Hello("2.13", "3.11").line()) == Hello("2.13", "3.11")


def test_unknown_fields_are_skipped_and_missing_ones_have_defaults() -> None:
    finding = '{"code": "c", "name": "n", "oracle": "o", "line": 1}'
    line = f'{{"id": 1, "path": "a", "source": "", "findings": [{finding}], "new": 2}}'

    assert Request.parse(line) == Request(1, "a", "", (Asked("c", "n", "o", 1),))


@pytest.mark.parametrize(
    "line", ["", "[]", "{", '{"id": 1}', REQUEST.line().replace('"function","entries"', '"fly","entries"')]
)
def test_other_lines_are_refused(line: str) -> None:
    with pytest.raises(ProtocolError):
        Request.parse(line)
    with pytest.raises(ProtocolError):
        Answer.parse(line)
