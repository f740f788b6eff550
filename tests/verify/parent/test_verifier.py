"""The parent's side against a child that does all that a child can do wrong."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lintgrad.diagnostics import Confidence, Diagnostic, PathNote, Severity, Span, Verdict, Verification
from lintgrad.verify import environment, verifier
from lintgrad.verify.process import Child, ChildError, NoTorchError
from lintgrad.verify.protocol import Hello
from lintgrad.verify.verifier import Settings, Verifier
from lintgrad.verify.work import FileWork, request

pytestmark = pytest.mark.usefixtures("fake_child")

ORACLES = {"LG101": "raises", "LG901": "none"}


def finding(line: int, code: str = "LG101") -> Diagnostic:
    return Diagnostic(
        path="a.py",
        span=Span(line, 1, line, 5),
        code=code,
        name="second-backward",
        severity=Severity.ERROR,
        confidence=Confidence.CERTAIN,
        message="it raises",
    )


def work(text: str, *findings: Diagnostic) -> FileWork:
    return FileWork("/nowhere/a.py", text, findings or (finding(2),))


@pytest.fixture
def greeted() -> list[Hello]:
    return []


@pytest.fixture
def verify(greeted: list[Hello], monkeypatch: pytest.MonkeyPatch) -> Iterator[Verifier]:
    monkeypatch.setattr(verifier, "_GRACE", 0.3)
    with Verifier(Settings(ORACLES, seconds=0.4, announce=greeted.append)) as made:
        yield made


def only(found: list[tuple[Diagnostic, ...]]) -> Verification:
    [[diagnostic]] = found
    assert diagnostic.verification is not None
    return diagnostic.verification


def test_verdicts_come_back_to_their_findings(verify: Verifier) -> None:
    [first, second] = verify.verify(
        [
            work("# fine\nconfirmed\nrefuted\n", finding(2), finding(3), finding(1, "LG901")),
            work("# fine\nwhatever\n"),
        ]
    )
    assert [d.verification and d.verification.verdict for d in (*first, *second)] == [
        Verdict.CONFIRMED,
        Verdict.REFUTED,
        None,
        Verdict.INCONCLUSIVE,
    ]
    assert [d.span.line for d in first] == [2, 3, 1]
    told = first[0].verification
    assert told is not None
    assert (told.evidence, told.torch, told.sandbox, told.how) == (
        "seen at line 2",
        "9.9",
        ("audit",),
        "file",
    )


def test_the_child_is_started_for_the_first_finding_and_greets_once(
    verify: Verifier, greeted: list[Hello]
) -> None:
    verify.verify([work("# fine\n", finding(1, "LG901"))])
    assert greeted == []
    verify.verify([work("# dies\n1\n"), work("# fine\nconfirmed\n")])
    assert [hello.torch for hello in greeted] == ["9.9"]


def test_what_the_sandbox_refused_makes_all_of_the_file_inconclusive(verify: Verifier) -> None:
    told = only(verify.verify([work("# refused write to /home/me/x\nconfirmed\n")]))
    assert told.verdict is Verdict.INCONCLUSIVE
    assert told.evidence == ""
    assert told.reason == "the program tried to write to /home/me/x, which the sandbox refuses"


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("# dies", "the process ended (exit code 7): Segmentation something"),
        ("# hangs", "no answer in time"),
        ("# babbles", "the answer cannot be read (no JSON: Expecting value: line 1 column 1 (char 0))"),
        ("# miscounts", "the answer is not to what was asked"),
    ],
)
def test_a_child_that_fails_is_replaced(verify: Verifier, first: str, reason: str) -> None:
    [bad], [good] = verify.verify([work(f"{first}\nconfirmed\n"), work("# fine\nconfirmed\n")])
    assert bad.verification is not None
    assert (bad.verification.verdict, bad.verification.reason) == (Verdict.INCONCLUSIVE, reason)
    assert good.verification is not None
    assert good.verification.verdict is Verdict.CONFIRMED


def test_those_that_were_under_way_are_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "_GRACE", 0.3)
    works = [work(f"# {first}\nconfirmed {n}\n") for n, first in enumerate(("a", "dies", "b", "c"))]
    with Verifier(Settings(ORACLES, seconds=0.4, jobs=3)) as verify:
        found = verify.verify(works)
    verdicts = [d.verification.verdict for [d] in found if d.verification is not None]
    assert verdicts == [
        Verdict.CONFIRMED,
        Verdict.INCONCLUSIVE,
        Verdict.CONFIRMED,
        Verdict.CONFIRMED,
    ]


def test_filling_the_folder_ends_the_child(verify: Verifier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "_GRACE", 30.0)
    begun = time.monotonic()
    assert only(verify.verify([work("# fills\nconfirmed\n")])).reason == "it filled the disk"
    assert time.monotonic() - begun < 20


def test_a_question_is_asked_once(verify: Verifier, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = work("# fine\nconfirmed\n")
    first = verify.verify([asked])

    def never(*_: object) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(Child, "send", never)
    assert verify.verify([asked]) == first


def test_progress_ends_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "_GRACE", 0.3)
    told: list[tuple[int, int]] = []
    settings = Settings(ORACLES, progress=lambda done, total: told.append((done, total)))
    with Verifier(settings) as verify:
        verify.verify([work(f"# fine\nconfirmed {n}\n") for n in range(3)])
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_no_torch_is_an_error_of_its_own(verify: Verifier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "problem:no torch")
    with pytest.raises(NoTorchError, match=r"has no torch to verify on: `pip install 'lintgrad\[verify\]'`"):
        verify.verify([work("# fine\n1\n")])


def test_a_torch_that_cannot_be_imported_is_told(verify: Verifier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "problem:libc10.so: cannot open shared object file")
    with pytest.raises(ChildError, match=r"nothing can be verified: libc10\.so: cannot open"):
        verify.verify([work("# fine\n1\n")])


def test_an_interpreter_that_cannot_be_run(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("no program", encoding="utf-8")
    with pytest.raises(ChildError, match="cannot be run: "):
        Child(str(python))


def test_closing_leaves_neither_process_nor_folder() -> None:
    child = Child(sys.executable)
    child.hello()
    folder = Path(child.folder)
    assert folder.is_dir()
    child.close()
    assert not folder.exists()
    assert not Path("/proc", str(child.pid)).exists()


def test_secrets_of_the_surroundings_are_not_handed_on() -> None:
    given = {"PATH": "/bin", "AWS_SECRET_ACCESS_KEY": "x", "HOME": "/home/me", "PYTHONPATH": "/evil"}
    made = environment.scrubbed("/folder", given=given)
    assert made["PATH"] == "/bin"
    assert made["HOME"] == made["TMPDIR"] == "/folder"
    assert made.keys().isdisjoint({"AWS_SECRET_ACCESS_KEY", "PYTHONPATH"})
    assert environment.scrubbed("/folder", isolated=False, given=given)["HOME"] == "/home/me"


def test_a_request_says_what_the_finding_says() -> None:
    diagnostic = Diagnostic(
        **{
            **{name: getattr(finding(2), name) for name in Diagnostic.__slots__},
            "notes": (
                PathNote("a.py", Span(1, 1, 1, 2), "built here"),
                PathNote("b.py", Span(9, 1, 9, 2), "there"),
            ),
        }
    )
    asked = request(5, FileWork("/x/a.py", "text", (diagnostic,), fixed={0: "fixed"}), ORACLES, 10.0)
    [one] = asked.findings
    assert (asked.id, asked.path, asked.source, asked.budget.seconds) == (5, "/x/a.py", "text", 20.0)
    assert (one.oracle, one.line, one.end_line, one.fixed) == ("raises", 2, 2, "fixed")
    assert [(step.line, step.path) for step in one.related] == [(1, ""), (9, "b.py")]
