"""The other commands, and the process as a whole: what it imports, how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lintgrad import __version__
from lintgrad.catalog import CatalogError
from lintgrad.cli import main
from lintgrad.cli.app import COMMANDS
from lintgrad.cli.parts import Parts

if TYPE_CHECKING:
    from tests.cli.conftest import Lint, Write


def test_explain_prints_the_page(lint: Lint) -> None:
    page = "# first-fault (LG101)\n\n## Why\n\nBecause.\n"
    for name in ("LG101", "lg101", "first-fault"):
        assert lint("explain", name).out == page
    done = lint("explain", "frst-fault")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("Error: unknown rule 'frst-fault'; did you mean 'first-fault'?\n")
    assert lint("explain").code == 2


def test_rules_lists_all(lint: Lint) -> None:
    assert lint("rules").out.splitlines() == [
        "LG101  first-fault         error    the fault that LG101 is about",
        "LG102  second-fault        warning  the fault that LG102 is about",
        "LG201  third-fault         info     the fault that LG201 is about",
        "LG202  fault-on-trial      error    the fault that LG202 is about (preview)",
        "LG203  lost-check          error    the fault that LG203 is about",
        "LG901  unused-suppression  warning  the fault that LG901 is about",
        "LG902  syntax-error        error    the fault that LG902 is about",
    ]
    rules = json.loads(lint("rules", "--format", "json").out)
    assert [rule["code"] for rule in rules] == ["LG101", "LG102", "LG201", "LG202", "LG203", "LG901", "LG902"]
    assert rules[3] == {
        "code": "LG202",
        "name": "fault-on-trial",
        "summary": "the fault that LG202 is about",
        "severity": "error",
        "category": "fake",
        "since": "0.1.0",
        "preview": True,
        "references": ["https://example.org/fault-on-trial"],
    }
    assert lint("rules", "--format", "xml").code == 2


def test_show_prints_what_was_understood(lint: Lint, write: Write) -> None:
    write("a.py", "fault(LG101)\n fault(LG102)\n")
    assert astuple(lint("show", "a.py")) == (
        0,
        "<module>, path 1\n     2  fault(LG101)\n     3    fault(LG102)\n",
        "",
    )
    write("b.py", "fine\n")
    assert lint("show", "b.py").out == "nothing that concerns gradients\n"
    write("c.py", "syntax error\n")
    assert astuple(lint("show", "c.py")) == (2, "", "lintgrad: error: c.py:2:1: it does not parse\n")
    assert lint("show", "none.py").code == 2


def test_version_and_help(lint: Lint) -> None:
    assert lint("--version").out == f"lintgrad {__version__}\n"
    for option in ("--help", "-h"):
        done = lint(option)
        assert done.code == 0
        assert done.out.startswith("Usage: lintgrad [OPTIONS] COMMAND [ARGS]...")
        assert all(f"\n  {name} " in done.out for name in COMMANDS)
    assert "--select" in lint("check", "--help").out
    assert "--select" in lint("--select", "LG1", "--help").out
    for name, text in COMMANDS.items():
        assert lint(name, "--help").code == 0, text


def test_a_fault_of_the_tool_is_no_finding(capsys: pytest.CaptureFixture[str]) -> None:
    def crash() -> object:
        raise KeyError("oh")

    assert main(["rules"], Parts(crash)) == 2  # type: ignore[arg-type]
    assert capsys.readouterr().err.startswith(
        "lintgrad: error: internal error: KeyError: 'oh' (cli/test_commands.py:"
    )

    def broken() -> object:
        raise CatalogError("LG1.md: no front matter")

    assert main(["rules"], Parts(broken)) == 2  # type: ignore[arg-type]
    assert capsys.readouterr().err == "lintgrad: error: LG1.md: no front matter\n"

    def interrupted() -> object:
        raise KeyboardInterrupt

    assert main(["rules"], Parts(interrupted)) == 130  # type: ignore[arg-type]
    assert capsys.readouterr().err.endswith("lintgrad: error: interrupted\n")


# --- processes ----------------------------------------------------------------------------------


def python(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | (env or {}),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_module_runs(tmp_path: Path) -> None:
    done = python("-m", "lintgrad", "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"lintgrad {__version__}\n", "")
    assert python("-m", "lintgrad", "nothing", cwd=tmp_path).returncode == 2


PARSERS = {"libcst", "torch", "numpy", "pygls"}
SLOW = {*PARSERS, "pathspec", "multiprocessing", "lintgrad.machine", "lintgrad.lowering"}


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["check", "--help"], ["rules"], ["explain", "LG101"]]
)
def test_what_costs_time_is_not_imported_for_nothing(arguments: list[str], tmp_path: Path) -> None:
    program = (
        "import sys; from lintgrad.cli import main; "
        f"main({arguments}); sys.stdout = sys.stderr; print(*sys.modules)"
    )
    done = python("-c", program, cwd=tmp_path)
    assert set(done.stderr.split()) & SLOW == set(), done.stderr
    assert "lintgrad.cli.app" in done.stderr.split()


def test_a_run_whose_files_concern_no_rule_imports_no_parser(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\n", encoding="utf-8")
    program = (
        "import sys; from lintgrad.cli import main; "
        "code = main(['a.py']); print(code, *sys.modules, file=sys.stderr)"
    )
    done = python("-c", program, cwd=tmp_path)
    code, *modules = done.stderr.split()
    assert (code, done.stdout) == ("0", "No findings in 1 file\n")
    assert set(modules) & SLOW == set()


TRAINING = """
import torch

