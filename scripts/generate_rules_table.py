"""Write the table of all rules into README.md and docs/rules.md, from the documents in rules/.

    python scripts/generate_rules_table.py            write the tables
    python scripts/generate_rules_table.py --check    exit with 1 when a stored one is not current

The table stands between the lines `<!-- rules -->` and `<!-- /rules -->`.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from lintgrad.catalog import Rule, load

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs" / "rules.md")

_PLACE = re.compile(r"(?<=<!-- rules -->\n).*?(?=<!-- /rules -->)", re.DOTALL)


def table(rules: Iterable[Rule], page: Path) -> str:
    """The Markdown table of `rules`, its links starting from the folder of `page`."""
    folder = Path(os.path.relpath(ROOT / "rules", page.parent)).as_posix()
    lines = ["| code | name | severity | what is found |", "|---|---|---|---|"]
    for rule in rules:
        severity = f"{rule.severity.value}, preview" if rule.preview else rule.severity.value
        summary = rule.summary.replace("|", r"\|")
        lines.append(f"| {rule.code} | [{rule.name}]({folder}/{rule.document}) | {severity} | {summary} |")
    return "\n".join(lines)


def with_table(page: Path, rules: Iterable[Rule]) -> str:
    """The text of `page` with the table of `rules` in its place."""
    new = f"\n{table(rules, page)}\n\n"
    text, count = _PLACE.subn(lambda _: new, page.read_text(encoding="utf-8"))
    if count != 1:
        sys.exit(f"{page.name}: {count} places for the table of rules, not one")
    return text


def main() -> int:
    """Write, or with `--check` compare."""
    parser = argparse.ArgumentParser(description="Write the table of all rules.")
    parser.add_argument("--check", action="store_true", help="compare only")
    check = parser.parse_args().check
    rules = load().rules
    stale = []
    for page in PAGES:
        text = with_table(page, rules)
        if text != page.read_text(encoding="utf-8"):
            stale.append(page.name)
            if not check:
                page.write_text(text, encoding="utf-8")
    if check and stale:
        print(f"not current: {', '.join(stale)}; run scripts/generate_rules_table.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
