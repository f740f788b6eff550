"""lintgrad: a linter for PyTorch training code that runs it on an abstract torch."""

__version__ = "0.1.0"
