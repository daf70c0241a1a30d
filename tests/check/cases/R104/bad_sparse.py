"""A list that lacks every item without a date."""

from datetime import datetime

from singletable import Entity, Index, Query, Store, Table, pattern

table = Table("tasks", indexes=["GSI1"])


class Task(Entity, table=table, pk="USER#{user_id}", sk="TASK#{task_id}"):
    """A task, with a date or without."""

    by_date = Index("GSI1", pk="USER#{user_id}", sk="{due_at}#{task_id}")

    user_id: str
    task_id: str
    due_at: datetime | None = None


class Tasks(Store, table=table):
    """The patterns of the tasks."""

    @pattern(page=20)
    def tasks(self, user_id: str) -> Query[Task]:
        """All tasks of a user, by date: those without one are missing."""
        return Task.by_date.query(user_id=user_id)
