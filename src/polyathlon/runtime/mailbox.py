"""Mailboxes: ordered, never dropping, drained at the recipient's next observation."""

from __future__ import annotations

from polyathlon.core.world import Mail, Role


class Mailboxes:
    """One mailbox for each role of an episode."""

    def __init__(self, roles: tuple[Role, ...]) -> None:
        self._waiting: dict[Role, list[Mail]] = {role: [] for role in roles}

    def post(self, mail: Mail) -> None:
        """Deliver to every recipient. Raises KeyError for a role that is not in the episode."""
        boxes = [self._waiting[role] for role in mail.to]
        for box in boxes:
            box.append(mail)

    def drain(self, role: Role) -> tuple[Mail, ...]:
        """Everything that waits for `role`, oldest first; the box is empty afterwards."""
        waiting, self._waiting[role] = self._waiting[role], []
        return tuple(waiting)
