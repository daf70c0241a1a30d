"""The list comes from keys that every item has; the link is asked for by its token."""

from datetime import datetime
from typing import Literal

from singletable import Entity, Index, Query, Store, Table, pattern

table = Table("tasks", indexes=["GSI1", "GSI2"])


class Task(Entity, table=table, pk="USER#{user_id}", sk="TASK#{task_id}"):
    """A task, with a date or without, and perhaps a link to share it."""

    published = Index("GSI1", pk="USER#{user_id}#{status}", sk="{task_id}", when={"status": "DONE"})
    by_share = Index("GSI2", pk="SHARE#{share_token}", sk="TASK#{task_id}")

    user_id: str
    task_id: str
    status: Literal["OPEN", "DONE"] = "OPEN"
    due_at: datetime | None = None
    share_token: str | None = None


class Tasks(Store, table=table):
    """The patterns of the tasks."""

    @pattern(page=20)
    def tasks(self, user_id: str) -> Query[Task]:
        """All tasks of a user."""
        return Task.query(user_id=user_id)

    @pattern(page=20)
    def done(self, user_id: str) -> Query[Task]:
        """What a user has done."""
        return Task.published.query(user_id=user_id, status="DONE")

    @pattern()
    def shared(self, share_token: str) -> Query[Task]:
        """The task behind a link."""
        return Task.by_share.query(share_token=share_token)
