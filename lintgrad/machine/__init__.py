"""The abstract autograd machine: it runs a lowered program on an abstract torch.

`explore` runs a program path by path and returns a `Run`: what happened on each path, as
observations that checks read. The machine itself knows Python and autograd; what a library's
functions do is told by the library that it is given (`lintgrad.models`).

Terms. *Path*: one execution of a root, with each undecided condition decided one way. *Root*: a
place where an execution starts: the module's own code, then each function that none reached. *Turn*:
one pass through a loop's body; nodes keep the turn that made them. *Walk*: what one backward runs.
*Opaque*: a value that stands for something of the right kind whose inside is not known.
"""

from lintgrad.machine.explore import explore
from lintgrad.machine.observations import Run, Trace
from lintgrad.machine.outline import OutlineEntry, outline

__all__ = ["OutlineEntry", "Run", "Trace", "explore", "outline"]
