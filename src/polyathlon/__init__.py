"""polyathlon: a laboratory for agents that see, hear, read, speak and act."""

__version__ = "0.1.0"
