"""A user's module: importing it registers a Gymnasium env."""

from polyathlon.compat.gymnasium import from_gymnasium
