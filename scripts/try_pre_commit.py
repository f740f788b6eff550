"""Use lintgrad's hooks through a real pre-commit: `try_pre_commit.py SDIST FOLDER`.

In FOLDER, which is made, the unpacked source distribution becomes a repository of hooks, and the
example programs become a repository that uses them. A commit of a faulty program must be refused with
the finding in the output; a commit of the clean one must go through.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

_CONFIGURATION = """\
repos:
  - repo: {hooks}
    rev: {revision}
    hooks:
      - id: lintgrad
"""


class Repository:
    """A git repository in a folder, with an identity of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet")
        self.git("config", "user.name", "lintgrad")
        self.git("config", "user.email", "lintgrad@localhost")

    def git(self, *arguments: str) -> str:
        """What a git command prints; raises when it fails."""
        done = subprocess.run(
            ["git", *arguments],  # noqa: S607  whichever git is in use
            cwd=self.folder,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()


def hook_repository(sdist: Path, folder: Path) -> Repository:
    """The repository of hooks: what the source distribution holds, committed."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    repository = Repository(unpacked)
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "hooks")
    return repository


def using_repository(hooks: Repository, folder: Path) -> Repository:
    """A repository whose pre-commit configuration names the hooks."""
    folder.mkdir()
    repository = Repository(folder)
    configuration = _CONFIGURATION.format(hooks=hooks.folder, revision=hooks.git("rev-parse", "HEAD"))
    (folder / ".pre-commit-config.yaml").write_text(configuration, encoding="utf-8")
    return repository


def commit(repository: Repository, program: Path, home: Path) -> tuple[int, str]:
    """Stage `program` alone and run the hooks as a commit does: their status and what they print."""
    (repository.folder / program.name).write_bytes(program.read_bytes())
    repository.git("reset", "--quiet")
    repository.git("add", ".pre-commit-config.yaml", program.name)
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--color", "never"],
        cwd=repository.folder,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PRE_COMMIT_HOME": str(home)},
    )
    return done.returncode, done.stdout


def main(arguments: list[str]) -> int:
    """Try both commits; 0 when both ended as they should."""
    sdist, folder = map(Path, arguments)
    folder = folder.resolve()
    folder.mkdir()
    hooks = hook_repository(sdist.resolve(), folder / "hooks")
    user = using_repository(hooks, folder / "user")
    clean = commit(user, Path("examples/clean.py").resolve(), folder / "home")
    faulty = commit(user, Path("examples/two_heads.py").resolve(), folder / "home")
    print(clean[1], faulty[1], sep="\n")
    good = clean[0] == 0 and faulty[0] == 1 and "LG101" in faulty[1]
    print("as it should be" if good else f"wrong: status {clean[0]} on clean.py, {faulty[0]} on two_heads.py")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
