"""Which files a run is about."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from lintgrad.catalog import Catalog
from lintgrad.config import Config, Configs, Resolver
from lintgrad.project.discovery import DEFAULT_EXCLUDES, Discovery, MissingPathError

CATALOG = Catalog((), Path())


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")


def write(root: Path, name: str, text: str) -> None:
    make(root, name)
    (root / name).write_text(text, encoding="utf-8")


def find(
    cwd: Path, *paths: str, exclude: Iterable[str] = (), force: bool = False, fixed: Config | None = None
) -> list[str]:
    overrides = Config(root=cwd, exclude=tuple(exclude))
    resolver = Resolver(CATALOG, Configs(CATALOG, fixed), overrides)
    return [file.shown for file in Discovery(resolver, cwd, force=force).find(paths or ["."])]


def test_a_folder_is_walked_for_python_files_and_notebooks(tmp_path: Path) -> None:
    make(
        tmp_path,
        "b.py",
        "a.pyw",
        "c.pyi",
        "notes.txt",
        "d.ipynb",
        "sub/deep/e.py",
        "sub/.hidden/f.py",
        ".g.py",
    )
    assert find(tmp_path) == [".g.py", "a.pyw", "b.py", "d.ipynb", "sub/.hidden/f.py", "sub/deep/e.py"]


def test_the_order_of_paths_does_not_matter_and_each_file_counts_once(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "b/c.py", "b/d.py")
    expected = ["a.py", "b/c.py", "b/d.py"]
    assert find(tmp_path, "b", "a.py") == expected
    assert find(tmp_path, "a.py", "b", ".", "b/c.py", "./b/../a.py") == expected


def test_paths_are_shown_from_the_current_folder(tmp_path: Path) -> None:
    make(tmp_path, "a/x.py", "b/y.py")
    assert find(tmp_path / "a", "../b") == ["../b/y.py"]
    assert find(tmp_path / "a", str(tmp_path / "b")) == [str(tmp_path / "b" / "y.py")]
    assert find(tmp_path / "a", str(tmp_path / "a")) == ["x.py"]


def test_folders_without_code_of_the_project_are_not_entered(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "env/pyvenv.cfg", "env/lib/b.py", *(f"{name}/x.py" for name in DEFAULT_EXCLUDES))
    make(tmp_path, "src/build/x.py", "src/builder/y.py")
    assert find(tmp_path) == ["a.py", "src/builder/y.py"]


def test_a_folder_that_is_named_is_entered(tmp_path: Path) -> None:
    make(tmp_path, "build/x.py", "env/pyvenv.cfg", "env/y.py")
    assert find(tmp_path, "build", "env") == ["build/x.py", "env/y.py"]


def test_a_file_that_is_named_is_linted_whatever_its_name(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "build/\n*.txt\n")
    make(tmp_path, "build/x.py", "script", "notes.txt")
    assert find(tmp_path, "build/x.py", "script", "notes.txt") == ["build/x.py", "notes.txt", "script"]


def test_excludes_are_left_out_of_a_walk(tmp_path: Path) -> None:
    write(tmp_path, "lintgrad.toml", 'exclude = ["/old", "*_pb2.py"]\n')
    make(tmp_path, "old/a.py", "src/old/b.py", "src/x_pb2.py", "src/c.py", "src/d.py")
    assert find(tmp_path, exclude=["src/d.py"]) == ["src/c.py", "src/old/b.py"]


def test_excludes_hold_for_named_paths_when_forced(tmp_path: Path) -> None:
    write(tmp_path, "lintgrad.toml", 'exclude = ["/old"]\n')
    make(tmp_path, "old/a.py", "src/c.py", "src/build/d.py", "src/e.py")
    names = ["old/a.py", "old", "src/c.py", "src/build/d.py", "src/build", "src/e.py"]
    assert find(tmp_path, *names, exclude=["e.py"]) == [
        "old/a.py",
        "src/build/d.py",
        "src/c.py",
        "src/e.py",
    ]
    assert find(tmp_path, *names, exclude=["e.py"], force=True) == ["src/c.py"]


def test_the_way_to_the_project_is_not_excluded(tmp_path: Path) -> None:
    project = tmp_path / "build" / "venv" / "project"
    make(project, "a.py", "dist/b.py")
    assert find(project, "a.py", "dist/b.py", force=True) == ["a.py"]
    assert find(project) == ["a.py"]
    write(project, "lintgrad.toml", "")
    assert find(tmp_path, "build/venv/project/a.py", "build/venv/project/dist/b.py", force=True) == [
        "build/venv/project/a.py"
    ]


def test_a_missing_path_is_told(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    with pytest.raises(MissingPathError) as error:
        find(tmp_path, "a.py", "none.py")
    assert str(error.value) == "none.py: no such file or folder"


# --- git's ignore files -------------------------------------------------------------------------


def test_ignore_files_hold_at_every_level(tmp_path: Path) -> None:
    (tmp_path / ".git" / "info").mkdir(parents=True)
    write(tmp_path, ".git/info/exclude", "private.py\n")
    write(tmp_path, ".gitignore", "*.gen.py\n/out/\n!keep.gen.py\n# comment\n\n")
    write(tmp_path, "a/.gitignore", "!x.gen.py\nlocal.py\n")
    make(tmp_path, "x.gen.py", "keep.gen.py", "private.py", "out/b.py", "local.py", "a/out/c.py")
    make(tmp_path, "a/x.gen.py", "a/y.gen.py", "a/local.py", "a/private.py", "a/b/x.gen.py", "a/b/local.py")
    assert find(tmp_path) == ["a/b/x.gen.py", "a/out/c.py", "a/x.gen.py", "keep.gen.py", "local.py"]


def test_rules_of_folders_around_the_walk_hold(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, ".gitignore", "x.py\n/a/b/y.py\n")
    make(tmp_path, "a/b/x.py", "a/b/y.py", "a/b/z.py")
    assert find(tmp_path, "a/b") == ["a/b/z.py"]
    assert find(tmp_path / "a" / "b") == ["z.py"]


def test_an_ignored_folder_that_is_named_is_walked(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, ".gitignore", "scratch/\n*.gen.py\n")
    write(tmp_path, "scratch/.gitignore", "no.py\n")
    make(tmp_path, "scratch/a.py", "scratch/no.py", "scratch/deep/b.py", "c.py")
    assert find(tmp_path) == ["c.py"]
    assert find(tmp_path, "scratch") == ["scratch/a.py", "scratch/deep/b.py"]
    assert find(tmp_path, "scratch/deep") == ["scratch/deep/b.py"]


def test_outside_of_a_repository_ignore_files_hold_from_the_walk_on(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "a.py\n")
    write(tmp_path, "sub/.gitignore", "b.py\n")
    make(tmp_path, "a.py", "sub/a.py", "sub/b.py", "sub/c.py")
    assert find(tmp_path) == ["sub/c.py"]
    assert find(tmp_path, "sub") == ["sub/a.py", "sub/c.py"]


def test_a_whitelist_takes_in_again(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "/*\n!/src\n!/setup.py\n")
    make(tmp_path, "setup.py", "other.py", "src/a.py", "src/deep/b.py", "lib/c.py")
    assert find(tmp_path) == ["setup.py", "src/a.py", "src/deep/b.py"]


def test_lines_that_are_no_pattern_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "!\n[z-a]\n/\n[\nb\\\na.py\n")
    make(tmp_path, "a.py", "b.py")
    assert find(tmp_path) == ["b.py"]


ATOMS = ("a", "b", "*", "a*", "?", "[ab]", "**", "*.py", "a.py", "b.py", "x")


def some_patterns(random: Random) -> str:
    """A few lines of an ignore file, of all shapes."""
    lines = []
    for _ in range(random.randint(1, 5)):
        body = "/".join(random.choices(ATOMS, k=random.randint(1, 3)))
        ends = [random.choice(["", "", "!"]), random.choice(["", "", "/"]), random.choice(["", "", "/"])]
        lines.append(f"{ends[0]}{ends[1]}{body}{ends[2]}\n")
    return "".join(lines)


@pytest.mark.parametrize("seed", range(12))
def test_git_agrees_on_any_patterns(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for folder in ("", "a/", "b/", "a/b/", "a/a/", "b/x/", "x/a/b/"):
        make(tmp_path, *(f"{folder}{name}.py" for name in "abx"))
        if not folder or random.random() < 0.3:
            write(tmp_path, f"{folder}.gitignore", some_patterns(random))
    assert find(tmp_path) == listed_by_git(tmp_path)


def listed_by_git(folder: Path) -> list[str]:
    done = subprocess.run(
        ["git", "-c", "core.quotePath=false", "ls-files", "-co", "--exclude-standard", "*.py"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return sorted(done.stdout.split("\n")[:-1])


def test_git_agrees(tmp_path: Path) -> None:
    """The same tree, asked of git itself."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write(
        tmp_path,
        ".gitignore",
        "*.gen.py\n/out\ndata/*\n!data/keep\nd[0-9].py\n**/tmp\n\\#x.py\nsp\\ ace.py\ne.py/\n",
    )
    write(tmp_path, "a/.gitignore", "/c.py\n!x.gen.py\n*\n!*/\n!z.py\n")
    make(tmp_path, "x.gen.py", "out/a.py", "data/no/a.py", "data/keep/a.py", "d1.py", "dd.py", "q/tmp/a.py")
    make(tmp_path, "#x.py", "sp ace.py", "e.py", "a/c.py", "a/x.gen.py", "a/z.py", "a/b/z.py", "a/b/y.py")
    expected = listed_by_git(tmp_path)
    assert "a/b/z.py" in expected
    assert find(tmp_path) == expected


