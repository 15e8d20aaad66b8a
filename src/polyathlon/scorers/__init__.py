"""Scorers: what can be said about an episode from its trace alone."""
