"""The modules of a bomb as frozen values: eleven puzzles and three needy ones."""
