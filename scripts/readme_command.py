"""Print one of the commands that README.md tells people to run.

A command is the code block right below a marker, `<!-- command: NAME -->`. What runs the project's
own checks takes the commands from here, so that what people are told is what is tried.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_MARKED = re.compile(
    r"<!-- command: (?P<name>[\w-]+) -->\n+```\w*\n(?P<text>.*?)\n```$", re.DOTALL | re.MULTILINE
)


def commands(markdown: str) -> dict[str, str]:
    """The marked commands of a Markdown text by name, in the order of the text."""
    return {found["name"]: found["text"] for found in _MARKED.finditer(markdown)}


def main(arguments: list[str]) -> int:
    """Print the command named by the one argument."""
    known = commands((Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8"))
    if len(arguments) != 1 or arguments[0] not in known:
        print(f"usage: readme_command.py {{{'|'.join(known)}}}", file=sys.stderr)
        return 2
    print(known[arguments[0]])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
