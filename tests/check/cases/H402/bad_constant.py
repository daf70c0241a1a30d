"""A state that is any text, of which a pattern always asks for the same."""

from singletable import Entity, Index, Query, Store, Table, pattern

table = Table("jobs", indexes=["GSI1"])


class Job(Entity, table=table, pk="JOB#{job_id}", sk="JOB"):
    """A job."""

    by_state = Index("GSI1", pk="STATE#{state}", sk="{job_id}")

    job_id: str
    state: str


class Jobs(Store, table=table):
    """The patterns of the jobs."""

    @pattern(page=20)
    def waiting(self) -> Query[Job]:
        """The jobs that wait to be done."""
        return Job.by_state.query(state="WAITING")
