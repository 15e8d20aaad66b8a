"""Signals and their codecs; no game knowledge."""
