"""For `--import tests.data.schema1.registered`: registers what the recorded runs played."""

from tests.data.schema1 import players

players.register()
