"""`--fix` and `--diff`: what they change, what they leave, and what they say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Lint, Write


def read(name: str) -> str:
    return Path(name).read_bytes().decode()


def test_safe_fixes_are_applied(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG101, fix)\nfault(LG102)\n")
    write("b.py", "fine\n")
    done = lint(".", "--fix", "--format", "concise")
    assert (done.code, done.err) == (1, "")
    assert done.out == "a.py:3:1: warning[LG102] `fault(LG102)` is a fault\n"
    assert read("a.py") == "import torch\nfixed()\nfault(LG102)\n"
    assert read("b.py") == "import torch\nfine\n"


def test_what_is_left_decides_the_exit_code(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG101, fix)\nfault(LG102, fix)\n")
    done = lint("a.py", "--fix")
    assert (done.code, done.out) == (0, "No findings in 1 file; 2 fixed\n")
    assert read("a.py") == "import torch\nfixed()\nfixed()\n"


def test_unsafe_fixes_have_to_be_asked_for(lint: Lint, write: Write) -> None:
    text = "fault(LG101, unsafe)\nfault(LG102, display)\n"
    write("a.py", text)
    assert lint("a.py", "--fix").code == 1
    assert lint("a.py", "--unsafe-fixes").code == 1
    assert read("a.py") == f"import torch\n{text}"
    assert lint("a.py", "--fix", "--unsafe-fixes").code == 1
    assert read("a.py") == "import torch\nfixed()\nfault(LG102, display)\n"


def test_only_what_is_shown_is_fixed(lint: Lint, write: Write) -> None:
    text = "fault(LG101, fix, possible)\nfault(LG102, fix)\nfault(LG201, fix)  # noqa\n"
    write("a.py", text)
    assert lint("a.py", "--fix", "--ignore", "LG102").code == 0
    assert read("a.py") == f"import torch\n{text}"
    assert lint("a.py", "--fix", "--confidence", "possible", "--severity", "error").code == 0
    assert read("a.py") == "import torch\nfixed()\nfault(LG102, fix)\nfault(LG201, fix)  # noqa\n"


def test_fixes_go_on_until_none_is_left(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG102, again)\n")
    done = lint("a.py", "--fix")
    assert (done.code, done.out) == (0, "No findings in 1 file; 2 fixed\n")
    assert read("a.py") == "import torch\nfixed()\n"


def test_a_fix_that_breaks_the_file_is_not_written(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG101, breaks)\nfault(LG102, fix)\n")
    done = lint("a.py", "--fix", "--format", "concise")
    assert done.code == 1
    assert done.out == "a.py:2:1: error[LG101] `fault(LG101, breaks)` is a fault\n"
    assert read("a.py") == "import torch\nfault(LG101, breaks)\nfixed()\n"


def test_fixes_of_one_place_are_made_one_after_the_other(lint: Lint, write: Write) -> None:
    write("a.py", "x = 1  # noqa: LG101  # lintgrad: ignore[LG102]\nfault(LG102, fix)\n")
    done = lint("a.py", "--fix")
    assert (done.code, done.out) == (0, "No findings in 1 file; 3 fixed\n")
    assert read("a.py") == "import torch\nx = 1\nfixed()\n"


def test_unused_suppressions_are_taken_out(lint: Lint, write: Write) -> None:
    write("a.py", "x = 1  # noqa: E501, LG101\n# lintgrad: ignore[LG102]\ny = 2\n")
    (Path.cwd() / "b.py").write_bytes(b"z = 3  # noqa: LG101\n")
    done = lint(".", "--fix")
    assert (done.code, done.out) == (0, "No findings in 2 files; 3 fixed\n")
    assert read("a.py") == "import torch\nx = 1  # noqa: E501\ny = 2\n"
    assert read("b.py") == "z = 3\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"import torch\r\nfault(LG101, fix)\r\n", b"import torch\r\nfixed()\r\n"),
        (b"import torch\nfault(LG101, fix)", b"import torch\nfixed()"),
        (
            "# é torch\nx = '判'; fault(LG101, fix)\n".encode(),
            "# é torch\nx = '判'; fixed()\n".encode(),
        ),
    ],
)
def test_all_other_bytes_are_kept(lint: Lint, tmp_path: Path, before: bytes, after: bytes) -> None:
    (tmp_path / "a.py").write_bytes(before)
    assert lint("a.py", "--fix").code == 0
    assert (tmp_path / "a.py").read_bytes() == after


def test_a_file_that_cannot_be_written_is_told(
    lint: Lint, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py", "fault(LG101, fix)\n")
    write("b.py", "fault(LG102, fix)\n")

    def refuse(path: Path, data: bytes) -> None:
        if path.name == "a.py":
            raise PermissionError(13, "Permission denied")
        path.write_bytes(data)

    monkeypatch.setattr("lintgrad.fixes.write_atomically", refuse)
    done = lint(".", "--fix", "--format", "concise")
    assert done.code == 2
    assert done.err == "lintgrad: error: a.py: cannot be fixed: Permission denied\n"
    assert done.out == "a.py:2:1: error[LG101] `fault(LG101, fix)` is a fault\n"
    assert read("b.py") == "import torch\nfixed()\n"


def test_a_link_stays_a_link(lint: Lint, write: Write, tmp_path: Path) -> None:
    write("real/a.py", "fault(LG101, fix)\n")
    (tmp_path / "link.py").symlink_to(tmp_path / "real" / "a.py")
    assert lint("link.py", "--fix").code == 0
    assert (tmp_path / "link.py").is_symlink()
    assert read("real/a.py") == "import torch\nfixed()\n"


def test_the_mode_of_a_file_is_kept(lint: Lint, write: Write) -> None:
    path = write("a.py", "fault(LG101, fix)\n")
    path.chmod(0o750)
    assert lint("a.py", "--fix").code == 0
    assert path.stat().st_mode & 0o777 == 0o750


# --- the diff -----------------------------------------------------------------------------------

DIFF = """\
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
 import torch
