"""The engine: everything between one file's bytes and what is reported of it.

Terms. A file is *gated out* when its bytes show that it can concern no enabled rule; it is then not
parsed. A *failure* is something that lintgrad itself could not do, as against a finding.
"""

from lintgrad.engine.deep import DeepThread
from lintgrad.engine.engine import Engine
from lintgrad.engine.imported import Imported
from lintgrad.engine.result import STAGES, Analysis, FileResult, Stats
from lintgrad.engine.stages import Loaded, Stages, Tree, Trouble

__all__ = [
    "STAGES",
    "Analysis",
    "DeepThread",
    "Engine",
    "FileResult",
    "Imported",
    "Loaded",
    "Stages",
    "Stats",
    "Tree",
    "Trouble",
]
