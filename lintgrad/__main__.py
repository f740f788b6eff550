"""`python -m lintgrad`."""

import sys

from lintgrad.cli import main

if __name__ == "__main__":
    sys.exit(main())
