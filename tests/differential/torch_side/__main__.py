"""A server that runs programs on torch: a JSON text a line on stdin, what was seen a line on stdout.

torch is imported once, and each program runs in a namespace of its own: a fork costs more than most of them.
"""

from __future__ import annotations

import gc
import json
import sys

import torch
import torch._dynamo  # the first optimizer of a process would import it

from tests.differential.torch_side.watched import run


def main() -> None:
    """Answer until stdin ends."""
    torch.set_num_threads(1)
    gc.freeze()  # each turn of a loop looks for garbage; torch's own million objects are none
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(line))) + "\n")
        sys.stdout.flush()


main()
