"""GPTNT: two agents defuse a bomb, one sees it and the other has the manual."""
