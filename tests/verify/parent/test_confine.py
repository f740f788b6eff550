"""Each layer of the sandbox by itself, in a process made for it: what one lets through another must hold."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lintgrad.verify.child.confine import landlock, seccomp
from lintgrad.verify.child.confine.places import Places, readable_places
from lintgrad.verify.child.confine.syscalls import ARCHITECTURES, DRESSING, REFUSED
from lintgrad.verify.child.confine.system import MACHINE

linux = pytest.mark.skipif(sys.platform != "linux", reason="a layer of Linux")
has_landlock = pytest.mark.skipif(landlock.version() == 0, reason="this kernel has no Landlock")
has_seccomp = pytest.mark.skipif(
    sys.platform != "linux" or MACHINE not in ARCHITECTURES, reason="no filter for this machine"
)

HEAD = """
import ctypes, errno, os, socket, subprocess, sys, threading
from lintgrad.verify.child import confine
from lintgrad.verify.child.confine import audit, landlock, limits, namespaces, seccomp
from lintgrad.verify.child.confine.places import Places, readable_places
folder = os.path.realpath(sys.argv[1])
outside = sys.argv[2]
def attempt(function, *arguments):
    try:
        print("done", function(*arguments))
    except BaseException as error:
        print(type(error).__name__, getattr(error, "errno", ""))
"""


def tried(tmp_path: Path, code: str) -> list[str]:
    """What `code` prints when it may write to one folder and has another in sight."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("secret", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", HEAD + code, str(inside), str(outside)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == "", done.stderr
    return done.stdout.splitlines()


REFUSED_BY_PERMISSION = f"PermissionError {errno.EPERM}"


@linux
@has_landlock
def test_landlock_alone(tmp_path: Path) -> None:
    told = tried(
        tmp_path,
        """
print(landlock.restrict(Places(folder, readable_places())))
attempt(os.open, outside + "/mine", os.O_WRONLY | os.O_CREAT)
attempt(os.open, outside + "/secret", os.O_RDONLY)
attempt(os.listdir, outside)
attempt(os.unlink, outside + "/secret")
attempt(os.rename, outside + "/secret", folder + "/secret")
attempt(os.open, f"/proc/{os.getppid()}/environ", os.O_RDONLY)
attempt(os.mkdir, folder + "/mine")
attempt(lambda: len(open(os.__file__).read()) > 0)
""",
    )
    assert told[0].startswith("landlock ")
    assert not any(line.startswith("done") for line in told[1:7]), told
    assert told[7:] == ["done None", "done True"]
    assert (tmp_path / "outside" / "secret").read_text(encoding="utf-8") == "secret"


@linux
@has_seccomp
def test_seccomp_alone(tmp_path: Path) -> None:
    told = tried(
        tmp_path,
        """
libc = ctypes.CDLL(None, use_errno=True)
print(seccomp.restrict())
attempt(socket.socket)
attempt(os.fork)
attempt(os.execv, "/bin/true", ["true"])
attempt(os.posix_spawn, "/bin/true", ["true"], {})
attempt(os.kill, os.getppid(), 0)
attempt(os.setsid)
import resource
attempt(resource.setrlimit, resource.RLIMIT_NOFILE, (10, 10))
print(libc.fork(), ctypes.get_errno())
print(libc.ptrace(0, 0, 0, 0), ctypes.get_errno())
""",
    )
    assert told[0] == "seccomp"
    assert told[1:7] == [REFUSED_BY_PERMISSION] * 6
    assert told[7].startswith("ValueError")  # what `resource` makes of it
    assert told[8:] == ["-1 1", "-1 1"]


@linux
@has_seccomp
def test_seccomp_lets_a_program_be_a_program(tmp_path: Path) -> None:
    told = tried(
        tmp_path,
        """
seccomp.restrict()
thread = threading.Thread(target=print, args=("thread",))
thread.start(); thread.join()
os.kill(os.getpid(), 0)
import asyncio, resource, shutil
attempt(resource.getrlimit, resource.RLIMIT_CORE)
attempt(lambda: os.path.basename(shutil.copy(os.__file__, folder + "/copy.py")))
attempt(os.chmod, folder, 0o777)
attempt(asyncio.run, asyncio.sleep(0, "slept"))
""",
    )
    assert told[0] == "thread"
    assert told[1].startswith("done (")
    assert told[2:] == ["done copy.py", "done None", "done slept"]
    assert (tmp_path / "inside").stat().st_mode & 0o777 != 0o777