# --- links --------------------------------------------------------------------------------------


def test_loops_of_links_end(tmp_path: Path) -> None:
    make(tmp_path, "a/x.py")
    (tmp_path / "a" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.py").symlink_to(tmp_path / "self.py")
    assert find(tmp_path) == ["a/x.py"]


def test_a_link_to_a_file_counts_unless_the_file_does(tmp_path: Path) -> None:
    make(tmp_path, "p/a.py", "outside/b.py")
    (tmp_path / "p" / "also_a.py").symlink_to(tmp_path / "p" / "a.py")
    (tmp_path / "p" / "b.py").symlink_to(tmp_path / "outside" / "b.py")
    (tmp_path / "p" / "b2.py").symlink_to(tmp_path / "outside" / "b.py")
    (tmp_path / "p" / "gone.py").symlink_to(tmp_path / "nothing.py")
    assert find(tmp_path / "p") == ["a.py", "b.py"]


def test_a_link_that_is_named_is_linted(tmp_path: Path) -> None:
    make(tmp_path, "real/x.py")
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nothing.py")
    assert find(tmp_path, "link", "gone.py") == ["gone.py", "link/x.py"]


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    assert find(tmp_path) == ["a.py"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_passed_over(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "secret/b.py")
    (tmp_path / "secret").chmod(0)
    try:
        assert find(tmp_path) == ["a.py"]
    finally:
        (tmp_path / "secret").chmod(0o700)
