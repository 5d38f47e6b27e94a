"""The command, as a module."""

import sys

from toolglean.cli import main

if __name__ == "__main__":
    sys.exit(main())
