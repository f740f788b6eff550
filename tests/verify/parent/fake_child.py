"""Speaks the verifier's protocol without torch, and does what the program's first line says.

`# dies`, `# hangs`, `# babbles`, `# miscounts`, `# fills`, `# refused THING`. Findings are answered by the
words on their lines: `confirmed`, `refuted`, else inconclusive; a fix is verified where one is `verifiable`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def main() -> None:
    greeting = os.environ.get("LANG", "")
    problem = greeting.partition("problem:")[2]
    say({"torch": "" if problem else "9.9", "python": "3", "problem": problem, "version": 1})
    if problem:
        sys.exit(1)
    for line in sys.stdin:
        request = json.loads(line)
        act(request["source"].split("\n", 1)[0])
        say(answer(request))


def act(first: str) -> None:
    if first == "# dies":
        sys.stderr.write("Segmentation something\n")
        os._exit(7)
    if first == "# hangs":
        time.sleep(1000)
    if first == "# babbles":
        sys.stdout.write("hello\n")
    if first == "# fills":
        with Path(os.environ["TMPDIR"], "big").open("wb") as file:
            file.truncate(2 << 30)
        time.sleep(1000)


def answer(request: dict) -> dict:
    lines = request["source"].split("\n")
    verdicts = [verdict(finding, lines[finding["line"] - 1]) for finding in request["findings"]]
    if lines[0] == "# miscounts":
        verdicts = []
    log = [lines[0].replace("# refused", "refused:")] if lines[0].startswith("# refused") else []
    return {"id": request["id"], "verdicts": verdicts, "torch": "9.9", "confined": ["audit"], "log": log}


def verdict(finding: dict, line: str) -> dict:
    said = next((word for word in ("confirmed", "refuted") if word in line), "inconclusive")
    fix = ""
    if finding["fixed"]:
        fix = "verified" if "verifiable" in line else "unverified"
    return {
        "verdict": said,
        "oracle": finding["oracle"],
        "evidence": "" if said == "inconclusive" else f"seen at line {finding['line']}",
        "reason": "not reached" if said == "inconclusive" else "",
        "seconds": 0.1,
        "how": "" if said == "inconclusive" else "file",
        "fix": fix,
        "fix_reason": "it is as before" if fix == "unverified" else "",
    }


def say(message: dict) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


main()
