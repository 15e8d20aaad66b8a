"""Play the four-seat arena through PettingZoo: `pip install 'polyathlon[pettingzoo]'`.

python examples/pettingzoo_arena.py
"""

from __future__ import annotations

from polyathlon.compat.pettingzoo import to_pettingzoo


def play(seed: int) -> dict[str, float]:
    """One game of uniformly random legal moves; the rewards of every seat."""
    env = to_pettingzoo("omniplay/showdown-v0")
    env.reset(seed=seed)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        rewards[agent] += reward
        over = terminated or truncated
        space = env.action_space(agent)
        env.step(None if over else space.sample(observation["action_mask"]))
    return rewards


if __name__ == "__main__":
    print(play(seed=0))