-fault(LG101, fix)
+fixed()
"""


@pytest.mark.parametrize("options", [["--diff"], ["--diff", "--fix"]])
def test_a_diff_changes_nothing(lint: Lint, write: Write, options: list[str]) -> None:
    write("a.py", "fault(LG101, fix)\n")
    write("b.py", "fault(LG102)\n")
    done = lint(".", *options)
    assert (done.code, done.out, done.err) == (1, DIFF, "")
    assert read("a.py") == "import torch\nfault(LG101, fix)\n"
    assert lint(".", *options, "--exit-zero").code == 0


def test_no_diff(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG101)\nfault(LG102, unsafe)\n")
    done = lint("a.py", "--diff")
    assert (done.code, done.out) == (0, "")
    assert lint("a.py", "--diff", "--unsafe-fixes").code == 1


def test_a_diff_into_a_file(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG101, fix)\n")
    done = lint(".", "--diff", "-o", "out.patch")
    assert (done.code, done.out) == (1, "")
    assert read("out.patch") == DIFF


# --- standard input -----------------------------------------------------------------------------

PROGRAM = b"import torch\nfault(LG101, fix)\nfault(LG102)\n"


def test_the_fixed_program_goes_to_standard_output(lint: Lint) -> None:
    done = lint("-", "--fix", "--format", "concise", "--stdin-filename", "a.py", stdin=PROGRAM)
    assert done.code == 1
    assert done.out == "import torch\nfixed()\nfault(LG102)\n"
    assert done.err == "a.py:3:1: warning[LG102] `fault(LG102)` is a fault\n"


def test_a_program_that_is_left_out_comes_back_as_it_is(lint: Lint) -> None:
    arguments = ("-", "--fix", "--stdin-filename", "a.py", "--exclude", "a.py", "--force-exclude")
    done = lint(*arguments, "--format", "concise", stdin=PROGRAM)
    assert (done.code, done.out, done.err) == (0, PROGRAM.decode(), "")


def test_the_diff_of_standard_input(lint: Lint) -> None:
    done = lint("-", "--diff", "--stdin-filename", "a.py", stdin=PROGRAM)
    assert done.code == 1
    assert done.out.splitlines()[:2] == ["--- a/a.py", "+++ b/a.py"]
    assert "+fixed()" in done.out.splitlines()
