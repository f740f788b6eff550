"""Configuration files: found, read, refused; and what they make of a file's settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lintgrad.catalog import Catalog, Layer, Rule
from lintgrad.config import FORMATS, Config, ConfigError, Configs, Resolver, Settings, matches, read
from lintgrad.diagnostics import Confidence, Severity
from lintgrad.reporters import FORMATS as REPORTED


def rule(code: str, name: str, *, preview: bool = False) -> Rule:
    return Rule(code, name, "a summary", Severity.ERROR, "graph", "0.1.0", preview=preview)


CATALOG = Catalog(
    (
        rule("LG101", "second-backward"),
        rule("LG102", "on-trial", preview=True),
        rule("LG301", "missing-zero-grad"),
        rule("LG902", "syntax-error"),
    ),
    Path(),
)

EVERYTHING = frozenset({"LG101", "LG301", "LG902"})

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return make


def resolver(overrides: Config | None = None, fixed: Config | None = None) -> Resolver:
    return Resolver(CATALOG, Configs(CATALOG, fixed), overrides or Config(root=Path("/nowhere")))


def test_the_formats_are_the_reporters() -> None:
    assert tuple(REPORTED) == FORMATS


FULL = """\
[tool.other]
select = ["nothing of ours"]

[tool.lintgrad]
select = ["LG1", "missing-zero-grad"]
ignore = ["LG101"]
extend-select = ["LG902"]
confidence = "possible"
severity = "warning"
exclude = ["third_party/", "*_pb2.py"]
format = "concise"
preview = true

