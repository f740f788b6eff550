"""`lintgrad check`: each option, what it prints and how it exits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Lint, Write

THREE = "fault(LG101)\nfault(LG102)\nfault(LG201)\n"


def concise(path: str, line: int, code: str, severity: str = "error", words: str = "") -> str:
    doubt = f" ({words.strip(', ')})" if words else ""
    return f"{path}:{line}:1: {severity}[{code}] `fault({code}{words})` is a fault{doubt}\n"


A101 = concise("a.py", 2, "LG101")
A102 = concise("a.py", 3, "LG102", "warning")
A201 = concise("a.py", 4, "LG201", "info")


# --- commands and paths -------------------------------------------------------------------------


def test_check_is_the_default_command(lint: Lint, write: Write) -> None:
    write("a.py", THREE)
    expected = A101 + A102 + A201
    for arguments in (["a.py"], ["check", "a.py"], ["."], ["check"], [str(Path.cwd() / "a.py")]):
        done = lint(
            *arguments, *(["--format", "concise"] if arguments != ["check"] else ["--format=concise"])
        )
        assert (done.code, done.out, done.err) == (1, expected, ""), arguments


def test_options_may_come_first(lint: Lint, write: Write) -> None:
    write("a.py", THREE)
    assert lint("--format", "concise", "--select", "LG101", "a.py").out == A101


def test_a_path_called_like_a_command(lint: Lint, write: Write) -> None:
    write("rules/a.py", THREE)
    assert lint("./rules", "--format", "concise", "--select", "LG101").out == concise(
        "rules/a.py", 2, "LG101"
    )
    assert lint("check", "rules", "--format", "concise", "--select", "LG101").out == concise(
        "rules/a.py", 2, "LG101"
    )
    assert lint("rules").out.startswith("LG101  first-fault")


def test_nothing_to_do_is_a_usage_error(lint: Lint) -> None:
    done = lint()
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("Usage: lintgrad")


def test_a_missing_path(lint: Lint, write: Write) -> None:
    write("a.py", THREE)
    done = lint("a.py", "none.py")
    assert (done.code, done.out, done.err) == (2, "", "lintgrad: error: none.py: no such file or folder\n")


def test_an_unknown_option(lint: Lint) -> None:
    done = lint("--slect", "LG1", ".")
    assert done.code == 2
    assert "No such option" in done.err
    assert "--select" in done.err


def test_a_clean_run(lint: Lint, write: Write) -> None:
    write("a.py", "fine\n")
    write("b.py", "fine\n")
    done = lint(".")
    assert (done.code, done.out, done.err) == (0, "No findings in 2 files\n", "")
    assert lint(".", "--format", "concise").out == ""


def test_a_run_without_files(lint: Lint) -> None:
    done = lint(".")
    assert (done.code, done.out) == (0, "No findings in 0 files\n")


def test_a_named_file_is_linted_whatever_its_name(lint: Lint, write: Write) -> None:
    write("script", "import torch\nfault(LG101)\n")
    assert lint("script", "--format", "concise").out == concise("script", 2, "LG101")


# --- selection ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--select", "LG101"], A101),
        (["--select", "LG1"], A101 + A102),
        (["--select", "second-fault,LG201"], A102 + A201),
        (["--select", "LG101", "--select", "LG102"], A101 + A102),
        (["--ignore", "LG1"], A201),
        (["--ignore", "first-fault, LG201"], A102),
        (["--select", "LG101", "--extend-select", "LG2"], A101 + A201),
        (["--select", "ALL", "--ignore", "LG2"], A101 + A102),
    ],
)
def test_selection(lint: Lint, write: Write, options: list[str], expected: str) -> None:
    write("a.py", THREE)
    assert lint("a.py", "--format", "concise", *options).out == expected


@pytest.mark.parametrize("option", ["--select", "--ignore", "--extend-select"])
def test_an_unknown_rule(lint: Lint, write: Write, option: str) -> None:
    write("a.py", THREE)
    done = lint("a.py", option, "LG101,frst-fault")
    assert done.code == 2
    assert done.out == ""
    assert done.err.endswith("Error: unknown rule 'frst-fault'; did you mean 'first-fault'?\n")


def test_preview_rules(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG202)\n")
    expected = concise("a.py", 2, "LG202")
    arguments = ("a.py", "--format", "concise")
    assert lint(*arguments).out == ""
    assert lint(*arguments, "--preview").out == expected
    assert lint(*arguments, "--preview", "--select", "LG202").out == expected
    done = lint(*arguments, "--select", "LG202")
    assert (done.code, done.out) == (0, "")
    assert done.err == "lintgrad: warning: LG202 is on trial and off without --preview\n"
    write("lintgrad.toml", "preview = true\n")
    done = lint(*arguments, "--select", "LG202")
    assert (done.code, done.out, done.err) == (1, expected, "")
    assert lint(*arguments, "--no-preview").out == ""


def test_confidence_and_severity(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG101)\nfault(LG101, likely)\nfault(LG102, possible)\n")
    lines = [
        concise("a.py", 2, "LG101"),
        concise("a.py", 3, "LG101", words=", likely"),
        concise("a.py", 4, "LG102", "warning", ", possible"),
    ]
    arguments = ("a.py", "--format", "concise")
    assert lint(*arguments).out == lines[0] + lines[1]
    assert lint(*arguments, "--confidence", "certain").out == lines[0]
    assert lint(*arguments, "--confidence", "possible").out == "".join(lines)
    assert lint(*arguments, "--confidence", "possible", "--severity", "error").out == lines[0] + lines[1]
    assert lint(*arguments, "--severity", "fatal").code == 2


# --- exit codes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("fault(LG101)", [], 1),
        ("fault(LG102)", [], 1),
        ("fault(LG201)", [], 0),
        ("fault(LG101, possible)", [], 0),
        ("fault(LG102)", ["--severity", "error"], 0),
        ("fault(LG101)", ["--exit-zero"], 0),
        ("syntax error", [], 1),
        ("syntax error", ["--select", "LG102"], 1),
        ("syntax error", ["--ignore", "LG902"], 0),
        ("crash(LG101)", [], 2),
        ("crash(LG101)", ["--exit-zero"], 2),
        ("crash(explore)", [], 2),
        ("fault(LG101)  # noqa", [], 0),
    ],
)
def test_the_exit_code(lint: Lint, write: Write, text: str, options: list[str], code: int) -> None:
    write("a.py", text)
    assert lint("a.py", *options).code == code


def test_a_crash_is_told_and_the_rest_goes_on(lint: Lint, write: Write) -> None:
    write("a.py", "crash(LG101)\nfault(LG102)\n")
    write("b.py", "crash(lower)\n")
    write("c.py", "fault(LG101)\n")
    done = lint(".", "--format", "concise")
    assert done.code == 2
    assert done.out == concise("a.py", 3, "LG102", "warning") + concise("c.py", 2, "LG101")
    first, second = done.err.splitlines()
    assert first.startswith("lintgrad: error: a.py: LG101 first-fault: ValueError: the rule is broken (")
    assert second.startswith("lintgrad: error: b.py: ValueError: lower is broken (")


def test_a_missing_check_is_told_once(lint: Lint, write: Write) -> None:
    write("a.py", "lost\n")
    write("b.py", "lost\n")
    done = lint(".")
    assert done.code == 2
    assert done.err.count("LG203 lost-check: ModuleNotFoundError") == 1


def test_a_file_that_vanishes_is_a_finding(lint: Lint, tmp_path: Path) -> None:
    (tmp_path / "gone.py").symlink_to(tmp_path / "nothing")
    done = lint("gone.py", "--format", "concise")
    assert (done.code, done.out) == (
        1,
        "gone.py:1:1: error[LG902] the file cannot be read: no such file or directory\n",
    )


# --- output -------------------------------------------------------------------------------------


def test_formats(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG101)\n")
    assert "1 error in 1 file (1 checked)\n" in lint("a.py").out
    found = json.loads(lint("a.py", "--format", "json").out)
    assert [(d["path"], d["line"], d["code"]) for d in found["diagnostics"]] == [("a.py", 2, "LG101")]
    sarif = json.loads(lint("a.py", "--format", "sarif").out)
    (run,) = sarif["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["LG101"]
    assert next(rule["id"] for rule in run["tool"]["driver"]["rules"]) == "LG101"
    assert lint("a.py", "--format", "github").out.startswith("::error ")
    assert lint("a.py", "--format", "xml").code == 2


def test_failures_are_in_formats_for_programs(lint: Lint, write: Write) -> None:
    write("a.py", "crash(LG101)\nfault(LG102)  # noqa\n")
    summary = json.loads(lint("a.py", "--format", "json").out)["summary"]
    assert summary["failures"][0].startswith("a.py: LG101 first-fault: ValueError: the rule is broken (")
    assert summary["suppressed"] == 1


def test_output_file(lint: Lint, write: Write, tmp_path: Path) -> None:
    write("a.py", "fault(LG101)\n")
    done = lint("a.py", "--format", "concise", "--output-file", "out/report.txt")
    assert (done.code, done.out, done.err) == (1, "", "")
    assert (tmp_path / "out" / "report.txt").read_text(encoding="utf-8") == A101
    (tmp_path / "taken").mkdir()
    done = lint("a.py", "-o", "taken")
    assert (done.code, done.out) == (2, "")
    assert done.err == "lintgrad: error: taken: cannot be written: Is a directory\n"


def test_color(lint: Lint, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", "fault(LG101)\n")
    assert "\x1b[" not in lint("a.py").out
    assert "\x1b[" in lint("a.py", "--color", "always").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" in lint("a.py", "--color", "always").out
    lint("a.py", "--color", "always", "-o", "colored")
    assert b"\x1b[" in (tmp_path / "colored").read_bytes()


def test_statistics(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG101)\nfault(LG101)\nfault(LG102)\nfault(LG102)  # noqa\n")
    write("b.py", "exhaust()\n")
    write("notes.py", "")
    (Path.cwd() / "notes.py").write_bytes(b"nothing here\n")
    done = lint(".", "--format", "concise", "--statistics")
    assert done.code == 1
    lines = done.err.splitlines()
    assert lines[:-1] == [
        "    2  LG101  first-fault",
        "    1  LG102  second-fault",
        "files: 3",
        "not parsed, since no rule is concerned: 1",
        "budgets that ran out: 1",
        "suppressed: 1",
    ]
    stages = [part.split()[0] for part in lines[-1].removeprefix("seconds: ").split(", ")]
    assert stages == ["total", "gate", "read", "parse", "lower", "explore", "check", "report"]


def test_no_cache_is_accepted(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG101)\n")
    assert lint("a.py", "--no-cache", "--format", "concise").out == A101


def test_the_output_does_not_hang_on_jobs_or_order(lint: Lint, write: Write) -> None:
    for n in range(7):
        write(f"f{n}.py", "fault(LG101)\n" * (n % 3) + "fault(LG102)\n")
    names = [f"f{n}.py" for n in range(7)]
    expected = lint(".").out
    assert lint(".", "--jobs", "3").out == expected
    assert lint(*reversed(names), "-j", "2").out == expected
    assert lint(".", "--jobs", "0").code == 2


# --- files --------------------------------------------------------------------------------------


def test_show_files(lint: Lint, write: Write) -> None:
    write("b/x.py", "")
    write("a.py", "")
    write("build/y.py", "")
    write(".gitignore", "b/z.py\n")
    write("b/z.py", "")
    done = lint(".", "--show-files")
    assert (done.code, done.out) == (0, "a.py\nb/x.py\n")
    assert lint(".", "--show-files", "--exclude", "b,c").out == "a.py\n"


def test_exclude(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG101)\n")
    write("b/x.py", "fault(LG101)\n")
    arguments = ("--format", "concise", "--exclude", "b/*", "--exclude", "*.txt")
    assert lint(".", *arguments).out == A101
    assert lint("b/x.py", *arguments).out == concise("b/x.py", 2, "LG101")
    done = lint("b/x.py", *arguments, "--force-exclude")
    assert (done.code, done.out) == (0, "")
    done = lint(".", "--exclude", "!")
    assert done.code == 2
    assert done.err.endswith("Error: '!' is no pattern as in .gitignore\n")


# --- configuration ------------------------------------------------------------------------------


def test_the_nearest_configuration_counts(lint: Lint, write: Write) -> None:
    write("pyproject.toml", '[tool.lintgrad]\nselect = ["LG101"]\nformat = "concise"\n')
    write("sub/lintgrad.toml", 'select = ["LG102"]\nformat = "json"\n')
    write("a.py", THREE)
    write("sub/a.py", THREE)
    assert lint(".").out == A101 + concise("sub/a.py", 3, "LG102", "warning")
    assert lint(".", "--select", "LG201").out == A201 + concise("sub/a.py", 4, "LG201", "info")
    assert json.loads(lint("sub").out)["summary"]["warnings"] == 1
    assert json.loads(lint("sub/a.py").out)["summary"]["warnings"] == 1
    assert lint("sub", "a.py").out == lint(".").out


def test_isolated_and_config(lint: Lint, write: Write) -> None:
    write("lintgrad.toml", 'select = ["LG101"]\n')
    write("conf/other.toml", 'select = ["LG102"]\nexclude = ["x.py"]\n')
    write("a.py", THREE)
    write("x.py", THREE)
    arguments = (".", "--format", "concise")
    assert lint("a.py", "--isolated", *arguments[1:]).out == A101 + A102 + A201
    assert lint(*arguments, "--config", "conf/other.toml").out == A102
    done = lint(*arguments, "--config", "conf/other.toml", "--isolated")
    assert done.code == 2
    assert done.err.endswith("Error: --isolated and --config exclude each other\n")
    done = lint(*arguments, "--config", "none.toml")
    assert done.code == 2
    assert done.err.endswith("none.toml: No such file or directory\n")


def test_a_mistake_in_the_configuration(lint: Lint, write: Write, tmp_path: Path) -> None:
    write("a.py", THREE)
    write("pyproject.toml", '[tool.lintgrad]\nignore = ["LG201"]\nselct = ["LG101"]\n')
    done = lint("a.py")
    path = tmp_path / "pyproject.toml"
    assert (done.code, done.out) == (2, "")
    assert done.err == f"lintgrad: error: {path}:3: unknown key 'selct'; did you mean 'select'?\n"
    assert lint("a.py", "--isolated").code == 1


def test_per_file_ignores(lint: Lint, write: Write) -> None:
    write("lintgrad.toml", '[per-file-ignores]\n"tests/*" = ["LG1"]\n')
    write("tests/a.py", THREE)
    assert lint(".", "--format", "concise").out == concise("tests/a.py", 4, "LG201", "info")


# --- standard input -----------------------------------------------------------------------------

PROGRAM = b"import torch\nfault(LG101)\nfault(LG201)\n"


def test_standard_input(lint: Lint, write: Write) -> None:
    done = lint("-", "--format", "concise", stdin=PROGRAM)
    assert done.code == 1
    assert done.out == concise("<stdin>", 2, "LG101") + concise("<stdin>", 3, "LG201", "info")
    write("sub/lintgrad.toml", 'select = ["LG2"]\nexclude = ["b.py"]\nformat = "concise"\n')
    done = lint("-", "--stdin-filename", "sub/a.py", stdin=PROGRAM)
    assert (done.code, done.out) == (0, concise("sub/a.py", 3, "LG201", "info"))
    done = lint("-", "--stdin-filename", "sub/b.py", "--force-exclude", stdin=PROGRAM)
    assert (done.code, done.out) == (0, "")
    assert lint("-", stdin=b"").code == 0


def test_standard_input_stands_alone(lint: Lint, write: Write) -> None:
    write("a.py", THREE)
    done = lint("-", "a.py", stdin=PROGRAM)
    assert done.code == 2
    assert done.err.endswith("Error: standard input (-) cannot be linted together with other paths\n")
    assert lint("-", "--show-files", stdin=PROGRAM).code == 2
