"""A user's callable."""


def alternating(obs):
    """Up and left in turn."""
    return ("up", "left")[obs.turn % 2]
