"""Tests as a library: what every env must hold, and readable transcripts of games.

Third parties call `polyathlon.testing.conformance.check_env` on their own envs.
"""
