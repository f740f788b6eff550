from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintgrad.reporters.fingerprints import line_hashes, stable_fingerprints


@pytest.mark.parametrize(
    ("text", "hashes"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (
            " a\nb\n  \t\tc\n d",
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
        ),
    ],
)
def test_vectors_of_the_upload_action(text: str, hashes: list[str]) -> None:
    assert line_hashes(text) == hashes


def rolling_hashes(text: str) -> list[str]:
    """The same, as the action does it: a ring of units, one taken out for each that goes in."""
    ring, at, value, factor = [0] * 100, 0, 0, 37**100
    owners: list[int | None] = [None] * 100
    counts: dict[int, int] = {}
    hashes: list[str] = []
    line_begins = True
    units = text.replace("\r\n", "\n").replace("\r", "\n").replace(" ", "").replace("\t", "")
    encoded = units.encode("utf-16-be", "surrogatepass")
    codes = [int.from_bytes(encoded[i : i + 2], "big") for i in range(0, len(encoded), 2)]
    for code in [*codes, 65535, *[0] * 100]:
        if owners[at] is not None:
            counts[value] = counts.get(value, 0) + 1
            hashes.append(f"{value:x}:{counts[value]}")
            owners[at] = None
        if line_begins:
            owners[at] = len(hashes)
        line_begins = code == 10
        value = (value * 37 + code - factor * ring[at]) % 2**64
        ring[at] = code
        at = (at + 1) % 100
    return hashes


@given(st.text(st.sampled_from("ab \t\r\n判🙂"), max_size=400))
def test_equals_a_rolling_hash(text: str) -> None:
    assert line_hashes(text) == rolling_hashes(text)


@given(st.text(max_size=200))
def test_a_hash_for_every_line(text: str) -> None:
    assert len(line_hashes(text)) == len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def test_repeated_lines_are_counted() -> None:
    hashes = [value.split(":") for value in line_hashes("loss.backward(retain_graph=True)\n" * 8)]
    assert [count for _, count in hashes] == ["1", "2", "3", "4", "5", "1", "1", "1", "1"]
    assert len({value for value, _ in hashes}) == 5


def test_line_ends_do_not_matter() -> None:
    assert line_hashes("a\r\nb\rc\n") == line_hashes("a\nb\nc\n")


def test_own_fingerprints_ignore_blanks_and_tell_equal_findings_apart() -> None:
    first = ("LG101", "a.py", "  loss.backward()")
    moved = ("LG101", "a.py", "\tloss.backward( )")
    prints = stable_fingerprints([first, first, ("LG102", "a.py", "loss.backward()")])
    assert len(set(prints)) == 3
    assert stable_fingerprints([("LG301", "a.py", "x"), moved])[1] == prints[0]
