"""What a player is told: as in all games with the bomb."""

from polyathlon.envs.gptnt.bomb.play.prompts import ask, brief

__all__ = ["ask", "brief"]
