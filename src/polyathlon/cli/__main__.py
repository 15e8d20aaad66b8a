"""`python -m polyathlon.cli`."""

import sys

from polyathlon.cli import main

sys.exit(main())
