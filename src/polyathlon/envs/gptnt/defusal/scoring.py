"""The numbers of a game: those that all games with the bomb have."""

from polyathlon.envs.gptnt.bomb.play.scoring import metrics

__all__ = ["metrics"]