@linux
def test_limits_alone(tmp_path: Path) -> None:
    told = tried(
        tmp_path,
        """
print(limits.lower(5, 256 << 20, 1 << 20))
attempt(lambda: len(bytearray(1 << 30)))
attempt(lambda: open(folder + "/big", "wb", buffering=0).write(bytes(2 << 20)))
attempt(lambda: open(folder + "/big", "ab", buffering=0).write(bytes(2 << 20)))
attempt(lambda: [open(os.devnull) for _ in range(1000)])
import resource
print(resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_CPU))
""",
    )
    too_large = f"OSError {errno.EFBIG}"
    assert told[:2] == ["limits", "MemoryError "]
    assert told[2] == f"done {1 << 20}"
    assert told[3:5] == [too_large, f"OSError {errno.EMFILE}"]
    assert told[5] == "(0, 0) (6, 6)"


@linux
def test_namespaces_bound_what_is_written_and_leave_nothing(tmp_path: Path) -> None:
    told = tried(
        tmp_path,
        """
held = namespaces.enter(folder, 1 << 20)
print(held)
if held:
    os.chdir(folder)
    attempt(lambda: [open(f"{i}", "wb", buffering=0).write(bytes(1 << 18)) for i in range(100)])
""",
    )
    if told == [""]:
        pytest.skip("this system has no user namespaces for everybody")
    assert told == ["namespaces", f"OSError {errno.ENOSPC}"]
    assert list((tmp_path / "inside").iterdir()) == []


def test_the_audit_hook_alone(tmp_path: Path) -> None:
    told = tried(
        tmp_path,
        """
audit.preload()
print(audit.watch(Places(folder, readable_places())))
attempt(open, outside + "/mine", "w")
attempt(os.open, outside + "/mine", os.O_WRONLY | os.O_CREAT)
attempt(open, outside + "/secret")
attempt(os.rename, outside + "/secret", folder + "/secret")
attempt(os.link, outside + "/secret", folder + "/secret")
os.symlink(outside, folder + "/way")
attempt(open, folder + "/way/mine", "w")
attempt(open, folder + "/../outside/mine", "w")
attempt(subprocess.run, ["true"])
attempt(socket.getaddrinfo, "example.org", 80)
attempt(ctypes.CDLL, None)
attempt(open, outside + "/missing")
attempt(lambda: open(folder + "/mine", "w").write("x"))
print(*audit.refused(), sep="\\n")
""",
    )
    assert told[0] == "audit"
    assert told[1:11] == [REFUSED_BY_PERMISSION] * 10
    assert told[11:13] == ["FileNotFoundError 2", "done 1"]
    outside = tmp_path / "outside"
    assert told[13:] == [
        f"write to {outside / 'mine'}",
        f"write to {outside / 'secret'}",
        f"write to {tmp_path / 'inside' / 'way' / 'mine'}",
        f"write to {tmp_path / 'inside' / '..' / 'outside' / 'mine'}",
        "start a process (true)",
        "reach the network (example.org)",
    ]


def test_descriptors_and_surroundings_are_gone(tmp_path: Path) -> None:
    told = tried(
        tmp_path,
        """
secret = os.open(outside + "/secret", os.O_RDONLY)
reader, writer = os.pipe()
os.dup2(1, writer)
confine.confine(folder, 5, 1 << 30, keep=(writer,))
def tell(text):
    os.write(writer, text.encode() + b"\\n")
for descriptor in (secret, reader):
    try:
        os.fstat(descriptor)
        tell("open")
    except OSError as error:
        tell(f"closed {error.errno}")
print("nobody reads this")
tell(str(os.environ["HOME"] == folder == os.path.realpath("../../../..")))
""",
    )
    assert told == [f"closed {errno.EBADF}"] * 2 + ["True"]


def test_a_home_folder_is_not_readable_whatever_names_it() -> None:
    home = os.path.realpath(Path.home())
    places = Places("/nowhere", readable_places([home, os.sep, str(Path(home).parent)]))
    assert not places.may_read(str(Path(home, ".ssh", "id_ed25519")))
    assert places.may_read(os.__file__)


@pytest.mark.parametrize("machine", sorted(ARCHITECTURES))
def test_the_filter_knows_the_calls_of_each_machine(machine: str) -> None:
    numbers = ARCHITECTURES[machine].numbers
    every = {"socket", "connect", "execve", "clone", "clone3", "prlimit64", "ptrace", "io_uring_setup"}
    assert every <= numbers.keys()
    assert numbers.keys() <= {*REFUSED, *DRESSING, "clone", "clone3", "prlimit64", "prctl", "kill", "tgkill"}
    assert len(set(numbers.values())) == len(numbers)


@pytest.mark.parametrize("machine", sorted(ARCHITECTURES))
def test_jumps_of_the_filter_stay_in_it(machine: str) -> None:
    program = seccomp.steps(ARCHITECTURES[machine], 1234)
    for place, step in enumerate(program):
        assert place + max(step.then, step.otherwise) + 1 <= len(program)
        assert 0 <= step.then < 256 > step.otherwise >= 0
