"""Play in a browser: a page on this machine that shows, sounds and takes what a role is given.

Needs the extra `play`.
"""
