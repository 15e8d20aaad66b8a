"""Prior exposure: answers without a model.

`random` writes letters; `oracle` recites the text of the manual's pages about the module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyathlon.core.chance import Stream
from polyathlon.core.world import Observation, Role
from polyathlon.envs.gptnt.bomb import manual
from polyathlon.envs.gptnt.bomb.missions import MODULES
from polyathlon.envs.gptnt.exposure.view import MOST_CHARS


def random(observation: Observation, rng: Stream) -> str:
    """Letters that mean nothing."""
    answer: str = observation.actions.sample(rng)
    return answer


def oracle(state: Mapping[str, Any], role: Role, rng: Stream) -> str:
    """The module's pages of the manual."""
    pages = manual.module_pages(MODULES[state["module"]].kind)
    return "\n".join(page.text for page in pages)[:MOST_CHARS]