[tool.lintgrad.per-file-ignores]
"tests/*" = ["LG3"]
"legacy/train.py" = ["LG101", "missing-zero-grad"]
"""


def test_all_keys_are_read(write: Write, tmp_path: Path) -> None:
    path = write("pyproject.toml", FULL)
    assert read(path, CATALOG) == Config(
        root=tmp_path,
        path=path,
        layer=Layer(("LG1", "missing-zero-grad"), ("LG101",), ("LG902",)),
        confidence=Confidence.POSSIBLE,
        severity=Severity.WARNING,
        exclude=("third_party/", "*_pb2.py"),
        per_file_ignores=(("tests/*", ("LG3",)), ("legacy/train.py", ("LG101", "missing-zero-grad"))),
        format="concise",
        preview=True,
    )


def test_the_own_file_has_the_keys_at_its_top(write: Write, tmp_path: Path) -> None:
    path = write("lintgrad.toml", 'select = ["LG3"]\n')
    assert read(path, CATALOG) == Config(root=tmp_path, path=path, layer=Layer(select=("LG3",)))


def test_a_project_without_a_table_is_empty(write: Write, tmp_path: Path) -> None:
    path = write("pyproject.toml", '[project]\nname = "lintgrad-user"\n')
    assert read(path, CATALOG) == Config(root=tmp_path, path=path)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('selct = ["LG1"]', 1, "unknown key 'selct'; did you mean 'select'?"),
        (
            "\n\nzzz = 1",
            3,
            "unknown key 'zzz'; known are select, ignore, extend-select, confidence, severity, exclude, ",
        ),
        (
            'select = ["LG1",\n"secnd-backward"]',
            2,
            "unknown rule 'secnd-backward'; did you mean 'second-backward'?",
        ),
        ('ignore = ["LG3O1"]', 1, "unknown rule 'LG3O1'; did you mean 'LG301'?"),
        ('# LG9x\nextend-select = ["LG9x"]', 2, "unknown rule 'LG9x'; did you mean 'LG902'?"),
        ('select = "LG1"', 1, "'select' must be a list of strings"),
        ("ignore = [1]", 1, "'ignore' must be a list of strings"),
        ('confidence = "sure"', 1, "'confidence' must be one of 'certain', 'likely', 'possible'"),
        ("severity = 3", 1, "'severity' must be one of 'error', 'warning', 'info'"),
        (
            'format = "xml"',
            1,
            "'format' must be one of 'text', 'concise', 'json', 'jsonl', 'sarif', 'github', ",
        ),
        ('exclude = ["a", "!"]', 1, "'!' is no pattern as in .gitignore"),
        ('[per-file-ignores]\n"[z-a]" = ["LG1"]', 2, "'[z-a]' is no pattern as in .gitignore"),
        ('preview = "yes"', 1, "'preview' must be true or false"),
        ("per-file-ignores = 3", 1, "'per-file-ignores' must be a table from patterns to lists of rules"),
        ('[per-file-ignores]\n"tests/*" = "LG1"', 2, "'tests/*' must be a list of strings"),
        ('[per-file-ignores]\n"a.py" = ["LG1"]\n"b.py" = ["LG8"]', 3, "unknown rule 'LG8'"),
    ],
)
def test_a_mistake_is_told_with_its_line(write: Write, text: str, line: int, problem: str) -> None:
    path = write("lintgrad.toml", text)
    with pytest.raises(ConfigError) as error:
        read(path, CATALOG)
    assert str(error.value).startswith(f"{path}:{line}: {problem}")


def test_a_mistake_is_looked_for_in_the_own_table(write: Write) -> None:
    path = write("pyproject.toml", '[tool.x]\nselct = 1\n\n[tool.lintgrad]\nselct = ["LG1"]\n')
    with pytest.raises(ConfigError) as error:
        read(path, CATALOG)
    assert str(error.value) == f"{path}:5: unknown key 'selct'; did you mean 'select'?"


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("lintgrad.toml", "select = [", "Invalid"),
        ("pyproject.toml", "[tool.lintgrad", "Expected"),
        ("pyproject.toml", "[tool]\nlintgrad = 3", "tool.lintgrad is no table"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(write: Write, name: str, text: str, problem: str) -> None:
    path = write(name, text)
    with pytest.raises(ConfigError) as error:
        read(path, CATALOG)
    assert str(error.value).startswith(f"{path}: ")
    assert problem in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path / "none.toml", CATALOG)
    assert str(error.value) == f"{tmp_path / 'none.toml'}: No such file or directory"


def test_a_file_that_is_no_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "lintgrad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"lintgrad\.toml: 'utf-8' codec"):
        read(tmp_path / "lintgrad.toml", CATALOG)


def test_the_nearest_file_wins_and_the_own_one_before_the_project(write: Write, tmp_path: Path) -> None:
    write("pyproject.toml", '[tool.lintgrad]\nselect = ["LG1"]\n')
    write("a/pyproject.toml", "[project]\n")
    write("a/b/pyproject.toml", '[tool.lintgrad]\nselect = ["LG9"]\n')
    write("a/b/lintgrad.toml", 'select = ["LG3"]\n')
    configs = Configs(CATALOG)
    assert configs.for_folder(tmp_path / "a" / "b").layer.select == ("LG3",)
    assert configs.for_folder(tmp_path / "a" / "b" / "c" / "d").layer.select == ("LG3",)
    assert configs.for_folder(tmp_path / "a").layer.select == ("LG1",)
    assert configs.for_folder(tmp_path).root == tmp_path


def test_another_tools_broken_file_is_none_of_ours(write: Write, tmp_path: Path) -> None:
    write("lintgrad.toml", 'select = ["LG3"]\n')
    write("a/pyproject.toml", "[tool.black\n")
    assert Configs(CATALOG).for_folder(tmp_path / "a").layer.select == ("LG3",)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    settings = resolver().settings(tmp_path / "a.py")
    assert settings == Settings(EVERYTHING, Confidence.LIKELY, Severity.INFO)
    assert resolver().format(tmp_path) == "text"


def test_the_command_line_comes_on_top(write: Write, tmp_path: Path) -> None:
    write("pyproject.toml", FULL)
    path = tmp_path / "a.py"
    assert resolver().settings(path) == Settings(
        frozenset({"LG102", "LG301", "LG902"}), Confidence.POSSIBLE, Severity.WARNING
    )
    over = Config(
        root=tmp_path,
        layer=Layer(ignore=("LG3",)),
        confidence=Confidence.CERTAIN,
        severity=Severity.ERROR,
        format="json",
        preview=False,
    )
    assert resolver(over).settings(path) == Settings(frozenset({"LG902"}), Confidence.CERTAIN, Severity.ERROR)
    assert resolver().format(tmp_path) == "concise"
    assert resolver(over).format(tmp_path) == "json"


def test_a_fixed_configuration_holds_for_all_folders(write: Write, tmp_path: Path) -> None:
    write("a/lintgrad.toml", 'select = ["LG3"]\n')
    fixed = Config(root=tmp_path, layer=Layer(select=("LG1",)))
    assert resolver(fixed=fixed).settings(tmp_path / "a" / "x.py").enabled == {"LG101", "LG902"}


def test_rules_are_left_out_for_files_that_a_pattern_matches(write: Write, tmp_path: Path) -> None:
    write("lintgrad.toml", '[per-file-ignores]\n"tests/*" = ["LG3"]\n"**/a.py" = ["LG101"]\n')
    made = resolver()
    assert made.settings(tmp_path / "tests" / "b.py").enabled == {"LG101", "LG902"}
    assert made.settings(tmp_path / "tests" / "a.py").enabled == {"LG902"}
    assert made.settings(tmp_path / "src" / "a.py").enabled == {"LG301", "LG902"}
    assert made.settings(tmp_path / "src" / "tests" / "b.py").enabled == EVERYTHING


@pytest.mark.parametrize(
    ("path", "is_folder", "excluded"),
    [
        ("third_party", True, True),
        ("third_party", False, False),
        ("src/third_party", True, True),
        ("src/third_party/a.py", False, True),
        ("src/x_pb2.py", False, True),
        ("src/x.py", False, False),
        ("/elsewhere/x_pb2.py", False, False),
    ],
)
def test_excludes_are_gits_patterns(tmp_path: Path, path: str, *, is_folder: bool, excluded: bool) -> None:
    patterns = ("third_party/", "*_pb2.py")
    assert matches(tmp_path, patterns, tmp_path / path, is_folder=is_folder) is excluded


def test_excludes_come_from_the_file_and_from_the_command_line(write: Write, tmp_path: Path) -> None:
    write("a/lintgrad.toml", 'exclude = ["/x.py"]\n')
    made = resolver(Config(root=tmp_path, exclude=("a/y.py",)))
    names = [
        name for name in ("x.py", "y.py", "z.py") if made.excluded(tmp_path / "a" / name, is_folder=False)
    ]
    assert names == ["x.py", "y.py"]
