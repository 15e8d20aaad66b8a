"""What the envs that are played with the bomb share: commands, the game, its view, its prompts."""
