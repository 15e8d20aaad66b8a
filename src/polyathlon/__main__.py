"""`python -m polyathlon` is the command line."""

import sys

from polyathlon.cli import main

if __name__ == "__main__":
    sys.exit(main())
