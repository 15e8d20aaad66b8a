"""Worlds behind HTTP: servers that other programs, in any language, can play against.

Needs the extra `serve`.
"""
