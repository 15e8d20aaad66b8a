"""What a player senses and may answer: as in all games with the bomb."""

from polyathlon.envs.gptnt.bomb.play.view import actions, percepts

__all__ = ["actions", "percepts"]
