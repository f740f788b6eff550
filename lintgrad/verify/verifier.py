"""Takes files with findings through the child process, and brings it back up when it falls."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType

from lintgrad.diagnostics import Diagnostic, Verification
from lintgrad.verify.environment import default_python
from lintgrad.verify.process import Child, ChildError, NoTorchError
from lintgrad.verify.protocol import Hello, Request
from lintgrad.verify.work import (
    FileWork,
    asked_places,
    from_answer,
    inconclusive,
    request,
    verified,
)

SECONDS = 10.0
"""What one run may take."""

_GRACE = 5.0
"""Seconds on top of a request's own before the child is taken for lost."""

Announce = Callable[[Hello], None]
"""Told of the child once it is there, before it runs anything."""

Progress = Callable[[int, int], None]
"""Told how many files are done, and of how many."""


def _tell_nobody(*_: object) -> None:
    """Stand for a listener where there is none."""


@dataclass
class Settings:
    """How to verify: `oracles` maps rules' codes to what tells of them, `jobs` is how many runs at once."""

    oracles: Mapping[str, str]
    python: str = field(default_factory=default_python)
    seconds: float = SECONDS
    jobs: int = 1
    announce: Announce = _tell_nobody
    progress: Progress = _tell_nobody


@dataclass
class _Sent:
    request: Request
    begun: float

    @property
    def deadline(self) -> float:
        return self.begun + self.request.budget.seconds + _GRACE


class Verifier:
    """Verifies files; the child is started for the first one that has something to verify.

    To be used in a `with` statement, whose end, however it comes, ends the child.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._child: Child | None = None
        self._hello = Hello()
        self._isolated = True
        self._known: dict[str, list[Verification]] = {}
        self._numbers = 0

    def __enter__(self) -> Verifier:  # noqa: PYI034 - `Self` came with Python 3.11
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child, if there is one."""
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def verify(self, works: Sequence[FileWork]) -> list[tuple[Diagnostic, ...]]:
        """The diagnostics of each file, with verdicts; raises `ChildError` where no child can be had."""
        oracles = self.settings.oracles
        questions: dict[int, Request] = {}
        for place, work in enumerate(works):
            if asked_places(work, oracles):
                questions[place] = request(0, work, oracles, self.settings.seconds)
        self._answer([question for question in questions.values() if question.line() not in self._known])
        return [
            verified(work, oracles, self._known[questions[place].line()])
            if place in questions
            else work.diagnostics
            for place, work in enumerate(works)
        ]

    def _answer(self, questions: Sequence[Request]) -> None:
        """Make all of `questions` known; those during which the child fell are asked again alone."""
        total, again = len(questions), list[Request]()
        for jobs, waiting in ((self.settings.jobs, list(questions)), (1, again)):
            sent: dict[int, _Sent] = {}
            while waiting or sent:
                while waiting and len(sent) < jobs:
                    self._send(waiting.pop(0), sent)
                failed = self._take(sent)
                if len(failed) == 1 or jobs == 1:
                    self._give_up(failed)
                else:
                    again += [one.request for one in failed]
                self.settings.progress(total - len(waiting) - len(sent), total)

    def _send(self, question: Request, sent: dict[int, _Sent]) -> None:
        """Send `question` to the child, which may have to be started."""
        self._numbers += 1
        child = self._running()
        sent[self._numbers] = _Sent(question, time.monotonic())
        try:
            child.send(replace(question, id=self._numbers))
        except ChildError:
            return  # taking its answer will find the same, and say so

    def _take(self, sent: dict[int, _Sent]) -> list[_Lost]:
        """Wait for one answer and keep it; what was lost, when the child fell or hung, comes back."""
        child = self._running()
        try:
            answer = child.receive(min(one.deadline for one in sent.values()))
        except ChildError as error:
            return self._lose(sent, str(error))
        if answer is None:
            return self._lose(sent, "no answer in time")
        one = sent.get(answer.id)
        if one is None or len(answer.verdicts) != len(one.request.findings):
            return self._lose(sent, "the answer is not to what was asked")
        del sent[answer.id]
        self._known[one.request.line()] = from_answer(answer)
        return []

    def _lose(self, sent: dict[int, _Sent], why: str) -> list[_Lost]:
        self.close()
        now = time.monotonic()
        lost = [_Lost(one.request, why, now - one.begun) for one in sent.values()]
        sent.clear()
        return lost

    def _give_up(self, lost: Sequence[_Lost]) -> None:
        for one in lost:
            self._known[one.request.line()] = inconclusive(
                one.request, one.why, self._hello.torch, one.seconds
            )

    def _running(self) -> Child:
        if self._child is None:
            self._child = self._started()
        return self._child

    def _started(self) -> Child:
        """A child that has greeted; without torch in sight, one that looks where users install, too."""
        try:
            child, hello = self._greeted()
        except NoTorchError:
            if not self._isolated:
                raise
            self._isolated = False
            child, hello = self._greeted()
        if not self._hello.torch:
            self.settings.announce(hello)
        self._hello = hello
        return child

    def _greeted(self) -> tuple[Child, Hello]:
        child = Child(self.settings.python, self.settings.jobs, isolated=self._isolated)
        try:
            return child, child.hello()
        except BaseException:
            child.close()
            raise


@dataclass(frozen=True)
class _Lost:
    """A request that got no answer: why, and after how many seconds."""

    request: Request
    why: str
    seconds: float
