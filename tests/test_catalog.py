"""Rules read from documents, found by what users write, and selected."""

from __future__ import annotations

import pickle
import time
from pathlib import Path

import pytest

from lintgrad.catalog import (
    Catalog,
    CatalogError,
    Layer,
    Rule,
    UnknownSelectorError,
    check_selectors,
    enabled,
    hidden_previews,
    load,
)
from lintgrad.catalog.catalog import rules_folder
from lintgrad.diagnostics import Severity

HEAD = """\
+++
code = "{code}"
name = "{name}"
summary = "a summary"
severity = "{severity}"
category = "graph"
since = "0.1.0"
oracle = "none"
{more}
+++

# {name} ({code})

## Why

Because.
"""

ALL_CODES = {"LG101", "LG102", "LG201", "LG901", "LG902"}


def document(code: str, name: str, severity: str = "error", more: str = "") -> str:
    return HEAD.format(code=code, name=name, severity=severity, more=more)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = [
        document(
            "LG201", "late", "info", 'triggers = ["backward", "step"]\nlibraries = ["torch", "accelerate"]'
        ),
        document("LG101", "second", more='references = ["https://example.org"]'),
        document("LG102", "trial", "warning", "preview = true"),
        document("LG901", "unused-suppression", "warning"),
        document("LG902", "syntax-error"),
    ]
    for number, text in enumerate(texts):
        (tmp_path / f"LG{number}.md").write_text(text, encoding="utf-8")
    (tmp_path / "README.md").write_text("no rule", encoding="utf-8")
    return tmp_path


@pytest.fixture
def catalog(folder: Path) -> Catalog:
    return load(folder)


def test_rules_are_read_in_the_order_of_their_codes(catalog: Catalog) -> None:
    assert [rule.code for rule in catalog.rules] == ["LG101", "LG102", "LG201", "LG901", "LG902"]
    assert catalog.rules[2] == Rule(
        code="LG201",
        name="late",
        summary="a summary",
        severity=Severity.INFO,
        category="graph",
        since="0.1.0",
        oracle="none",
        triggers=("backward", "step"),
        libraries=("torch", "accelerate"),
        document="LG0.md",
    )
    assert catalog.rules[0].references == ("https://example.org",)
    assert catalog.rules[0].libraries == ("torch",)
    assert catalog.rules[0].triggers == ()
    assert [rule.preview for rule in catalog.rules] == [False, True, False, False, False]


def test_a_catalog_can_be_sent_to_a_process(catalog: Catalog) -> None:
    copy = pickle.loads(pickle.dumps(catalog))
    assert copy.rules == catalog.rules
    assert copy.find("late") == catalog.find("LG201")


def test_the_page_is_the_document_without_its_front_matter(catalog: Catalog) -> None:
    assert catalog.page(catalog.rules[0]) == "# second (LG101)\n\n## Why\n\nBecause.\n"


def test_front_matter_longer_than_the_head_is_read_whole(tmp_path: Path) -> None:
    words = ", ".join(f'"word{n}"' for n in range(900))
    (tmp_path / "LG101.md").write_text(
        document("LG101", "second", more=f"triggers = [{words}]"), encoding="utf-8"
    )
    assert len(load(tmp_path).rules[0].triggers) == 900


def test_documents_with_windows_line_ends_are_read(tmp_path: Path) -> None:
    text = document("LG101", "second").replace("\n", "\r\n")
    (tmp_path / "LG101.md").write_bytes(text.encode())
    catalog = load(tmp_path)
    assert catalog.rules[0].name == "second"
    assert catalog.page(catalog.rules[0]).startswith("# second (LG101)\n\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("# no front matter\n", "LG1.md: no front matter between lines of +++"),
        ('+++\ncode = "LG101"\n', "LG1.md: no front matter between lines of +++"),
        ('+++\nname = "x"\n+++\n', "LG1.md: no 'severity' in the front matter"),
        ("+++\nseverity = 3\n+++\n", "LG1.md: no string for 'severity' in the front matter"),
        (document("LG101", "x", "fatal"), "LG1.md: severity is 'fatal', not error, warning or info"),
        (
            document("LG101", "x", more="triggers = 'a'"),
            "LG1.md: 'triggers' is no list of strings in the front matter",
        ),
        (
            document("LG101", "x", more="triggers = [1]"),
            "LG1.md: 'triggers' is no list of strings in the front matter",
        ),
    ],
)
def test_a_document_that_breaks_the_form_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "LG1.md").write_text(text, encoding="utf-8")
    with pytest.raises(CatalogError) as error:
        load(tmp_path)
    assert str(error.value) == problem


def test_broken_toml_is_named(tmp_path: Path) -> None:
    (tmp_path / "LG1.md").write_text("+++\ncode = \n+++\n", encoding="utf-8")
    with pytest.raises(CatalogError, match=r"^LG1\.md: Invalid value"):
        load(tmp_path)