net = torch.nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
for x in torch.ones(10, 1):
    loss = net(x).sum()
    loss.backward()
    opt.step()
"""


def test_a_run_that_plans_no_fix_needs_no_libcst(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TRAINING, encoding="utf-8")
    program = (
        "import sys; from lintgrad.cli import main; "
        "code = main(['--format', 'concise', 'a.py']); print(code, *sys.modules, file=sys.stderr)"
    )
    done = python("-c", program, cwd=tmp_path)
    code, *modules = done.stderr.split()
    assert code == "1"
    assert "LG301" in done.stdout
    assert set(modules) & PARSERS == set()


FAKE = """
import sys
from importlib import import_module
import lintgrad.cli.run
from lintgrad.cli import main
from lintgrad.cli.parts import Parts
fakelint = import_module("fakelint")
open("started", "w").close()
sys.exit(main(sys.argv[1:], Parts(fakelint.catalog, fakelint.engine)))
"""
FAKE_PATH = [str(Path(__file__).parent.parent / "fakes"), *filter(None, [os.environ.get("PYTHONPATH")])]
FAKES = {"PYTHONPATH": os.pathsep.join(FAKE_PATH)}


def test_a_reader_who_goes_away_is_no_error(tmp_path: Path, write: Write) -> None:
    write("a.py", "fault(LG101)\n" * 20_000)
    with subprocess.Popen(
        [sys.executable, "-c", FAKE, "a.py"],
        cwd=tmp_path,
        env=os.environ | FAKES,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_ends_the_run(tmp_path: Path, write: Write, jobs: str) -> None:
    # A shell that runs the tests in the background has them ignore interrupts; a terminal does not.
    listening = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    for n in range(600):
        write(f"f{n}.py", "slow()\n")
    with subprocess.Popen(
        [sys.executable, "-c", listening + FAKE, ".", "--jobs", jobs],
        cwd=tmp_path,
        env=os.environ | FAKES,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        while not (tmp_path / "started").exists():
            time.sleep(0.05)
        time.sleep(0.7)
        begin = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err.strip()) == (130, b"", b"lintgrad: error: interrupted")
        assert time.monotonic() - begin < 5


def test_output_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    (tmp_path / "判.py").write_bytes(b"import torch\nfault(LG101)\n")
    done = python(
        "-c", FAKE, "判.py", "--format", "concise", cwd=tmp_path, env=FAKES | {"PYTHONIOENCODING": "latin-1"}
    )
    assert (done.returncode, done.stdout) == (1, "\\u5224.py:2:1: error[LG101] `fault(LG101)` is a fault\n")
