"""What a route works with: the data of the caller's company, and of no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Request

from apps.service import AnyCaller, Caller, Problem, documented
from apps.surveys.design import Survey, Surveys

TENANT = "custom:tenant_id"
ADMINS = "admins"
"""The group of those who may do everything in their company."""
OPERATORS = "operators"
"""The group of those who run the service for all companies."""

Id = Annotated[str, Path(min_length=1, max_length=100)]

READS = documented(400, 401, 403, 404, 422, 429, 503)
WRITES = documented(400, 401, 403, 404, 409, 412, 413, 422, 428, 429, 503)


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody of a company."""

    user_id: str
    tenant_id: str
    is_admin: bool = False
    is_operator: bool = False

    @classmethod
    def of(cls, caller: AnyCaller) -> Member:
        """Read from a token whose company somebody is of."""
        tenant = caller.claims.get(TENANT)
        if not isinstance(tenant, str) or not tenant:
            raise Problem(403, f"The token names no company ({TENANT})")
        return cls(caller.subject, tenant, ADMINS in caller.groups, OPERATORS in caller.groups)

    def may_edit(self, survey: Survey) -> bool:
        """Tell whether somebody may change a survey."""
        return self.is_admin or self.user_id in {survey.owner, *survey.editors}


def _member(caller: Caller) -> Member:
    return Member.of(caller)


Here = Annotated[Member, Depends(_member)]


def _everyone(request: Request) -> Surveys:
    store: Surveys = request.app.state.service.store
    return store


def _own(request: Request, here: Here) -> Surveys:
    """Confine the store to the company: it refuses to reach anything else."""
    return _everyone(request).confined(tenant_id=here.tenant_id)


Everyone = Annotated[Surveys, Depends(_everyone)]
Own = Annotated[Surveys, Depends(_own)]


def editable(store: Surveys, here: Member, survey_id: str) -> Survey:
    """Read a survey that the caller may change."""
    read = Survey.get(tenant_id=here.tenant_id, survey_id=survey_id).strong()
    survey = store.bind(read).one()
    if not here.may_edit(survey):
        raise Problem(403, "Only the owner of a survey and its editors may change it")
    return survey
