"""The engine: everything between one file's bytes and what is reported of it.

Terms. A file is *gated out* when its bytes show that it can concern no enabled rule; it is then not
parsed. A *failure* is something that lintgrad itself could not do, as against a finding.
"""

from lintgrad.engine.deep import DeepThread
from lintgrad.engine.engine import Engine
from lintgrad.engine.result import STAGES, FileResult, Stats
from lintgrad.engine.stages import Stages, Trouble

__all__ = ["STAGES", "DeepThread", "Engine", "FileResult", "Stages", "Stats", "Trouble"]
