"""A user's own function as an agent: `--agent my_module:act`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from polyathlon.agents.aside import Aside
from polyathlon.core.agents import Access, AgentSpec, Context, Decision, access_of
from polyathlon.core.errors import UserError, unknown
from polyathlon.core.ownmodules import load
from polyathlon.core.spec import EnvSpec
from polyathlon.core.world import Observation, Role, Step


def callable_agent(spec: AgentSpec, env: EnvSpec, role: Role) -> CallableAgent:
    """The function that `spec.kind` names as `module:function`.

    It takes `(obs)` or `(obs, last, ctx)`, may be async, and returns text, an action or a
    Decision. Raises UserError when it cannot be found or takes other arguments.
    """
    return CallableAgent(_find(spec.kind))


class CallableAgent:
    """Calls a function once a turn; a function that is not async runs in a thread.

    One that has no answer when its turn ends is left, and gets the next turn once it has returned.

    Replayable only if the function has a true attribute `replayable`, which promises that its
    answers depend on its arguments alone. Its attribute `access` asks for more than a plain agent
    is given.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.access: Access = access_of(function)
        self._function = function
        self._arguments = _arguments(function)
        self._aside = Aside()
        self._is_async = inspect.iscoroutinefunction(function)
        self.replayable = bool(getattr(function, "replayable", False))

    async def act(self, obs: Observation, last: Step | None, ctx: Context) -> Decision:
        """What the function answers; text is read by the action space of the moment."""
        given = (obs, last, ctx)[: self._arguments]
        if self._is_async:
            answer = await self._function(*given)
        else:
            answer = await self._aside(self._function, *given)
        if isinstance(answer, Decision):
            return answer
        if isinstance(answer, str):
            return Decision(obs.actions.parse(answer), raw=answer)
        return Decision(answer)


def _find(path: str) -> Callable[..., Any]:
    """The function at `module:function`; the module may be the current folder's."""
    module_name, _, name = path.partition(":")
    module = load(module_name)
    function = getattr(module, name, None)
    if not callable(function):
        known = [key for key, value in vars(module).items() if callable(value)]
        raise unknown(f"function of {module_name}", name, known)
    found: Callable[..., Any] = function
    return found


def _arguments(function: Callable[..., Any]) -> int:
    signature = inspect.signature(function)
    for count in (3, 1):
        try:
            signature.bind(*range(count))
        except TypeError:
            continue
        return count
    raise UserError(
        f"agent function {function.__name__} must take (obs) or (obs, last, ctx), not {signature}"
    )
