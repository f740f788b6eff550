"""One file through the engine, with fakes for the stages and the rules (tests/fakes/fakelint)."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from lintgrad.catalog import Catalog
from lintgrad.config import Settings
from lintgrad.diagnostics import Applicability, Confidence, Diagnostic, PathNote, Severity, Span
from lintgrad.engine import DeepThread, Engine, FileResult
from lintgrad.engine import deep as deep_module
from lintgrad.engine.gate import concerned

ALL = frozenset({"LG101", "LG102", "LG201", "LG901", "LG902"})


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.syspath_prepend(Path(__file__).parent / "fakes")
    fakelint = import_module("fakelint")
    made: Engine = fakelint.engine(fakelint.catalog())
    return made


Check = Callable[..., FileResult]


@pytest.fixture
def check(engine: Engine) -> Check:
    def run(
        text: str | bytes,
        enabled: frozenset[str] = ALL,
        confidence: Confidence = Confidence.LIKELY,
        severity: Severity = Severity.INFO,
    ) -> FileResult:
        data = text if isinstance(text, bytes) else f"import torch\n{text}".encode()
        return engine.check_source("a.py", data, Settings(enabled, confidence, severity))

    return run


def brief(result: FileResult) -> list[tuple[int, int, str]]:
    return [(d.span.line, d.span.column, d.code) for d in result.diagnostics]


# --- findings -----------------------------------------------------------------------------------


def test_a_finding_becomes_a_diagnostic(check: Check) -> None:
    result = check("x; fault(LG101, fix)\n")
    (found,) = result.diagnostics
    assert found.fix is not None
    assert found.fix.applicability is Applicability.SAFE
    span = Span(2, 4, 2, 21)
    assert found == Diagnostic(
        path="a.py",
        span=span,
        code="LG101",
        name="first-fault",
        severity=Severity.ERROR,
        confidence=Confidence.CERTAIN,
        message="`fault(LG101, fix)` is a fault",
        notes=(PathNote("a.py", span, "here"),),
        fix=found.fix,
    )
    assert result.texts == {"a.py": "import torch\nx; fault(LG101, fix)\n"}
    assert result.failures == ()


def test_findings_are_sorted(check: Check) -> None:
    result = check("fault(LG201) fault(LG101)\nfault(LG102)\nfault(LG101)\n")
    assert brief(result) == [(2, 1, "LG201"), (2, 14, "LG101"), (3, 1, "LG102"), (4, 1, "LG101")]


def test_one_finding_of_a_rule_for_each_line(check: Check) -> None:
    result = check("fault(LG101, likely) fault(LG101) fault(LG101) fault(LG102)\n")
    assert brief(result) == [(2, 22, "LG101"), (2, 48, "LG102")]
    # The gravest is shown, then the surest, then one that has a fix.
    assert brief(check("fault(LG101, warning) fault(LG101, likely)\n")) == [(2, 23, "LG101")]
    assert brief(check("fault(LG101) fault(LG101, fix)\n")) == [(2, 14, "LG101")]


def test_a_clean_file(check: Check) -> None:
    result = check("fine\n")
    assert (result.diagnostics, result.texts, result.suppressed, result.failures) == ((), {}, 0, ())


@pytest.mark.parametrize(
    ("least", "lines"),
    [(Confidence.CERTAIN, [2]), (Confidence.LIKELY, [2, 3]), (Confidence.POSSIBLE, [2, 3, 4])],
)
def test_confidence(check: Check, least: Confidence, lines: list[int]) -> None:
    result = check("fault(LG101)\nfault(LG101, likely)\nfault(LG101, possible)\n", confidence=least)
    assert [d.span.line for d in result.diagnostics] == lines


@pytest.mark.parametrize(
    ("least", "lines"),
    [(Severity.ERROR, [2, 5]), (Severity.WARNING, [2, 3, 5]), (Severity.INFO, [2, 3, 4, 5])],
)
def test_severity(check: Check, least: Severity, lines: list[int]) -> None:
    text = "fault(LG101)\nfault(LG102)\nfault(LG201)\nfault(LG201, error)\n"
    assert [d.span.line for d in check(text, severity=least).diagnostics] == lines


def test_only_enabled_rules_run(check: Check) -> None:
    text = "fault(LG101)\nfault(LG102)\nfault(LG202)\n"
    assert brief(check(text, frozenset({"LG102"}))) == [(3, 1, "LG102")]
    assert brief(check(text, ALL | {"LG202"})) == [(2, 1, "LG101"), (3, 1, "LG102"), (4, 1, "LG202")]


def test_a_plan_that_cannot_be_carried_out_leaves_the_finding(check: Check) -> None:
    (found,) = check("fault(LG101, impossible)\n").diagnostics
    assert found.fix is None


def test_results_can_be_sent_to_a_process(check: Check) -> None:
    result = check("fault(LG101, fix)\nfault(LG102)  # noqa\ncrash(LG201)\n")
    assert pickle.loads(pickle.dumps(result)) == result


# --- the gate -----------------------------------------------------------------------------------


def test_a_file_that_concerns_no_rule_is_not_parsed(check: Check) -> None:
    result = check(b"fault(LG101)\ncrash(parse)\n")
    assert (result.diagnostics, result.failures, result.stats.gated) == ((), (), True)
    assert set(result.stats.seconds) == {"read"}
    assert not check("fault(LG101)\n").stats.gated


def test_a_rule_without_its_words_does_not_run(engine: Engine) -> None:
    rules = engine.catalog.rules

    def codes(data: bytes) -> list[str]:
        return [rule.code for rule in concerned(data, rules)]

    assert codes(b"import torch") == ["LG102", "LG201", "LG202"]
    assert codes(b"import torch; a_fault_") == ["LG101", "LG102", "LG201", "LG202"]
    assert codes(b"import lost; fault") == ["LG203"]
    assert codes(b"fault") == []


def test_a_broken_file_that_concerns_no_rule_is_passed_over(check: Check) -> None:
    assert check(b"syntax error\n").diagnostics == ()
    assert check(b"\xff\n").diagnostics == ()
    assert check(b"\xff  # noqa: LG101\n").diagnostics == ()


# --- files that cannot be analysed --------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"import torch\nx\nsyntax error\n", 3, "it does not parse"),
        (b"import torch\n\xff\n", 1, "not valid UTF-8"),
        (b"import torch\ndeep(parse)\n", 1, "the program is nested too deeply to be analysed"),
        (b"import torch\ndeep(explore)\n", 1, "the program is nested too deeply to be analysed"),
    ],
)
def test_a_file_that_cannot_be_analysed_is_a_finding(
    check: Check, data: bytes, line: int, message: str
) -> None:
    result = check(data)
    assert [(d.code, d.name, d.span.line, d.message) for d in result.diagnostics] == [
        ("LG902", "syntax-error", line, message)
    ]
    assert result.failures == ()
    assert check(data, ALL - {"LG902"}).diagnostics == ()


def test_a_file_that_cannot_be_read_is_a_finding(engine: Engine) -> None:
    settings = Settings(ALL)
    told = engine.unreadable("a.py", "cannot be read: it is gone", settings)
    result = engine.conclude({"a.py": told}, {"a.py": settings})["a.py"]
    assert [(d.path, d.code, d.message) for d in result.diagnostics] == [
        ("a.py", "LG902", "cannot be read: it is gone")
    ]


# --- faults of lintgrad -------------------------------------------------------------------------


def test_a_crash_of_a_rule_is_named_and_the_others_go_on(check: Check) -> None:
    result = check("crash(LG101)\nfault(LG101)\nfault(LG102)\n")
    assert brief(result) == [(4, 1, "LG102")]
    (failure,) = result.failures
    assert failure.startswith(
        "a.py: LG101 first-fault: ValueError: the rule is broken (fakelint/__init__.py:"
    )


@pytest.mark.parametrize("stage", ["parse", "lower", "explore", "spans"])
def test_a_crash_of_a_stage_is_named(check: Check, stage: str) -> None:
    result = check(f"crash({stage})\nfault(LG101)\n")
    assert result.diagnostics == ()
    (failure,) = result.failures
    assert failure.startswith(f"a.py: ValueError: {stage} is broken (fakelint/__init__.py:")


def test_a_crash_over_a_fix_leaves_the_finding(check: Check) -> None:
    result = check("crash(resolve)\nfault(LG101, fix)\n")
    assert [(d.code, d.fix) for d in result.diagnostics] == [("LG101", None)]
    (failure,) = result.failures
    assert failure.startswith("a.py: fix 'repair it': ValueError: resolve is broken (fakelint/__init__.py:")


def test_a_rule_whose_check_is_missing_is_named(engine: Engine) -> None:
    settings = Settings(frozenset({"LG203"}))
    result = engine.check_source("a.py", b"import lost\n", settings)
    (failure,) = result.failures
    assert failure.startswith(
        "LG203 lost-check: ModuleNotFoundError: No module named 'fakelint.checks.lost_check'"
    )
    assert engine.check_source("b.py", b"import lost\n", settings).failures == result.failures


def test_a_budget_that_ran_out_is_noted(check: Check) -> None:
    assert check("exhaust()\n").stats.exhausted
    assert not check("fault(LG101)\n").stats.exhausted


# --- suppressions -------------------------------------------------------------------------------


def test_suppressed_findings_are_counted_and_not_shown(check: Check) -> None:
    result = check("fault(LG101)  # noqa\nfault(LG101)  # lintgrad: ignore[first-fault] why\nfault(LG102)\n")
    assert brief(result) == [(4, 1, "LG102")]
    assert result.suppressed == 2


def test_unused_suppressions_are_findings(check: Check) -> None:
    result = check("fault(LG101)  # noqa: LG101, LG102\nx  # noqa: LG101\n")
    assert brief(result) == [(2, 15, "LG901"), (3, 4, "LG901")]
    assert brief(check("x  # noqa: LG101\n", ALL - {"LG901"})) == []


def test_unused_suppressions_are_found_in_files_that_are_gated_out(check: Check) -> None:
    result = check(b"x  # noqa: LG101\ncrash(parse)\n")
    assert brief(result) == [(1, 4, "LG901")]
    assert result.stats.gated
    assert brief(check(b"x  # lintgrad: ignore[first-fault]\n")) == [(1, 4, "LG901")]
    assert brief(check(b"x  # noqa: E501\n")) == []


def test_a_finding_that_is_not_shown_still_needs_its_suppression(check: Check) -> None:
    assert brief(check("fault(LG101, possible)  # noqa: LG101\n")) == []
    assert brief(check("fault(LG201)  # noqa: LG201\n", severity=Severity.WARNING)) == []


def test_what_is_not_known_to_have_no_finding_is_not_unused(check: Check) -> None:
    assert brief(check("x  # noqa: LG102\nexhaust()\n")) == []
    assert brief(check("x  # noqa: LG101\ncrash(LG101)\n")) == []
    assert brief(check("x  # noqa: LG102\ncrash(LG101)\n")) == [(2, 4, "LG901")]
    assert brief(check("x  # noqa: LG102\ncrash(explore)\n")) == []
    assert brief(check("x  # noqa: LG102\ncrash(spans)\nfault(LG101)\n")) == []


def test_an_unused_suppression_can_be_suppressed(check: Check) -> None:
    assert brief(check("x  # noqa: LG101, LG901\n")) == []
    assert brief(check("x  # noqa: LG901\n")) == []


# --- the deep thread ----------------------------------------------------------------------------


def test_calls_may_nest_deep() -> None:
    def down(n: int) -> int:
        return 0 if n == 0 else 1 + down(n - 1)

    limit = sys.getrecursionlimit()
    assert DeepThread().call(lambda: down(15_000)) == 15_000
    assert sys.getrecursionlimit() == limit


def test_what_is_raised_comes_back() -> None:
    thread = DeepThread()
    with pytest.raises(ZeroDivisionError):
        thread.call(lambda: 1 // 0)
    assert thread.call(threading.current_thread) is not threading.current_thread()
    assert thread.call(lambda: 2) == 2


def test_endless_recursion_is_an_error_and_no_crash() -> None:
    def forever() -> int:
        return 1 + forever()

    with pytest.raises(RecursionError):
        DeepThread().call(forever)


def test_the_collector_rests_while_a_file_is_worked_on() -> None:
    assert gc.isenabled()
    assert DeepThread().call(gc.isenabled) is False
    gc.disable()
    try:
        DeepThread().call(lambda: None)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_smaller_stack_is_taken_where_a_big_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing(threading.Thread):
        def start(self) -> None:
            if threading.stack_size() > 16 << 20:
                raise RuntimeError("can't start new thread")
            super().start()

    monkeypatch.setattr(threading, "Thread", Refusing)
    before = threading.stack_size()
    assert DeepThread().call(sys.getrecursionlimit) == (16 << 20) // deep_module.FRAME_BYTES
    assert threading.stack_size() == before


def test_the_catalog_of_an_engine(engine: Engine) -> None:
    assert isinstance(engine.catalog, Catalog)
    settings = Settings(ALL)
    assert engine.concerns("a.py", b"import torch", settings)
    assert engine.concerns("a.py", b"x # noqa: LG101", settings)
    assert not engine.concerns("a.py", b"x # noqa: E501", settings)
    assert not engine.concerns("a.py", b"x # noqa: LG101", Settings(ALL - {"LG901"}))
