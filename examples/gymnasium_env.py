"""Register a third-party Gymnasium env and play it at random."""

from polyathlon import registry
from polyathlon.compat.gymnasium import from_gymnasium
from polyathlon.core.chance import stream

SPEC = from_gymnasium("CartPole-v1", id="example/cartpole-v0", actions=("left", "right"))
env, rng = registry.make(SPEC.id), stream(0, "example")
env.reset(seed=0)
while env.outcome() is None:
    env.act("player", env.observe("player").actions.sample(rng))
print(dict(env.metrics()))