def test_two_rules_must_not_share_a_name(tmp_path: Path) -> None:
    (tmp_path / "LG1.md").write_text(document("LG101", "same"), encoding="utf-8")
    (tmp_path / "LG2.md").write_text(document("LG102", "same"), encoding="utf-8")
    with pytest.raises(CatalogError, match="two rules share a code or a name"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("selector", "codes"),
    [
        ("LG101", {"LG101"}),
        ("lg101", {"LG101"}),
        ("second", {"LG101"}),
        ("SECOND", {"LG101"}),
        ("LG1", {"LG101", "LG102"}),
        ("LG", ALL_CODES),
        ("all", ALL_CODES),
        ("LG7", set()),
        ("L", set()),
        ("", set()),
        ("sec", set()),
    ],
)
def test_a_selector_stands_for_codes(catalog: Catalog, selector: str, codes: set[str]) -> None:
    assert catalog.expand(selector) == codes


@pytest.mark.parametrize(
    ("token", "nearest"),
    [("secnd", "second"), ("LG2O1", "LG201"), ("lg91", "LG901"), ("AL", "ALL"), ("zzzzzz", None)],
)
def test_the_nearest_known_word(catalog: Catalog, token: str, nearest: str | None) -> None:
    assert catalog.nearest(token) == nearest


def test_an_unknown_selector_is_told_with_the_nearest(catalog: Catalog) -> None:
    check_selectors(catalog, ["LG1", "late", "ALL"])
    with pytest.raises(UnknownSelectorError) as error:
        check_selectors(catalog, ["LG1", "secnd"])
    assert str(error.value) == "unknown rule 'secnd'; did you mean 'second'?"
    with pytest.raises(UnknownSelectorError) as error:
        check_selectors(catalog, ["E501!"])
    assert str(error.value) == "unknown rule 'E501!'"


STABLE = ALL_CODES - {"LG102"}


@pytest.mark.parametrize(
    ("layers", "codes"),
    [
        ([], STABLE),
        ([Layer()], STABLE),
        ([Layer(select=("LG101",))], {"LG101", "LG902"}),
        ([Layer(select=("LG101",), ignore=("LG902",))], {"LG101"}),
        ([Layer(select=())], {"LG902"}),
        ([Layer(ignore=("LG1", "late"))], {"LG901", "LG902"}),
        # The narrower selector wins, whichever side it is on.
        ([Layer(select=("LG101",), ignore=("LG1",))], {"LG101", "LG902"}),
        ([Layer(select=("ALL",), ignore=("LG2",), extend_select=("late",))], STABLE),
        ([Layer(select=("LG2",), ignore=("LG2",))], {"LG902"}),
        ([Layer(ignore=("ALL",), extend_select=("LG101",))], {"LG101"}),
        # A select starts afresh; the rest builds on the layer below.
        ([Layer(ignore=("LG101",)), Layer(select=("LG1",))], {"LG101", "LG902"}),
        ([Layer(select=("LG2",)), Layer(extend_select=("LG101",))], {"LG101", "LG201", "LG902"}),
        ([Layer(select=("LG2", "LG1")), Layer(ignore=("late",))], {"LG101", "LG902"}),
    ],
)
def test_selection(catalog: Catalog, layers: list[Layer], codes: set[str]) -> None:
    assert enabled(catalog, layers, preview=False) == codes


def test_preview_rules_need_preview(catalog: Catalog) -> None:
    assert enabled(catalog, [], preview=True) == ALL_CODES
    assert enabled(catalog, [Layer(select=("LG102",))], preview=True) == {"LG102", "LG902"}
    assert enabled(catalog, [Layer(select=("LG102",))], preview=False) == {"LG902"}
    layers = [Layer(select=("trial", "LG101")), Layer(extend_select=("LG102",))]
    assert hidden_previews(catalog, layers) == ["LG102"]
    assert hidden_previews(catalog, [Layer(select=("LG1",), ignore=("trial",))]) == []


def test_engine_rules_have_no_check_to_load(catalog: Catalog) -> None:
    assert catalog.load_check(catalog.rules[3]) is None
    assert catalog.load_check(catalog.rules[4]) is None


def test_a_check_is_the_function_of_the_module_named_as_the_rule(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "some_checks"
    package.mkdir()
    (package / "second.py").write_text("def check(run):\n    return ['found']\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    other = Catalog(catalog.rules, catalog.folder, "some_checks")
    check = other.load_check(other.rules[0])
    assert check is not None
    assert check(None) == ["found"]  # type: ignore[arg-type, comparison-overlap]
    with pytest.raises(ModuleNotFoundError):
        other.load_check(other.rules[1])


def test_the_real_rules_lie_in_the_checkout() -> None:
    folder = rules_folder()
    assert isinstance(folder, Path)
    assert folder.name == "rules"


def test_reading_fifty_rules_is_cheap(tmp_path: Path) -> None:
    padding = "words and words\n" * 400
    for number in range(50):
        text = document(f"LG{number + 100}", f"rule-{number}", more='triggers = ["backward", "step"]')
        (tmp_path / f"LG{number}.md").write_text(text + padding, encoding="utf-8")
    load(tmp_path)
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        load(tmp_path)
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.040
