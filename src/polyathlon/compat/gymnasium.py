"""Gymnasium, both ways: our envs for its learners, its envs for our agents.

Needs the extra `gym`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec as GymnasiumSpec

from polyathlon import registry
from polyathlon.compat import guest
from polyathlon.compat.learner import ToGymnasium
from polyathlon.core.errors import UserError
from polyathlon.core.spec import Channel, EnvSpec, Metric
from polyathlon.core.world import Env

DEFAULT_HORIZON = 1_000


def to_gymnasium(
    id: str,
    level: str | None = None,
    options: Mapping[str, object] | None = None,
    *,
    images: Sequence[str] = (),
    actions: Sequence[str] = (),
    text_chars: int = 20_000,
    render_mode: str | None = None,
) -> ToGymnasium:
    """A registered env of one role as a Gymnasium env.

    An observation is a dict: `text`, the meanings of the default channels and the question, in
    ASCII with other characters escaped, and for each channel named in `images` its picture
    (uint8, height x width x 3; black at moments without one). Actions are `Discrete` over
    `actions`, or over the labels of the first moment; envs without labels take `Text`.
    `text_chars` bounds the length of `text`. `info` holds `metrics`, `status` and, for
    `Discrete`, `action_mask` (int8, 1 where the label may be chosen now).

    Raises UserError for envs of several roles, and for text that outgrows `text_chars`.
    """
    env = registry.make(id, level, options)
    if len(env.spec.roles) != 1:
        roles = ", ".join(env.spec.roles)
        raise UserError(
            f"{id} has the roles {roles} and Gymnasium holds one player: use polyathlon run"
        )
    adapter = ToGymnasium(env, images, actions, text_chars, render_mode)

    def again(**more: Any) -> ToGymnasium:
        return to_gymnasium(
            id, level, options, images=images, actions=actions, text_chars=text_chars, **more
        )

    adapter.spec = GymnasiumSpec(id, again, disable_env_checker=True)
    return adapter


def from_gymnasium(
    make: str | Callable[..., guest.Native],
    *,
    id: str,
    title: str = "",
    doc: str = "",
    levels: Mapping[str, Mapping[str, Any]] | None = None,
    actions: Sequence[str] = (),
    text: Callable[[Any], str] | None = None,
    picture: bool = False,
    horizon: int | None = None,
) -> EnvSpec:
    """Register a Gymnasium env, given by its Gymnasium id or by what makes it, as env `id`.

    `levels` are named sets of keyword arguments; `actions` name the values of a `Discrete` action
    space, in order; `text(observation)` puts an observation into words (default: its numbers).
    With `picture` its `rgb_array` frame becomes the channel `frame`; a Gymnasium env cannot draw
    an earlier moment, so each observation then costs a drawing. `horizon` defaults to its own
    step limit. States are promised unless Gymnasium calls the env nondeterministic; a state is
    the seed, a digest of the actions, and the last observation.

    Raises UserError for action spaces other than Discrete, MultiDiscrete, MultiBinary and Box.
    """
    drawn: dict[str, Any] = {"render_mode": "rgb_array"} if picture else {}
    build = (
        partial(gymnasium.make, make, disable_env_checker=True, **drawn)
        if isinstance(make, str)
        else partial(make, **drawn)
    )
    variants = levels or {"standard": {}}
    probe = build(**next(iter(variants.values())))
    native, space = probe.spec, probe.action_space
    probe.close()
    guest.codec(space, actions)
    name = native.id if native else id
    channels = [Channel("observation", "text", "its observation")]
    if picture:
        channels.append(Channel("frame", "image", "its rendered frame"))
    spec = EnvSpec(
        id=id,
        title=title or name,
        doc=doc or f"The Gymnasium env {name}.",
        entry=f"{__name__}:from_gymnasium",
        roles=(guest.PLAYER,),
        channels=tuple(channels),
        levels=tuple(variants),
        metrics=(
            Metric("raw_score", "sum of rewards"),
            Metric("invalid_rate", "share of turns without a valid action", "", False, 1.0),
            Metric("turns", "decisions taken"),
        ),
        horizon=horizon or (native and native.max_episode_steps) or DEFAULT_HORIZON,
        promises=() if native and native.nondeterministic else ("states", "scenes"),
        policies=("random",),
        baselines=guest.__name__,
    )

    def factory(level: str) -> Env:
        return guest.FromGymnasium(
            spec, build(**variants[level]), actions, text or guest.words, picture
        )

    return registry.register_env(spec, factory)
